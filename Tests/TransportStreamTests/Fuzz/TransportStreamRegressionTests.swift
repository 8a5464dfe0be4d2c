import Foundation
import RoomFuzzSupport
import Testing

@Suite struct TransportStreamRegressionTests {
  @Test("the fuzzer's seeds and findings are read without a trap", arguments: transportStreamFuzzTargets.keys.sorted())
  func stored(target: String) throws {
    let read = try #require(transportStreamFuzzTargets[target])
    let inputs = try storedInputs(of: target)
    #expect(!inputs.isEmpty)
    for input in inputs { input.withUnsafeBytes(read) }
  }

  @Test("random and mutated input does no harm", arguments: transportStreamFuzzTargets.keys.sorted())
  func mutated(target: String) throws {
    let read = try #require(transportStreamFuzzTargets[target])
    var random = SystemRandomNumberGenerator()
    let seeds = try storedInputs(of: target)
    for round in 0..<400 {
      guard var input = seeds.randomElement(using: &random).map(Array.init), !input.isEmpty else { return }
      for _ in 0..<(1 + round % 20) { input[Int.random(in: 0..<input.count)] = .random(in: 0...255) }
      input.withUnsafeBytes(read)
    }
  }
}
