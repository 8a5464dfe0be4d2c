import RoomTestSupport

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
