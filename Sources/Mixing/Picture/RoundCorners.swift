import Codecs

/// The corners of a frame that are cut round: what lies under them is kept, and put back over the picture that was drawn there.
struct RoundCorners {
  private let frame: PixelFrame
  private let radius: Int

  init(_ frame: PixelFrame, radius: Int) {
    self.frame = frame
    self.radius = max(0, min(radius, min(frame.width, frame.height) / 2))
  }

  /// The four corners of a canvas as overlays, opaque outside of the circles; nil where there are none.
  func copy(of canvas: VideoFrame) -> [Overlay]? {
    guard radius > 0 else { return nil }
    let bounds = PixelFrame(x: 0, y: 0, width: canvas.width, height: canvas.height)
    var overlays: [Overlay] = []
    for (isRight, isBottom) in [(false, false), (true, false), (false, true), (true, true)] {
      let corner = PixelFrame(
        x: isRight ? frame.x + frame.width - radius : frame.x, y: isBottom ? frame.y + frame.height - radius : frame.y,
        width: radius, height: radius)
      // Even places, so that colours stay with their pixels.
      let even = PixelFrame(
        x: corner.x & ~1, y: corner.y & ~1, width: (corner.x & 1) + corner.width, height: (corner.y & 1) + corner.height)
      guard let area = even.intersection(bounds), var under = try? VideoFrame(width: area.width, height: area.height) else {
        continue
      }
      under.draw(
        canvas, PictureCrop(x: area.x, y: area.y, width: area.width, height: area.height),
        to: PixelFrame(x: 0, y: 0, width: area.width, height: area.height))
      let centre = (
        x: Double(isRight ? corner.x : corner.x + radius), y: Double(isBottom ? corner.y : corner.y + radius)
      )
      var alpha = [UInt8](repeating: 0, count: area.width * area.height)
      for y in 0..<area.height {
        for x in 0..<area.width {
          let (column, row) = (area.x + x, area.y + y)
          guard corner.intersection(PixelFrame(x: column, y: row, width: 1, height: 1)) != nil else { continue }
          let (dx, dy) = (Double(column) + 0.5 - centre.x, Double(row) + 0.5 - centre.y)
          // A pixel's share outside of the circle, from its distance.
          let outside = min(max((dx * dx + dy * dy).squareRoot() - Double(radius) + 0.5, 0), 1)
          alpha[y * area.width + x] = UInt8(outside * 255)
        }
      }
      if let overlay = Overlay(picture: under, alpha: alpha, x: area.x, y: area.y) { overlays.append(overlay) }
    }
    return overlays
  }
}
