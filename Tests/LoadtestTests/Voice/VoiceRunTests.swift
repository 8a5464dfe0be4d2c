import Foundation
import RoomRTP
import RoomServer
import roomserver
import Testing
import RoomWebRTC

@testable import RoomLoadtest

@Suite("loadtest voice against a server", .serialized)
struct VoiceRunTests {
  private static let secret = "a secret of the tests, of at least 32 bytes"

  @Test("listeners receive all speakers in one track, and each speaker receives all others")
  func mixed() async throws {
    let server = try await RoomServer.start(ServerConfiguration(keys: ["test": Self.secret]))
    try await running {
      let plan = VoicePlan(speakers: 3, listeners: 4, seconds: 1.5)
      let tones = try SpokenTones(speakers: plan.speakers, kbps: plan.kbps)
      let target = RoomserverVoice(
        server: try RoomserverAddress(
          "ws://127.0.0.1:\(server.port)/v1/signal", await TokenMint(key: "test", secret: Self.secret)), room: "r",
        kbps: plan.kbps)
      let result = try await VoiceRun(
        plan: plan, tones: tones, kind: .roomserver,
        server: MeasuredServer(target: target, pid: ProcessInfo.processInfo.processIdentifier),
        progress: ProgressLine(isWanted: false), settling: .milliseconds(300)
      ).measure()
      #expect(result.heardByListener == 3)
      #expect(result.heardBySpeakers == 2)
      #expect(result.echoes == 0)
      #expect(result.silentListeners == 0 && result.unauthentic == 0 && result.lostPackets == 0)
      #expect(result.packetsPerListenerPerSecond > 40)
      #expect((result.cpuPercent ?? 0) > 0)
    } end: {
      await server.stop()
    }
  }

  @Test("an ear identifies the speakers and counts missing packets")
  func ear() throws {
    let tones = try SpokenTones(speakers: 4, kbps: 64)
    #expect(tones.frequencies == [350, 500, 650, 800])
    var ear = try MixDecoder(tones)
    var now: Int64 = 0
    for number in 0..<100 where number != 40 && !(60..<65).contains(number) {
      now = Int64(number) * SpokenTones.interval
      let frame = EncodedFrame(
        data: tones.packets[1][number % 50], timestamp: UInt32.max &+ UInt32(number) &* SpokenTones.ticks, isKeyFrame: true)
      ear.hear(frame, now: .init(microseconds: now))
    }
    let report = ear.now
    #expect(report.packets == 94 && report.missing == 6 && report.pauses == 1)
    #expect(report.loudness[1] > 0.7)
    for other in [0, 2, 3] { #expect(report.loudness[other] < VoiceDetection.threshold) }
  }
}
