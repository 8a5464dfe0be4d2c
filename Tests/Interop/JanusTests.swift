import Foundation
import Testing

@testable import loadtest

/// The comparison of `docs/performance.md` needs bots that Janus takes for clients like any other.
@Suite(
  "The bots of loadtest fanout and Janus",
  .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/janus") && OwnAddress.find() != nil))
struct JanusTests {
  @Test("five subscribers get every packet of one publisher through Janus' videoroom", arguments: FanoutProfile.allCases)
  func videoroom(profile: FanoutProfile) async throws {
    let janus = try await StartedServers.janus(program: "/usr/bin/janus", address: try #require(OwnAddress.find()))
    let plan = FanoutPlan(subscribers: 5, seconds: 2, kbps: 300, profile: profile)
    let run = FanoutRun(
      plan: plan, media: try RecordedMedia(bitrate: plan.kbps * 1000, seed: plan.seed), kind: .janus,
      target: JanusTarget(url: janus.url, room: 1, publishers: 1), server: janus.process.pid, metrics: nil,
      progress: FanoutProgress(isWanted: false))
    let outcome: Result<FanoutResult, any Error>
    do { outcome = .success(try await run.measure()) } catch { outcome = .failure(error) }
    await janus.process.stop()
    let result = try outcome.get()
    #expect(result.silentStreams == 0 && result.unauthentic == 0)
    // Of Janus' own losses this project's tests do not answer for a few.
    #expect(result.loss < 0.05)
    #expect(result.packetsPerSecond > 5 * 60)
    #expect((result.cpuPerPacket ?? 0) > 0)
  }
}
