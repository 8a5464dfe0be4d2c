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
