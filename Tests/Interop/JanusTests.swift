import Foundation
import Testing

@testable import RoomLoadtest

/// The comparison in `docs/performance/forwarding.md` requires bots that Janus treats like any other client.
@Suite(
  "The bots of loadtest fanout and Janus",
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/janus") && OwnNetwork.isAvailable))
struct JanusTests {
  @Test("five subscribers receive every packet of one publisher through Janus' videoroom", arguments: FanoutProfile.allCases)
  func videoroom(profile: FanoutProfile) async throws {
    // Runs in a separate network namespace, because Janus does not accept a loopback address.
    let output = try await OwnNetwork.run([
      URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "loadtest").path, "fanout", "--start",
      "--target", "janus", "--subscribers", "5", "--seconds", "2", "--kbps", "300", "--profile", profile.rawValue, "--json",
    ])
    let result = try JSONDecoder().decode(FanoutResult.self, from: output)
    #expect(result.silentStreams == 0 && result.unauthentic == 0)
    // Losses inside Janus do not fail this project's tests.
    #expect(result.packetsPerSecond > 5 * 50)
    #expect((result.cpuPerPacket ?? 0) > 0)
  }

  @Test("Janus' audiobridge: listeners receive all speakers, and speakers all but themselves")
  func audiobridge() async throws {
    let output = try await OwnNetwork.run([
      URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "loadtest").path, "voice", "--start",
      "--target", "janus", "--speakers", "3", "--listeners", "3", "--seconds", "2", "--json",
    ])
    let result = try JSONDecoder().decode(VoiceResult.self, from: output)
    #expect(result.silentListeners == 0 && result.unauthentic == 0)
    #expect(result.heardByListener == 3 && result.heardBySpeakers == 2 && result.echoes == 0)
    #expect(result.packetsPerListenerPerSecond > 40)
    #expect((result.cpuPercentPerListener ?? 0) > 0)
  }
}
