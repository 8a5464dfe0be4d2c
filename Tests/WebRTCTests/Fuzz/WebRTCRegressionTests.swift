import Foundation
import Testing

@Suite struct WebRTCRegressionTests {
  /// Tests/Fuzz/Regressions, a folder for each target.
  private static let folder = URL(filePath: #filePath).appending(path: "../../../Fuzz/Regressions").standardized

  @Test("inputs that the fuzzer began with or found are read without a trap", arguments: webRTCFuzzTargets.keys.sorted())
  func stored(target: String) throws {
    let read = try #require(webRTCFuzzTargets[target])
    let inputs = try FileManager.default.contentsOfDirectory(
      at: Self.folder.appending(path: target), includingPropertiesForKeys: nil)
    #expect(!inputs.isEmpty)
    for input in inputs { try Data(contentsOf: input).withUnsafeBytes(read) }
  }
}
