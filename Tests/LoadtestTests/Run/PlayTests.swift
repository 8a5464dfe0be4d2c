import Foundation
import RoomServer
import roomserver
import RoomTestSupport
import Testing

@testable import RoomLoadtest

/// Runs each play with few bots for a few seconds against a server in this process.
@Suite("Plays", .serialized)
struct PlayTests {
  private static let secret = "a secret of the tests, of at least 32 bytes"

  /// - Parameter hasPK: Whether two anchors are in a PK meanwhile.
  private func play(_ yaml: String, hasPK: Bool = false) async throws -> RunReport {
    let scenario = try Scenario(name: "test", yaml: yaml) { name throws(ScenarioError) in throw ScenarioError(name) }
    var configuration = ServerConfiguration(keys: ["test": Self.secret])
    configuration.limits.joinsPerSecond = 1000
    configuration.limits.joinBurst = 1000
    configuration.relay.mixCores = 8
    let server = try await RoomServer.start(configuration)
    let report: RunReport
    do {
      let network = LossyNetwork(scenario.values)
      let stage = try Stage(
        signalling: "ws://127.0.0.1:\(server.port)/v1/signal", rtmpPort: server.rtmpPort,
        tokens: try await TokenMint(key: "test", secret: Self.secret), network: network, recorder: Recorder())
      let values = ParameterValues(PKBattle.parameters + Parameter.common)
      let pair = hasPK ? try await PKBattle(values).group(0, stage) : nil
      try await pair?.begin(inviter: 0)
      report = await ScenarioRun(scenario: scenario, stage: stage, server: "test", status: nil).perform {
        await untilCancelled()
      }
      pair?.stop()
      for anchor in pair?.anchors ?? [] { await anchor.leave() }
      network?.stop()
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
    #expect(report.aborted == nil)
    #expect(report.failures == [])
    #expect((report[.serverMemory]?.max ?? 0) > 1)
    return report
  }

  @Test("voice-room: listeners receive audio, users take and leave seats, and gaps are measured")
  func voiceRoom() async throws {
    let report = try await play(
      """
      play: voice-room
      parameters: {minutes: 0.06, seats: 3, steady: 1, movers: 3, stay: 0.5, listeners: 4, sample: 1}
      """)
    #expect((report[.audioGap]?.count ?? 0) >= 4 && (report[.silence, "decoded"]?.count ?? 0) >= 1)
    #expect((report[.call, "up"]?.count ?? 0) >= 2 && (report[.call, "down"]?.count ?? 0) >= 1)
    #expect(report[.firstMedia, "room"]?.count == 4)
    #expect((report[.soundDelay, "decoded"]?.count ?? 0) >= 1)
  }

  @Test("solo-live: the broadcast is received over every protocol, and decoded by some viewers")
  func soloLive() async throws {
    let report = try await play(
      """
      play: solo-live
      parameters: {minutes: 0.1, rtmp: 2, flv: 2, hls: 1, whep: 2, guests: 1, warmup: 1, width: 180, height: 320, kbps: 150}
      """)
    for kind in ["rtmp", "flv", "whep", "room", "hls"] {
      #expect((report[.firstMedia, kind]?.count ?? 0) > 0, "\(kind)")
    }
    for kind in ["rtmp", "flv", "room-decoded", "hls"] {
      #expect((report[.delay, kind]?.p50 ?? -1) > 0, "\(kind)")
    }
    #expect((report[.fps, "flv"]?.max ?? 0) > 5)
    #expect(abs(report[.offset, "flv"]?.p50 ?? 1000) < 200)
  }

  @Test("pk-battle: three anchors start a PK and leave one after another, and their audiences stay with their broadcasts")
  func pkBattle() async throws {
    let report = try await play(
      """
      play: pk-battle
      parameters: {minutes: 0.12, pairs: 1, rooms: 3, teams: 2, audience: 2, together: 1.5, alone: 1, sample: 1, width: 360, height: 480, fps: 10, kbps: 200}
      """)
    for kind in ["pk-begin", "pk-leave", "pk-end"] { #expect((report[.call, kind]?.count ?? 0) >= 1, "\(kind)") }
    // The RTMP and FLV viewers of both audiences.
    #expect((report[.takeover]?.count ?? 0) >= 4)
    #expect((report[.delay, "flv"]?.count ?? 0) > 5)
  }

  @Test(
    "pk-changes: members come late, leave, drop off the network, die and start again; the audiences stay with their broadcasts")
  func pkChanges() async throws {
    let report = try await play(
      """
      play: pk-changes
      parameters: {minutes: 0.35, rooms: 3, audience: 2, away: 1, settling: 0.5, width: 180, height: 320, fps: 10, kbps: 200}
      """)
    for kind in ["pk-begin", "pk-join", "pk-leave", "pk-drop", "pk-return"] {
      #expect((report[.call, kind]?.count ?? 0) >= 1, "\(kind)")
    }
    #expect((report[.takeover]?.count ?? 0) >= 4)
  }

  @Test("meeting: everyone receives everyone else, also over a lossy link")
  func meeting() async throws {
    let report = try await play(
      """
      play: meeting
      parameters: {minutes: 0.06, people: 3, loss: 1, delay: 10, jitter: 5}
      """)
    #expect(report[.firstMedia, "video"]?.count == 6)
    // The delay applies twice: to the server and from the server.
    #expect((report[.delay, "decoded"]?.p50 ?? 0) > 20)
    #expect((report[.fps]?.max ?? 0) > 5)
  }

  @Test("audience: guests of rooms in a PK decode the mix")
  func audience() async throws {
    let report = try await play("play: audience\nparameters: {minutes: 0.06, people: 2}", hasPK: true)
    #expect((report[.fps, "decoded"]?.max ?? 0) > 5)
    #expect((report[.silence, "decoded"]?.count ?? 0) >= 4)
    #expect((report[.paused, "video"]?.count ?? 0) >= 4)
  }

  @Test("churn: every user joins, receives media and leaves")
  func churn() async throws {
    let report = try await play("play: churn\nparameters: {minutes: 0.06, rooms: 2, joins: 5, stay: 1}")
    #expect((report[.firstMedia, "room"]?.count ?? 0) >= 4)
    #expect((report[.present]?.max ?? 0) >= 2)
  }

  @Test("a play that can't start results in a report with the reason")
  func refused() async throws {
    let scenario = try Scenario(name: "test", yaml: "play: churn\nlimits: [failures max <= 0]") {
      name throws(ScenarioError) in throw ScenarioError(name)
    }
    let stage = try Stage(
      signalling: "ws://127.0.0.1:1/v1/signal", rtmpPort: nil, tokens: try await TokenMint(key: "test", secret: Self.secret),
      network: nil, recorder: Recorder())
    let report = await ScenarioRun(scenario: scenario, stage: stage, server: "test", status: nil).perform {
      await untilCancelled()
    }
    #expect(!report.isGood && report.aborted != nil)
  }
}

extension RunReport {
  subscript(figure: Figure, kind: String? = nil) -> FigureReport? {
    figures.first { $0.figure == figure.rawValue && $0.kind == kind }
  }
}
