import Foundation
import RoomFuzzSupport
import Testing

@Suite struct RTMPRegressionTests {
  @Test("the fuzzer's seeds and findings are read without a trap", arguments: rtmpFuzzTargets.keys.sorted())
  func stored(target: String) throws {
    let read = try #require(rtmpFuzzTargets[target])
    let inputs = try storedInputs(of: target)
    #expect(!inputs.isEmpty)
    for input in inputs { input.withUnsafeBytes(read) }
  }
}
