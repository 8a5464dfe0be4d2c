import Foundation
import RoomServer
import roomserver
import Testing

@testable import RoomLoadtest

@Suite("loadtest crowd against a server", .serialized)
struct CrowdRunTests {
  private static let secret = "a secret of the tests, of at least 32 bytes"

  private func measure(_ plan: CrowdPlan, _ configuration: ServerConfiguration) async throws -> CrowdResult {
    let server = try await RoomServer.start(configuration)
    return try await running {
      let target = CrowdTarget(
        name: "own", host: "127.0.0.1", port: UInt16(server.port),
        tokens: try await TokenMint(key: "test", secret: Self.secret), room: "r",
        pid: ProcessInfo.processInfo.processIdentifier)
      return try await CrowdRun(plan: plan, target: target, progress: ProgressLine(isWanted: false)).measure()
    } end: {
      await server.stop()
    }
  }

  @Test("everyone receives every message and an offer, and each action has a cost")
  func small() async throws {
    var configuration = ServerConfiguration(keys: ["test": Self.secret])
    configuration.autoCreateRooms = true
    // The measured process is this one, including the bots, and is never idle.
    let plan = CrowdPlan(
      people: 20, lastJoins: 5, messages: 30, messageBytes: 20, publishes: 3, losses: 4, leaves: 6,
      restingPercent: .infinity)
    let result = try await measure(plan, configuration)
    #expect(result.isValid)
    #expect(result.deliveries == 30 * 20)
    #expect(result.offers == 13)
    #expect(result.joins == 5 && result.publishes == 3 && result.losses == 4 && result.leaves == 6)
    #expect(result.joinAnswerBytes > 1000 && result.joinTimeP50 > 0)
    for cost in [
      result.joinMilliseconds, result.meanJoinMilliseconds, result.deliveryMicroseconds, result.publishMilliseconds,
      result.lossMilliseconds, result.resumeMilliseconds, result.leaveMilliseconds, result.publishWithOffersMilliseconds,
    ] { #expect(cost > 0) }
  }

  @Test("a server that rejects joins ends the run with its reason")
  func refused() async throws {
    var configuration = ServerConfiguration(keys: ["test": Self.secret])
    configuration.autoCreateRooms = false
    let error = await #expect(throws: LoadtestError.self) {
      _ = try await measure(CrowdPlan(people: 3, restingPercent: .infinity), configuration)
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains("there is no room"))
  }
}
