import RoomCodecs
import RoomTestSupport

/// The colours used by tests.
extension YUVColour {
  static let red = YUVColour(y: 81, u: 90, v: 240)
  static let green = YUVColour(y: 145, u: 54, v: 34)
  static let blue = YUVColour(y: 41, u: 240, v: 110)
  static let grey = YUVColour(y: 100, u: 128, v: 128)
  /// Light skin.
  static let skin = YUVColour(y: 150, u: 105, v: 152)
  /// Dark skin.
  static let darkSkin = YUVColour(y: 70, u: 112, v: 146)
}

extension VideoFrame {
  /// Returns a picture of one colour.
  static func of(_ colour: YUVColour, _ width: Int, _ height: Int) throws -> VideoFrame {
    var frame = try VideoFrame(width: width, height: height)
    frame.fill(colour)
    return frame
  }

  /// Returns a picture whose left half has one colour and whose right half another.
  static func halves(_ left: YUVColour, _ right: YUVColour, _ width: Int, _ height: Int) throws -> VideoFrame {
    var frame = try VideoFrame.of(left, width, height)
    frame.withMutablePlanes { $0.fill(x: width / 2 & ~1, y: 0, width: width, height: height, right) }
    return frame
  }

  /// Adds noise to luma, the same in every run.
  func withNoise(_ levels: ClosedRange<Int>, seed: UInt64 = 1) -> VideoFrame {
    var (frame, random) = (self, SeededGenerator(seed: seed))
    frame.withMutablePlanes { planes in
      for row in 0..<planes.height {
        for column in 0..<planes.width {
          let place = row * planes.yStride + column
          planes.y[place] = UInt8(clamping: Int(planes.y[place]) + .random(in: levels, using: &random))
        }
      }
    }
    return frame
  }

  /// Returns the colour of a pixel.
  func colour(_ x: Int, _ y: Int) -> YUVColour {
    withPlanes { planes in
      let chroma = y / 2 * planes.chromaStride + x / 2
      return YUVColour(y: planes.y[y * planes.yStride + x], u: planes.u[chroma], v: planes.v[chroma])
    }
  }

  /// Returns whether a pixel has a colour within some levels.
  func isColour(_ expected: YUVColour, _ x: Int, _ y: Int, within levels: Int = 2) -> Bool {
    let seen = colour(x, y)
    return [(seen.y, expected.y), (seen.u, expected.u), (seen.v, expected.v)].allSatisfy {
      abs(Int($0.0) - Int($0.1)) <= levels
    }
  }

  /// Returns the mean difference of luma between horizontal neighbours in a part of the picture: how rough it looks.
  func roughness(_ columns: Range<Int>, _ rows: Range<Int>) -> Double {
    withPlanes { planes in
      var sum = 0
      for row in rows {
        let line = planes.y + row * planes.yStride
        for column in columns.dropLast() { sum += abs(Int(line[column]) - Int(line[column + 1])) }
      }
      return Double(sum) / Double(rows.count * (columns.count - 1))
    }
  }
}
