public import RoomCodecs

/// What a ``PictureStudio`` does to each picture, in this order: ``range``, ``size``, ``beauty``, ``filter``, ``effects``,
/// ``mirror``, ``stickers``, ``texts``, ``watermark``. By default it does nothing.
public struct PictureSettings: Sendable {
  /// The range of the pushed pictures' values.
  public typealias Range = VideoRange

  /// Which pictures are mirrored. Stickers, texts and the watermark never are.
  public struct Mirroring: Sendable, Hashable {
    /// Whether the stream is mirrored.
    public var stream: Bool
    /// Whether the preview is mirrored. Anchors expect to see themselves as in a mirror.
    public var preview: Bool

    /// By default neither is mirrored.
    public init(stream: Bool = false, preview: Bool = false) {
      self.stream = stream
      self.preview = preview
    }
  }

  /// The range of the pushed pictures. The studio converts the full range; `VideoFrame(nv12:range:)` has done so already.
  public var range = Range.limited
  /// The size of stream and preview, and how a picture gets it; nil keeps the size.
  public var size: PictureSize?
  /// Smoother, lighter and redder skin; nil for none.
  public var beauty: Beauty?
  /// The colours of a lookup table; nil for none.
  public var filter: LookupFilter?
  /// The app's effects, in order.
  public var effects: [any PictureEffect] = []
  /// Which pictures are mirrored.
  public var mirror = Mirroring()
  /// Pictures above the camera's, in order. At most ``maximumOverlays`` are drawn.
  public var stickers: [Overlay] = []
  /// Texts above the stickers, drawn by `TextRenderer.overlay`. At most ``maximumOverlays`` are drawn.
  public var texts: [Overlay] = []
  /// The topmost picture; nil for none.
  public var watermark: Overlay?

  /// The maximum number of stickers, and of texts. More are ignored.
  public static let maximumOverlays = 32

  /// Settings that change nothing.
  public init() {}

  /// What is drawn above the picture, in order.
  var overlays: [Overlay] {
    stickers.prefix(Self.maximumOverlays) + texts.prefix(Self.maximumOverlays) + (watermark.map { [$0] } ?? [])
  }
}
