/// A seeded generator (SplitMix64): the same seed gives the same test.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }
}

/// Passes random bytes to `parse`, and seeds with some bytes changed, removed or added. Each input has its own allocation.
func fuzz(seeds: [[UInt8]], rounds: Int = 4000, seed: UInt64 = 1, _ parse: (UnsafeMutableRawBufferPointer) -> Void) {
  var random = SeededGenerator(seed: seed)
  for round in 0..<rounds {
    var input: [UInt8]
    if seeds.isEmpty || round % 4 == 0 {
      input = random.bytes(Int.random(in: 0...80, using: &random))
    } else {
      input = seeds[round % seeds.count]
      for _ in 0...Int.random(in: 0...3, using: &random) where !input.isEmpty {
        input[Int.random(in: 0..<input.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      switch random.next() % 4 {
      case 0: input.removeLast(Int.random(in: 0...input.count, using: &random))
      case 1: input += random.bytes(Int.random(in: 0...12, using: &random))
      default: break
      }
    }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: input.count, alignment: 1)
    memory.copyBytes(from: input)
    parse(memory)
    memory.deallocate()
  }
}
