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

  /// Returns the placements of the sources.
  /// - Parameters:
  ///   - sources: The sources by seat index; nil for an empty seat. Sources beyond the number of seats are not shown.
  ///   - width: The width of the canvas in pixels; nil for the layout's own.
  ///   - height: The height of the canvas in pixels; nil for the layout's own.
  public func placements<ID: Hashable & Sendable>(
    of sources: [ID?], width: Int? = nil, height: Int? = nil, mode: FillMode = .fill
  ) -> [Placement<ID>] {
    let places = pixelFrames(width: width ?? canvas.width, height: height ?? canvas.height)
    return zip(zip(frames, places), sources).compactMap { seat, source in
      guard let source else { return nil }
      let (frame, place) = seat
      let part = frame.cornerRadius > 0 ? min(frame.cornerRadius, 0.5) : 0
      return Placement(
        source: source, frame: place, zIndex: frame.zIndex, mode: mode,
        cornerRadius: Int((part * Double(min(place.width, place.height))).rounded()))
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
