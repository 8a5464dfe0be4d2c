/// Arithmetic on blocks of samples of equal size. Each function accesses its arrays once: an access per sample to a property of
/// a class would cost more than the arithmetic.
enum SoundBlock {
  static func clear(_ block: inout [Float]) {
    for index in block.indices { block[index] = 0 }
  }

  static func copy(_ other: [Float], to block: inout [Float]) {
    if block.count != other.count { block = [Float](repeating: 0, count: other.count) }
    for index in block.indices { block[index] = other[index] }
  }

  static func add(_ other: [Float], to block: inout [Float]) {
    for index in block.indices { block[index] += other[index] }
  }

  /// Multiplies by a gain that moves from one value to another within the block.
  static func scale(_ block: inout [Float], from start: Float, to end: Float) {
    guard start != end else {
      if end != 1 { for index in block.indices { block[index] *= end } }
      return
    }
    let step = (end - start) / Float(block.count)
    for index in block.indices { block[index] *= start + step * Float(index + 1) }
  }

  /// Crossfades from `old` to the block, within the block.
  static func crossfade(from old: [Float], to block: inout [Float]) {
    let step = 1 / Float(block.count)
    for index in block.indices { block[index] = old[index] + step * Float(index + 1) * (block[index] - old[index]) }
  }
}
