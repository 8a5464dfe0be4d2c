import Foundation
import RoomClient
import RoomServer
import roomserver
import RoomTestSupport
import Testing

@testable import RoomLoadtest

@Suite("Plays on a draining server", .serialized, .timeLimit(.minutes(2)))
struct DrainedPlayTests {
  private static let secret = "a secret of the tests, of at least 32 bytes"

  private func server() async throws -> RoomServer {
    var configuration = ServerConfiguration(keys: ["test": Self.secret])
    configuration.autoCreateRooms = true
    configuration.limits.joinsPerSecond = 1000
    configuration.limits.joinBurst = 1000
    return try await RoomServer.start(configuration)
  }

  private func address(_ server: RoomServer) -> String { "ws://127.0.0.1:\(server.port)/v1/signal" }

  @Test("nobody is disconnected, joins to open rooms succeed, and joins to new rooms are redirected to the other server")
  func churn() async throws {
    let (old, new) = (try await server(), try await server())
    let tokens = try await TokenMint(key: "test", secret: Self.secret)
    let scenario = try Scenario(name: "test", yaml: "play: churn\nparameters: {minutes: 0.08, rooms: 2, joins: 5, stay: 1}") {
      name throws(ScenarioError) in throw ScenarioError(name)
    }
    let recorder = Recorder()
    let stage = try Stage(signalling: address(old), rtmpPort: nil, tokens: tokens, network: nil, recorder: recorder)
    async let playing = ScenarioRun(scenario: scenario, stage: stage, server: "test", status: nil).perform {
      await untilCancelled()
    }
    try await eventually("the play runs") { recorder.contents.phase == "users join and leave" }
    let there = address(new)
    let draining = Task { await old.drain(for: .seconds(90), redirect: there) }
    try await eventually("the server drains") { await old.metricsText().contains("roomserver_draining 1\n") }
    let begun = recorder.contents.series.first { $0.figure == .firstMedia }?.count ?? 0
    var late: [Room] = []
    for number in 0..<5 {
      late.append(
        try await Room.connect(
          to: address(old), token: try tokens.token(for: "late", in: "new-\(number)", grants: [.subscribe])))
    }
    #expect(await new.metricsText().contains("roomserver_rooms 5\n"))
    let report = await playing
    // Drained because everyone has left, long before the deadline.
    await draining.value
    #expect(report.aborted == nil && report.failures == [])
    #expect((report[.firstMedia, "room"]?.count ?? 0) >= begun + 8)
    for room in late {
      #expect(room.state == .connected)
      await room.leave()
    }
    await old.stop()
    await new.stop()
  }
}
