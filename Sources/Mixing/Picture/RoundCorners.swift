import RoomCodecs

/// The rounded corners of a frame. What is below them is saved and restored after the picture is drawn.
struct RoundCorners {
  /// The area of a corner on the canvas, at an even position, and how much of each pixel lies outside of the circle.
  private struct Corner {
    let area: PixelFrame
    let alpha: [UInt8]
    let chromaAlpha: [UInt8]
  }
  private let corners: [Corner]

  /// Returns nil if no corner needs rounding.
  init?(_ frame: PixelFrame, radius: Int, on bounds: PixelFrame) {
    let radius = max(0, min(radius, min(frame.width, frame.height) / 2))
    guard radius > 0 else { return nil }
    corners = [(false, false), (true, false), (false, true), (true, true)].compactMap { isRight, isBottom in
      let corner = PixelFrame(
        x: isRight ? frame.x + frame.width - radius : frame.x, y: isBottom ? frame.y + frame.height - radius : frame.y,
        width: radius, height: radius)
      // Even positions, so that chroma stays aligned with its pixels.
      let even = PixelFrame(
        x: corner.x & ~1, y: corner.y & ~1, width: (corner.x & 1) + corner.width, height: (corner.y & 1) + corner.height)
      guard let area = even.intersection(bounds) else { return nil }
      let centre = (x: Double(isRight ? corner.x : corner.x + radius), y: Double(isBottom ? corner.y : corner.y + radius))
      var alpha = [UInt8](repeating: 0, count: area.width * area.height)
      for row in max(area.y, corner.y)..<area.y + area.height {
        for column in max(area.x, corner.x)..<area.x + area.width {
          let (dx, dy) = (Double(column) + 0.5 - centre.x, Double(row) + 0.5 - centre.y)
          // The share of a pixel outside of the circle, from its distance.
          let outside = min(max((dx * dx + dy * dy).squareRoot() - Double(radius) + 0.5, 0), 1)
          alpha[(row - area.y) * area.width + column - area.x] = UInt8(outside * 255)
        }
      }
      let chromaAlpha = Overlay.chromaAlpha(of: alpha, width: area.width, height: area.height, x: area.x, y: area.y)
      return Corner(area: area, alpha: alpha, chromaAlpha: chromaAlpha)
    }
  }

  /// Returns the canvas content in the corners, as overlays that are opaque outside of the circles.
  func copy(of canvas: VideoFrame) -> [Overlay] {
    corners.compactMap { corner in
      let area = corner.area
      guard var under = try? VideoFrame(width: area.width, height: area.height) else { return nil }
      under.draw(
        canvas, PictureCrop(x: area.x, y: area.y, width: area.width, height: area.height),
        to: PixelFrame(x: 0, y: 0, width: area.width, height: area.height))
      return Overlay(picture: under, alpha: corner.alpha, chromaAlpha: corner.chromaAlpha, x: area.x, y: area.y)
    }
  }
}
