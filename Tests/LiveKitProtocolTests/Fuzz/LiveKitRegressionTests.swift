import RoomFuzzSupport
import Testing

@Suite struct LiveKitRegressionTests {
  @Test("the fuzzer's seeds and findings are processed without a trap", arguments: liveKitFuzzTargets.keys.sorted())
  func stored(target: String) throws {
    let read = try #require(liveKitFuzzTargets[target])
    let inputs = try storedInputs(of: target)
    #expect(!inputs.isEmpty)
    for input in inputs { input.withUnsafeBytes(read) }
  }
}
