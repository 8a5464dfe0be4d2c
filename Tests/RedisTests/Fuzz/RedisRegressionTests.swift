import RoomFuzzSupport
import Testing

@Suite struct RedisRegressionTests {
  @Test("the fuzzer's seeds and findings are processed without a trap", arguments: redisFuzzTargets.keys.sorted())
  func stored(target: String) throws {
    let read = try #require(redisFuzzTargets[target])
    let inputs = try storedInputs(of: target)
    #expect(!inputs.isEmpty)
    for input in inputs { input.withUnsafeBytes(read) }
  }
}
