import Foundation
import RoomTestSupport
import Testing

/// Calls LiveKit's server API by its Python SDK, each time in a process of its own (`livekit_admin.py`).
struct LiveKitAdmin {
  /// The form of requests and answers.
  enum Form: String, CaseIterable {
    case protobuf, json
  }

  private let url: String
  private var form = Form.protobuf

  init(server: TestServer, form: Form = .protobuf) { (url, self.form) = (server.http(""), form) }
  init(server: ServerProcess) { url = "http://127.0.0.1:\(server.port)" }

  /// Performs one call.
  /// - Parameter request: as JSON.
  @discardableResult func call(_ method: String, _ request: String) async throws -> [String: Any] {
    let process = Process()
    process.executableURL = URL(filePath: LiveKitPeer.python)
    process.arguments = [
      LiveKitPeer.root.appending(path: "Tests/Interop/LiveKit/livekit_admin.py").path, url, TestServer.key,
      TestServer.secret, method, request, form.rawValue,
    ]
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    defer { if process.isRunning { process.terminate() } }
    try await eventually("\(method) has returned") { !process.isRunning }
    let text = output.fileHandleForReading.availableData
    let failure =
      process.terminationStatus == 0 ? "" : String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
    return try #require(try? JSONSerialization.jsonObject(with: text) as? [String: Any], "\(method): \(failure)")
  }

  /// Returns the list of a call's answer.
  func list(_ method: String, _ name: String, _ request: String = "{}") async throws -> [[String: Any]] {
    try await call(method, request)[name] as? [[String: Any]] ?? []
  }

  /// Returns an egress.
  func egress(_ id: String) async throws -> [String: Any] {
    try #require(try await list("list_egress", "items", #"{"egress_id": "\#(id)"}"#).first)
  }

  /// Waits until an egress has a status. Returns it.
  func egress(_ id: String, reaches status: String) async throws -> [String: Any] {
    var last: [String: Any] = [:]
    try await eventually("\(status)") {
      last = try await egress(id)
      return last["status"] as? String == status
    }
    return last
  }
}
