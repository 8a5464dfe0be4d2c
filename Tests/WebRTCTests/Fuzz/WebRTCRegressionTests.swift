import Foundation
import RoomFuzzSupport
import Testing

@Suite struct WebRTCRegressionTests {
  @Test("the fuzzer's seeds and findings are processed without a trap", arguments: webRTCFuzzTargets.keys.sorted())
  func stored(target: String) throws {
    let read = try #require(webRTCFuzzTargets[target])
    let inputs = try storedInputs(of: target)
    #expect(!inputs.isEmpty)
    for input in inputs { input.withUnsafeBytes(read) }
  }
}
