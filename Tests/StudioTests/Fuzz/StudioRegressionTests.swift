import Foundation
import RoomFuzzSupport
import Testing

@Suite struct StudioRegressionTests {
  @Test("the fuzzer's seeds and findings are processed without a trap", arguments: studioFuzzTargets.keys.sorted())
  func stored(target: String) throws {
    let read = try #require(studioFuzzTargets[target])
    let inputs = try storedInputs(of: target)
    #expect(!inputs.isEmpty)
    for input in inputs { input.withUnsafeBytes(read) }
  }
}
