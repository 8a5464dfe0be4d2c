import Foundation
import Testing

@testable import RoomLoadtest

/// One short scenario from end to end, with servers and the browser in networks of their own.
@Suite("loadtest network", .enabled(if: OwnNetwork.isAvailable))
struct NetworkTests {
  private func measure(_ arguments: String...) async throws -> NetworkResult {
    let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    // A build of this module alone names the program by its target.
    let program = try #require(
      ["loadtest", "RoomLoadtest"].map { folder.appending(path: $0).path }.first(where: FileManager.default.isExecutableFile))
    let output = try await OwnNetwork.run([program, "network"] + arguments + ["--json"])
    return try JSONDecoder().decode(NetworkResult.self, from: output)
  }

  @Test("a browser behind 5 % of loss receives the publisher's largest layer", .timeLimit(.minutes(2)))
  func loss() async throws {
    let result = try await measure("n3-loss-5", "--seconds", "8")
    // The limits are those of a measurement; other tests run beside this one.
    #expect(result[.height] == 360)
    #expect((result[.fpsP50] ?? 0) > 10)
    #expect((result[.concealed] ?? 100) < 20)
    #expect((result[.resent] ?? 0) > 1)
  }

  @Test("a browser that changes the layer forty times behind 2 % of loss shows each, and decodes all", .timeLimit(.minutes(2)))
  func layers() async throws {
    let result = try await measure("n12-switches", "--switches", "40")
    #expect(result[.layerChanges] == 40 && result[.layerChangesMissed] == 0)
    // The limits are those of a measurement; other tests run beside this one. A change without its key frame would be a fault
    // each time.
    #expect((result[.decoderFaults] ?? .infinity) <= 2)
    #expect((result[.layerChangeP50] ?? .infinity) < 1000)
    #expect((result[.longestFreeze] ?? .infinity) < 2000)
  }
}
