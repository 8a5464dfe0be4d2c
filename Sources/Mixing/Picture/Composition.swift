public import RoomCodecs

/// A rectangle on the canvas in pixels. It may extend beyond the canvas.
public struct PixelFrame: Sendable, Hashable {
  public var x: Int
  public var y: Int
  public var width: Int
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
  var bounded: PixelFrame {
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

/// The placement of one source.
public struct Placement<ID: Hashable & Sendable>: Sendable, Hashable {
  public var source: ID
  public var frame: PixelFrame
  /// Higher values cover lower ones; equal values are drawn in their order.
  public var zIndex: Int
  public var mode: FillMode
  /// The radius of the frame's rounded corners in pixels.
  public var cornerRadius: Int

  public init(source: ID, frame: PixelFrame, zIndex: Int = 0, mode: FillMode = .fill, cornerRadius: Int = 0) {
    self.source = source
    self.frame = frame
    self.zIndex = zIndex
    self.mode = mode
    self.cornerRadius = cornerRadius
  }
}

/// The background behind all sources.
public enum Background: Sendable {
  case colour(YUVColour)
  /// An image that fills the canvas; the excess is cropped.
  case image(VideoFrame)
}

/// A picture composed of several sources.
public struct Composition<ID: Hashable & Sendable>: Sendable {
  /// The width in pixels; even.
  public let width: Int
  /// The height in pixels; even.
  public let height: Int
  public var background: Background
  public var placements: [Placement<ID>]
  public var overlays: [Overlay]

  /// - Throws: ``CodecError/unsupportedSize(width:height:)`` if the size is unsupported.
  public init(
    width: Int, height: Int, background: Background = .colour(.black), placements: [Placement<ID>] = [],
    overlays: [Overlay] = []
  ) throws(CodecError) {
    _ = try VideoFrame(width: width, height: height)
    guard width % 2 == 0, height % 2 == 0 else { throw .unsupportedSize(width: width, height: height) }
    self.width = width
    self.height = height
    self.background = background
    self.placements = placements
    self.overlays = overlays
  }
}
