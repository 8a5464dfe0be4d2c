/// A blur of a small plane: the mean of the samples within a reach, in which the two outermost count half.
///
/// The weights are powers of two, so that the mean is exact and needs no division.
struct SmallBlur {
  let width: Int
  let height: Int
  let stride: Int
  /// 2, 4 or 8 samples.
  let reach: Int
  /// Memory for a row and 32 samples.
  let row: UnsafeMutablePointer<UInt8>

  func run(_ source: UnsafeMutablePointer<UInt8>, into target: UnsafeMutablePointer<UInt8>) {
    let line = row + 16
    for y in 0..<height {
      blurColumns(source, y, into: line)
      // The edges continue with the outermost sample.
      for offset in 1...16 { (line - offset).pointee = line.pointee }
      let last = line[width - 1]
      for offset in 0..<reach { line[width + offset] = last }
      blurRow(line, into: target + y * stride)
    }
  }

  private func blurColumns(_ source: UnsafeMutablePointer<UInt8>, _ y: Int, into line: UnsafeMutablePointer<UInt8>) {
    let (above, below) = (source + max(0, y - reach) * stride, source + min(height - 1, y + reach) * stride)
    var x = 0
    while x < width {
      var sum = load(above + x) &+ load(below + x)
      for offset in (1 - reach)..<reach {
        sum &+= load(source + min(max(0, y + offset), height - 1) * stride + x) &<< 1
      }
      store(sum, at: line + x)
      x += 16
    }
  }

  private func blurRow(_ line: UnsafeMutablePointer<UInt8>, into target: UnsafeMutablePointer<UInt8>) {
    var x = 0
    while x < width {
      var sum = load(line + x - reach) &+ load(line + x + reach)
      for offset in (1 - reach)..<reach { sum &+= load(line + x + offset) &<< 1 }
      store(sum, at: target + x)
      x += 16
    }
  }

  @inline(__always) private func load(_ place: UnsafeMutablePointer<UInt8>) -> Samples {
    Samples(truncatingIfNeeded: UnsafeRawPointer(place).loadUnaligned(as: SIMD16<UInt8>.self))
  }

  /// Stores the mean: the weights add up to four times the reach.
  @inline(__always) private func store(_ sum: Samples, at place: UnsafeMutablePointer<UInt8>) {
    let shift = UInt16(truncatingIfNeeded: (4 * reach).trailingZeroBitCount)
    let mean = (sum &+ UInt16(truncatingIfNeeded: 2 * reach)) &>> Samples(repeating: shift)
    UnsafeMutableRawPointer(place).storeBytes(of: SIMD16<UInt8>(truncatingIfNeeded: mean), as: SIMD16<UInt8>.self)
  }
}
