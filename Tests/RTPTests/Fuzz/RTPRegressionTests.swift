import Foundation
import RoomFuzzSupport
import Testing

@Suite struct RTPRegressionTests {
  @Test("the fuzzer's seeds and findings are processed without a trap", arguments: rtpFuzzTargets.keys.sorted())
  func stored(target: String) throws {
    let read = try #require(rtpFuzzTargets[target])
    let inputs = try storedInputs(of: target)
    #expect(!inputs.isEmpty)
    for input in inputs { input.withUnsafeBytes(read) }
  }
}
