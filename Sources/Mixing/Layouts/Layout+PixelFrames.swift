public import RoomCodecs
public import RoomProtocol

extension Layout {
  /// Returns the frames by seat index, in pixels of a canvas.
  ///
  /// Positions and sizes are even, so that chroma does not bleed between frames. Frames that share an edge in the layout share
  /// it in pixels too, with neither gap nor overlap. Edges are rounded, not sizes, which therefore differ by at most two
  /// pixels. An invalid layout gives frames that show little or nothing.
  public func pixelFrames(width: Int, height: Int) -> [PixelFrame] {
    frames.map { frame in
      let (left, right) = (side(frame.x, of: width), side(frame.x + frame.width, of: width))
      let (top, bottom) = (side(frame.y, of: height), side(frame.y + frame.height, of: height))
      return PixelFrame(x: left, y: top, width: max(0, right - left), height: max(0, bottom - top))
    }
  }

  /// Returns the nearest even pixel for a fraction of a length.
  private func side(_ part: Double, of length: Int) -> Int {
    guard part > 0, length > 0 else { return 0 }
    let length = min(length, 1 << 24)
    // Sums like 0.1 + 0.2 are slightly above 0.3, so a value is rounded down up to a thousandth above the midpoint.
    let pairs = (min(part, 1) * Double(length) / 2 + 0.499).rounded(.down)
    return min(Int(pairs) * 2, length & ~1)
  }
}
