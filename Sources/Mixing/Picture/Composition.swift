public import RoomCodecs

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

extension Background {
  /// A picture of any size. Transparent areas show a colour.
  public static func picture(_ picture: Picture, over colour: YUVColour = .black) -> Background {
    guard let alpha = picture.alpha, var frame = try? VideoFrame(width: picture.width, height: picture.height),
      let overlay = Overlay(picture: picture.frame, alpha: alpha, x: 0, y: 0)
    else { return .image(picture.frame) }
    frame.fill(colour)
    frame.blend(overlay, clip: overlay.frame)
    return .image(frame)
  }
}
