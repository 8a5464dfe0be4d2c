import Foundation
import RoomFuzzSupport
import Testing

@Suite struct ClusterServerRegressionTests {
  @Test("stored inputs of the fuzzer are read without a trap", arguments: clusterServerFuzzTargets.keys.sorted())
  func stored(target: String) throws {
    let read = try #require(clusterServerFuzzTargets[target])
    let inputs = try storedInputs(of: target)
    #expect(!inputs.isEmpty)
    for input in inputs { input.withUnsafeBytes(read) }
  }
}
