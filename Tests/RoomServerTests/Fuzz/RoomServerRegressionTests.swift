import Foundation
import RoomFuzzSupport
import Testing

@Suite struct RoomServerRegressionTests {
  @Test("stored inputs of the fuzzer are read without a trap", arguments: roomServerFuzzTargets.keys.sorted())
  func stored(target: String) throws {
    let read = try #require(roomServerFuzzTargets[target])
    let inputs = try storedInputs(of: target)
    #expect(!inputs.isEmpty)
    for input in inputs { input.withUnsafeBytes(read) }
  }
}
