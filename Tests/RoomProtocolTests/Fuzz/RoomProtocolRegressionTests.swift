import Foundation
import RoomFuzzSupport
import Testing

@Suite struct RoomProtocolRegressionTests {
  @Test("the fuzzer's seed and found inputs are decoded without a trap", arguments: roomProtocolFuzzTargets.keys.sorted())
  func stored(target: String) throws {
    let read = try #require(roomProtocolFuzzTargets[target])
    let inputs = try storedInputs(of: target)
    #expect(!inputs.isEmpty)
    for input in inputs { input.withUnsafeBytes(read) }
  }
}
