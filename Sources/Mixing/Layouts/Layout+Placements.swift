public import RoomProtocol

extension Layout {
  /// The frames by seat index, in pixels of a canvas.
  ///
  /// Places and sizes are even, so that no frame's colours run into the next. Frames that meet in parts of the canvas meet in
  /// pixels too, with neither gap nor overlap: the rounding decides about sides, not about sizes, which differ by two at most.
  /// Numbers that no layout should have give frames that show nothing, or less.
  public func pixelFrames(width: Int, height: Int) -> [PixelFrame] {
    frames.map { frame in
      let (left, right) = (side(frame.x, of: width), side(frame.x + frame.width, of: width))
      let (top, bottom) = (side(frame.y, of: height), side(frame.y + frame.height, of: height))
      return PixelFrame(x: left, y: top, width: max(0, right - left), height: max(0, bottom - top))
    }
  }

  /// Who is shown where.
  /// - Parameters:
  ///   - sources: by seat index; nil for an empty seat. More than there are seats are not shown.
  ///   - width: of the canvas, in pixels; the layout's own if nil.
  ///   - height: likewise.
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

  /// The even pixel next to a part of a length.
  private func side(_ part: Double, of length: Int) -> Int {
    guard part > 0, length > 0 else { return 0 }
    let length = min(length, 1 << 24)
    // Sums like 0.1 + 0.2 come out a little above 0.3: what is half-way up to a thousandth counts as below.
    let pairs = (min(part, 1) * Double(length) / 2 + 0.499).rounded(.down)
    return min(Int(pairs) * 2, length & ~1)
  }
}
