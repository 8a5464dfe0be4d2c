import Foundation
import RoomProtocol

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server that mixes: rooms are joined over signalling, jobs are started over REST.
struct MixTarget: Sendable {
  /// The signalling address.
  let url: String
  /// The base URL that the API's paths are appended to.
  let base: URL
  let tokens: TokenMint
  /// The server's process, if known.
  let pid: Int32?

  /// - Throws: ``FanoutError`` if the address is invalid.
  init(url: String, tokens: TokenMint, pid: Int32?) throws(FanoutError) {
    guard var parts = URLComponents(string: url), parts.host != nil else {
      throw .system("--url is not a valid address: \(url)")
    }
    parts.scheme = parts.scheme == "wss" ? "https" : "http"
    parts.path = ""
    parts.query = nil
    guard let base = parts.url else { throw .system("--url is not a valid address: \(url)") }
    self.url = url
    self.base = base
    self.tokens = tokens
    self.pid = pid
  }

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

  /// Returns the server's metrics, or nil if it has none.
  func metrics() async -> ServerMetrics? { await ServerMetrics.fetch(base.appending(path: "metrics")) }

  private func call(_ method: String, _ path: String, _ body: Data? = nil) async throws -> Data {
    var request = URLRequest(url: base.appending(path: path), timeoutInterval: 15)
    request.httpMethod = method
    request.httpBody = body
    request.setValue("Bearer \(try tokens.apiToken())", forHTTPHeaderField: "Authorization")
    if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    let (data, response) = try await URLSession.shared.fetch(request)
    let status = response.statusCode
    guard (200..<300).contains(status) else {
      throw FanoutError.refused("\(method) /\(path): \(status) \(String(decoding: data.prefix(500), as: UTF8.self))")
    }
    return data
  }
}
