public import Codecs

/// A rectangle of the canvas, in pixels; it may stick out.
public struct PixelFrame: Sendable, Hashable {
  public var x: Int
  public var y: Int
  public var width: Int
  public var height: Int

  /// A width or height below 1 is nothing to see.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// What both share; nil where that is nothing. Frames may be as huge as they like.
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

  /// The same with sides that one can calculate with: far beyond every canvas they are cut.
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

/// How a picture fills a frame of other proportions.
public enum FillMode: String, Sendable, Hashable, Codable, CaseIterable {
  /// Fills it; what sticks out is cut off.
  case fill
  /// Is seen as a whole, between bars of the background.
  case fit
  /// Fills it, out of proportion.
  case stretch
}

/// Where one source is shown.
public struct Placement<ID: Hashable & Sendable>: Sendable, Hashable {
  public var source: ID
  public var frame: PixelFrame
  /// Higher ones cover lower ones; equal ones in their order.
  public var zIndex: Int
  public var mode: FillMode
  /// Pixels; the frame's corners are cut round by it.
  public var cornerRadius: Int

  public init(source: ID, frame: PixelFrame, zIndex: Int = 0, mode: FillMode = .fill, cornerRadius: Int = 0) {
    self.source = source
    self.frame = frame
    self.zIndex = zIndex
    self.mode = mode
    self.cornerRadius = cornerRadius
  }
}

/// What is behind all sources.
public enum Background: Sendable {
  case colour(YUVColour)
  /// Fills the canvas; what sticks out is cut off.
  case image(VideoFrame)
}

/// A picture made of many.
public struct Composition<ID: Hashable & Sendable>: Sendable {
  /// Pixels, even.
  public let width: Int
  /// Pixels, even.
  public let height: Int
  public var background: Background
  public var placements: [Placement<ID>]
  public var overlays: [Overlay]

  /// - Throws: ``CodecError/unsupportedSize(width:height:)`` where no picture has that size.
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
