import Foundation
import RoomProtocol

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The jobs of a server that mixes, over REST.
struct MixTarget: Sendable {
  let server: RoomserverAddress

  /// A job with its status.
  struct Job: Decodable, Sendable {
    var job: JobInfo
    var status: JobStatusData?
  }

  private struct Jobs: Decodable { var jobs: [Job] }

  func start(_ job: MergeParams, in room: RoomName) async throws {
    _ = try await call("POST", "v1/rooms/\(room)/merge-jobs", JSONEncoder().encode(job))
  }

  private struct ForwardJob: Encodable {
    var jobId: JobID
    var userId: UserID
    var publishUrl: String?
  }

  func start(_ job: ForwardParams, of user: UserID, in room: RoomName) async throws {
    let body = ForwardJob(jobId: job.jobId, userId: user, publishUrl: job.publishUrl)
    _ = try await call("POST", "v1/rooms/\(room)/jobs", JSONEncoder().encode(body))
  }

  private struct NewRoom: Encodable {
    var name: RoomName
    var audience = "separate"
    var stage: StagePicture
  }

  func make(_ room: RoomName, _ stage: StagePicture) async throws {
    _ = try await call("POST", "v1/rooms", JSONEncoder().encode(NewRoom(name: room, stage: stage)))
  }

  func stop(_ job: JobID, in room: RoomName) async throws { _ = try await call("DELETE", "v1/rooms/\(room)/jobs/\(job)") }

  func jobs(in room: RoomName) async throws -> [Job] {
    try JSONDecoder().decode(Jobs.self, from: await call("GET", "v1/rooms/\(room)/jobs")).jobs
  }

  private func call(_ method: String, _ path: String, _ body: Data? = nil) async throws -> Data {
    var request = URLRequest(url: server.base.appending(path: path), timeoutInterval: 15)
    request.httpMethod = method
    request.httpBody = body
    request.setValue("Bearer \(try server.tokens.apiToken())", forHTTPHeaderField: "Authorization")
    if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    let (data, response) = try await URLSession.shared.fetch(request)
    let status = response.statusCode
    guard (200..<300).contains(status) else {
      throw LoadtestError.refused("\(method) /\(path): \(status) \(String(decoding: data.prefix(500), as: UTF8.self))")
    }
    return data
  }
}
