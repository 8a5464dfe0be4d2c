import Foundation
import RoomFuzzSupport
import Testing

@Suite struct LiveKitServerRegressionTests {
  @Test("stored inputs of the fuzzer are read without a trap", arguments: liveKitServerFuzzTargets.keys.sorted())
  func stored(target: String) throws {
    let read = try #require(liveKitServerFuzzTargets[target])
    let inputs = try storedInputs(of: target)
    #expect(!inputs.isEmpty)
    for input in inputs { input.withUnsafeBytes(read) }
  }
}
