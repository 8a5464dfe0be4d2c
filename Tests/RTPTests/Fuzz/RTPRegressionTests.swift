import Foundation
import FuzzSupport
import Testing

@Suite struct RTPRegressionTests {
  @Test("inputs that the fuzzer began with or found are read without a trap", arguments: rtpFuzzTargets.keys.sorted())
  func stored(target: String) throws {
    let read = try #require(rtpFuzzTargets[target])
    let inputs = try storedInputs(of: target)
    #expect(!inputs.isEmpty)
    for input in inputs { input.withUnsafeBytes(read) }
  }
}
