import RoomCodecs

/// A lookup table in YUV: luma for each of 256 values, chroma for each fourth.
///
/// Chroma between two entries is dithered in a 2x2 pattern, which costs nothing and avoids steps in smooth areas.
struct YUVLattice: Sendable {
  /// Luma by U / 4, V / 4 and luma.
  private let luma: [UInt8]
  /// The changes of U and V by U / 4, V / 4 and luma / 4.
  private let chroma: [SIMD2<Int16>]

  init(_ table: LookupTable, strength: Float) {
    var luma = [UInt8](repeating: 0, count: 64 * 64 * 256)
    var chroma = [SIMD2<Int16>](repeating: .zero, count: 64 * 64 * 64)
    luma.withUnsafeMutableBufferPointer { luma in
      chroma.withUnsafeMutableBufferPointer { chroma in
        for pair in 0..<4096 {
          let (u, v) = (Float(pair / 64 * 4), Float(pair % 64 * 4))
          // The change at each eighth value of luma; between them it is interpolated.
          var before = Self.change(0, u, v, table)
          for step in 0..<32 {
            let after = Self.change(Float(step * 8 + 8), u, v, table)
            for part in 0..<8 {
              let share = Float(part) / 8
              let value = Float(step * 8 + part)
              let changed = value + (before.y + (after.y - before.y) * share) * strength
              luma[pair * 256 + step * 8 + part] = UInt8(min(max(changed, 0), 255).rounded())
              guard part == 2 || part == 6 else { continue }
              chroma[pair * 64 + step * 2 + part / 4] = SIMD2(
                Int16(((before.u + (after.u - before.u) * share) * strength).rounded()),
                Int16(((before.v + (after.v - before.v) * share) * strength).rounded()))
            }
            before = after
          }
        }
      }
    }
    self.luma = luma
    self.chroma = chroma
  }

  /// Returns the difference that the table makes to a colour (BT.601, limited range).
  private static func change(_ y: Float, _ u: Float, _ v: Float, _ table: LookupTable) -> (y: Float, u: Float, v: Float) {
    let (grey, blueness, redness) = ((y - 16) / 219, (u - 128) / 224, (v - 128) / 224)
    let red = LookupTable.limited(grey + 1.402 * redness)
    let green = LookupTable.limited(grey - 0.344_136 * blueness - 0.714_136 * redness)
    let blue = LookupTable.limited(grey + 1.772 * blueness)
    let result = table.colour(red: red, green: green, blue: blue)
    let (r, g, b) = (result.red - red, result.green - green, result.blue - blue)
    return (
      65.481 * r + 128.553 * g + 24.966 * b, -37.797 * r - 74.203 * g + 112 * b, 112 * r - 93.786 * g - 18.214 * b
    )
  }

  func apply(to planes: MutableI420Planes) {
    luma.withUnsafeBufferPointer { luma in
      chroma.withUnsafeBufferPointer { chroma in
        guard let luma = luma.baseAddress, let chroma = chroma.baseAddress else { return }
        for row in 0..<planes.chromaHeight { Self.apply(row, planes, luma, chroma) }
      }
    }
  }

  /// Changes a row of chroma and its two rows of luma. An odd last row or column is read before it is written, so it may be used
  /// twice.
  @inline(__always) private static func apply(
    _ row: Int, _ planes: MutableI420Planes, _ luma: UnsafePointer<UInt8>, _ chroma: UnsafePointer<SIMD2<Int16>>
  ) {
    let upper = planes.y + 2 * row * planes.yStride
    let lower = 2 * row + 1 < planes.height ? upper + planes.yStride : upper
    let (us, vs) = (planes.u + row * planes.chromaStride, planes.v + row * planes.chromaStride)
    let isOdd = row & 1
    for column in 0..<planes.chromaWidth {
      let odd = column & 1
      let (u, v) = (Int(us[column]), Int(vs[column]))
      // The pattern 0 2 / 3 1 for U, and 1 3 / 2 0 for V.
      let ditherOfU = isOdd == 0 ? odd &* 2 : 3 &- odd &* 2
      let ditherOfV = isOdd == 0 ? 1 &+ odd &* 2 : 2 &- odd &* 2
      let pair = (min(u &+ ditherOfU, 255) &>> 2) &* 64 &+ (min(v &+ ditherOfV, 255) &>> 2)
      let table = luma + pair &* 256
      let x = 2 &* column
      let next = x &+ 1 < planes.width ? x &+ 1 : x
      let (a, b, c, d) = (Int(upper[x]), Int(upper[next]), Int(lower[x]), Int(lower[next]))
      upper[x] = table[a]
      upper[next] = table[b]
      lower[x] = table[c]
      lower[next] = table[d]
      let change = chroma[pair &* 64 &+ (a &+ b &+ c &+ d) &>> 4]
      us[column] = UInt8(truncatingIfNeeded: min(max(u &+ Int(change.x), 0), 255))
      vs[column] = UInt8(truncatingIfNeeded: min(max(v &+ Int(change.y), 0), 255))
    }
  }
}
