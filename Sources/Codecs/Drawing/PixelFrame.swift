/// A rectangle on the canvas in pixels. The rectangle may extend beyond the canvas.
public struct PixelFrame: Sendable, Hashable {
  /// The left edge.
  public var x: Int
  /// The top edge.
  public var y: Int
  /// The width.
  public var width: Int
  /// The height.
  public var height: Int

  /// Creates a frame. A width or height below 1 is invisible.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Returns the intersection with another frame; nil if it is empty. Frames of any size are allowed.
  public func intersection(_ other: PixelFrame) -> PixelFrame? {
    let left = max(x, other.x)
    let top = max(y, other.y)
    let right = min(Self.sum(x, width), Self.sum(other.x, other.width))
    let bottom = min(Self.sum(y, height), Self.sum(other.y, other.height))
    guard right > left, bottom > top else { return nil }
    return PixelFrame(
      x: left, y: top, width: right.subtractingReportingOverflow(left).overflow ? .max : right - left,
      height: bottom.subtractingReportingOverflow(top).overflow ? .max : bottom - top)
  }

  /// The frame clamped to a range far beyond every canvas, which is safe for calculations.
  package var bounded: PixelFrame {
    func cut(_ value: Int) -> Int { min(max(value, -(1 << 30)), 1 << 30) }
    let (left, top) = (cut(x), cut(y))
    return PixelFrame(x: left, y: top, width: cut(Self.sum(x, width)) - left, height: cut(Self.sum(y, height)) - top)
  }

  private static func sum(_ a: Int, _ b: Int) -> Int {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? (b > 0 ? .max : .min) : sum
  }
}

/// How a picture fits into a frame with another aspect ratio.
public enum FillMode: String, Sendable, Hashable, Codable, CaseIterable {
  /// Fills the frame and crops the excess.
  case fill
  /// Shows the whole picture between bars of the background.
  case fit
  /// Fills the frame and distorts the aspect ratio.
  case stretch
}
