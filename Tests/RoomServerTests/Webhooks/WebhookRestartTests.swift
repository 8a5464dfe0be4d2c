import Foundation
import RoomTestSupport
import RoomToken
import Testing
import RoomProtocol

@Suite("Webhooks and the server's end")
struct WebhookRestartTests {
  /// `roomserver serve` as a process, with a webhook and a data directory.
  private struct Process {
    let command: Command
    let port: UInt16

    static func start(_ receiver: WebhookReceiver, data: String) async throws -> Process {
      let command = try Command.start(
        [
          "serve", "--port", "0", "--media-port", "0", "--rtmp-port", "0", "--workers", "1", "--data", data, "--webhook",
          receiver.url,
        ], environment: CommandLineTests.key)
      let port = try await eventually("the server") {
        command.errors.firstMatch(of: /http=127\.0\.0\.1:(\d+)/).flatMap { UInt16($0.1) }
      }
      return Process(command: command, port: port)
    }

    func makeRoom(_ name: RoomName) async throws {
      let keys = try TokenKeys([
        CommandLineTests.key["ROOMSERVER_KEY"] ?? "": CommandLineTests.key["ROOMSERVER_SECRET"] ?? ""
      ])
      let token = try keys.sign(APIToken(key: "cli", expires: Date(timeIntervalSinceNow: 60)))
      let body = #"{"name":"\#(name)"}"#
      let wire = try await Wire.connect(port: port)
      defer { wire.close() }
      wire.send(
        "POST /v1/rooms HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAuthorization: Bearer \(token)\r\n"
          + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      #expect(try await wire.response().status == 201)
    }

    /// Returns the number of events on disk, from the metrics.
    func written() async throws -> Int {
      let wire = try await Wire.connect(port: port)
      defer { wire.close() }
      wire.send("GET /metrics HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
      let text = String(decoding: try await wire.response().body, as: UTF8.self)
      return text.firstMatch(of: /\nroomserver_events_total (\d+)/).flatMap { Int($0.1) } ?? 0
    }
  }

  @Test("events that a killed server had not delivered are delivered after its restart, and the numbers continue")
  func killed() async throws {
    let data = FileManager.default.temporaryDirectory.appending(path: "data-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: data) }
    let receiver = try WebhookReceiver()
    let first = try await Process.start(receiver, data: data)
    for room: RoomName in ["a", "b"] { try await first.makeRoom(room) }
    try await eventually("the events on disk") { try await first.written() == 2 }
    first.command.signal(SIGKILL)
    _ = try await first.command.status()

    try await receiver.listen()
    let second = try await Process.start(receiver, data: data)
    try await eventually("what the first left") {
      receiver.events(of: "a").first?.event == "roomCreated" && receiver.events(of: "b").first?.event == "roomCreated"
    }
    try await second.makeRoom("c")
    try await eventually("its own") { receiver.events(of: "c").map(\.sequence) == [1] }
    second.command.signal(SIGTERM)
    #expect(try await second.command.status() == 0, "\(second.command.errors)")

    let third = try await Process.start(receiver, data: data)
    try await eventually("the restored room") {
      receiver.events(of: "c").map(\.event) == ["roomCreated", "roomRestored"]
    }
    third.command.signal(SIGTERM)
    #expect(try await third.command.status() == 0, "\(third.command.errors)")
    #expect(Set(receiver.events(of: "c").map(\.roomSession)).count == 1)
    for room: RoomName in ["a", "b", "c"] {
      let sequences = receiver.events(of: room).map(\.sequence)
      #expect(sequences == Array(1...sequences.count), "room \(room)")
    }
    await receiver.stop()
  }
}
