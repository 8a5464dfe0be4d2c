import Foundation
import RoomServer
import roomserver
import Testing

@testable import RoomLoadtest

@Suite("loadtest mix against a server", .serialized)
struct MixRunTests {
  private static let secret = "a secret of the tests, of at least 32 bytes"

  @Test("two programs of the same two sources are measured, and the sources are decoded once")
  func shared() async throws {
    let result = try await measure(
      MixPlan(programs: 2, sources: 2, width: 320, height: 180, fps: 10, kbps: 200, seconds: 2, isShared: true))
    #expect(result.programFPS.count == 2 && result.programFPS.allSatisfy { $0 > 5 })
    #expect((result.frames ?? 0) > 2 * 10)
    // Two video and two audio tracks, each in both programs.
    #expect(result.decodedTracks == 4 && result.decodedUses == 8 && result.undecodable == 0)
    // 10 pictures and 50 packets per second of each source; decoding once per program would result in 240.
    #expect((60...200).contains(Double(result.decoded ?? 0) / result.seconds))
    #expect((result.ratio ?? 0) > 0 && (result.programsPerCore ?? 0) > 0 && result.bare > 0)
  }

  @Test("three rooms of one PK in the same order are three programs and one mix")
  func battle() async throws {
    let result = try await measure(
      MixPlan(programs: 3, sources: 3, width: 320, height: 180, fps: 10, kbps: 200, seconds: 2, isPK: true))
    #expect(result.programFPS.count == 3 && result.programFPS.allSatisfy { $0 > 5 })
    #expect(result.decodedTracks == 6 && result.decodedUses == 6 && result.undecodable == 0)
    // Pictures of one mix.
    #expect((10...35).contains(result.frames ?? 0), "\(result.frames ?? 0)")
    #expect((result.ratio ?? 0) > 0)
  }

  private func measure(_ plan: MixPlan) async throws -> MixResult {
    let folder = try ServerProcess.folder("mix-test")
    defer { try? FileManager.default.removeItem(at: folder) }
    let clips = try await MixClipEncoder.clips(
      plan.sources, MixClip.Settings(width: 160, height: 180, fps: 10, kbps: 150, seconds: 4), in: folder)
    let run = MixRun(plan: plan, clips: clips, progress: ProgressLine(isWanted: false), settling: .zero, steps: [.whole])
    var configuration = ServerConfiguration(keys: ["test": Self.secret])
    configuration.autoCreateRooms = true
    // Keeps the load of other processes from affecting the test.
    configuration.relay.mixCores = 64
    let server = try await RoomServer.start(configuration)
    let tokens = try await TokenMint(key: "test", secret: Self.secret)
    return try await running {
      try await run.measure {
        let address = try RoomserverAddress("ws://127.0.0.1:\(server.port)/v1/signal", tokens)
        return MeasuredServer(target: address, pid: ProcessInfo.processInfo.processIdentifier, metrics: address.metrics)
      }
    } end: {
      await server.stop()
    }
  }

  @Test("a rejected source ends the run with the server's message")
  func refused() async throws {
    let server = try await RoomServer.start(ServerConfiguration(keys: ["test": Self.secret]))
    let tokens = try await TokenMint(key: "test", secret: Self.secret)
    let target = MixTarget(server: try RoomserverAddress("ws://127.0.0.1:\(server.port)/v1/signal", tokens))
    let error = await #expect(throws: LoadtestError.self) { _ = try await target.jobs(in: "nowhere") }
    await server.stop()
    #expect(error.map { "\($0)".contains("404") } == true)
  }
}
