import RoomCodecs
import RoomMixing

/// The colours used by tests.
extension YUVColour {
  static let red = YUVColour(y: 81, u: 90, v: 240)
  static let green = YUVColour(y: 145, u: 54, v: 34)
  static let blue = YUVColour(y: 41, u: 240, v: 110)
  static let grey = YUVColour(y: 100, u: 128, v: 128)
}

extension VideoFrame {
  /// Returns a picture of one colour.
  static func of(_ colour: YUVColour, _ width: Int, _ height: Int) throws -> VideoFrame {
    var frame = try VideoFrame(width: width, height: height)
    frame.fill(colour)
    return frame
  }

  /// Returns the colour of a pixel.
  func colour(_ x: Int, _ y: Int) -> YUVColour {
    withPlanes { planes in
      let chroma = y / 2 * planes.chromaStride + x / 2
      return YUVColour(y: planes.y[y * planes.yStride + x], u: planes.u[chroma], v: planes.v[chroma])
    }
  }

  /// Returns whether a pixel has a colour, within the rounding of scaling and blending.
  func isColour(_ expected: YUVColour, _ x: Int, _ y: Int) -> Bool {
    let seen = colour(x, y)
    return [(seen.y, expected.y), (seen.u, expected.u), (seen.v, expected.v)].allSatisfy { abs(Int($0.0) - Int($0.1)) <= 1 }
  }
}

/// Returns a compositor with a grey background.
func compositor(
  _ placements: [Placement<String>], width: Int = 720, height: Int = 1280, overlays: [Overlay] = []
) throws -> Compositor<String> {
  try Compositor(
    Composition(width: width, height: height, background: .colour(.grey), placements: placements, overlays: overlays))
}
