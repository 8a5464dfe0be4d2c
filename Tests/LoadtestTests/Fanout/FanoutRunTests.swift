import Foundation
import RoomServer
import roomserver
import Testing

@testable import RoomLoadtest

@Suite("loadtest fanout against a server", .serialized)
struct FanoutRunTests {
  private static let secret = "a secret of the tests, of at least 32 bytes"

  private func withServer(_ test: (RoomServer, any FanoutTarget) async throws -> Void) async throws {
    var configuration = ServerConfiguration(keys: ["test": Self.secret])
    configuration.autoCreateRooms = true
    let server = try await RoomServer.start(configuration)
    let target = RoomserverTarget(
      server: try RoomserverAddress(
        "ws://127.0.0.1:\(server.port)/v1/signal", await TokenMint(key: "test", secret: Self.secret)), room: "r")
    try await running {
      try await test(server, target)
    } end: {
      await server.stop()
    }
  }

  private func run(_ plan: FanoutPlan, _ target: any FanoutTarget, server: Int32? = nil, metrics: URL? = nil) throws
    -> FanoutRun
  {
    FanoutRun(
      plan: plan, media: try RecordedMedia(bitrate: plan.kbps * 1000, seed: plan.seed), kind: .roomserver,
      server: MeasuredServer(target: target, pid: server, metrics: metrics), progress: ProgressLine(isWanted: false),
      settling: .milliseconds(300))
  }

  @Test("five subscribers of one publisher receive every packet, and each is authentic", arguments: FanoutProfile.allCases)
  func five(profile: FanoutProfile) async throws {
    try await withServer { server, target in
      let plan = FanoutPlan(subscribers: 5, seconds: 2, kbps: 300, profile: profile, feedback: 100)
      let result = try await run(
        plan, target, server: ProcessInfo.processInfo.processIdentifier,
        metrics: URL(string: "http://127.0.0.1:\(server.port)/metrics")
      ).measure()
      #expect(result.lostPackets == 0 && result.silentStreams == 0 && result.unauthentic == 0)
      // Audio's 50 packets a second, and video's 25 frames of at least one packet each.
      #expect(result.packetsPerSecond > 5 * 60)
      #expect(result.sampled >= 10)
      #expect(result.joinP50 > 0 && result.joinP99 >= result.joinP50)
      #expect(result.videoP50 >= result.joinP50)
      #expect((result.cpuPerPacket ?? 0) > 0)
    }
  }

  @Test("all publishers reach all subscribers")
  func publishers() async throws {
    try await withServer { _, target in
      let result = try await run(
        FanoutPlan(subscribers: 3, publishers: 2, seconds: 1.5, kbps: 200, joinsAtOnce: 3, threads: 2), target
      ).measure()
      #expect(result.silentStreams == 0 && result.lostPackets == 0)
      #expect(result.cpuPerPacket == nil && result.kilobytesPerSubscriber == nil)
    }
  }

  @Test("WHEP viewers of a WHIP publisher receive every packet")
  func whep() async throws {
    try await withServer { server, _ in
      let target = WHEPTarget(
        base: try #require(URL(string: "http://127.0.0.1:\(server.port)")),
        tokens: try await TokenMint(key: "test", secret: Self.secret), room: "r")
      let result = try await run(FanoutPlan(subscribers: 3, seconds: 1.5, kbps: 200), target).measure()
      #expect(result.silentStreams == 0 && result.lostPackets == 0 && result.unauthentic == 0)
      #expect(result.packetsPerSecond > 3 * 60)
    }
  }

  @Test("a rejected bot ends the run with the server's message")
  func refused() async throws {
    try await withServer { server, _ in
      let target = RoomserverTarget(
        server: try RoomserverAddress(
          "ws://127.0.0.1:\(server.port)/v1/signal",
          await TokenMint(key: "test", secret: "another secret, also of at least 32 bytes")), room: "r")
      let error = await #expect(throws: LoadtestError.self) {
        try await run(FanoutPlan(subscribers: 1, seconds: 1), target).measure()
      }
      #expect(error.map { "\($0)".hasPrefix("join:") } == true)
    }
  }

  @Test("recorded media starts with its only key frame and keeps its bitrate")
  func media() throws {
    let media = try RecordedMedia(bitrate: 500_000, seed: 3)
    #expect(media.video.count == 250 && media.audio.count == 50)
    #expect(media.video[0].isKeyFrame && !media.video.dropFirst().contains { $0.isKeyFrame })
    #expect((425_000...600_000).contains(media.videoBitrate))
  }
}
