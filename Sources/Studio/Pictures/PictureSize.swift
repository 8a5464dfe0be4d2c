public import RoomCodecs

/// The size of a picture, and how a picture of another aspect ratio becomes one of it.
public struct PictureSize: PictureEffect {
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int
  /// Crops the excess, adds black bars, or stretches.
  public let mode: FillMode
  private let pool: FramePool

  /// - Parameters:
  ///   - width: in pixels.
  ///   - height: in pixels.
  ///   - mode: `.fill` crops the excess, `.fit` adds black bars, `.stretch` distorts.
  ///   - pool: the memory of the resized pictures.
  /// - Throws: `CodecError.unsupportedSize`
  public init(width: Int, height: Int, mode: FillMode = .fill, pool: FramePool = .shared) throws(CodecError) {
    // Only checks the size.
    _ = try VideoFrame(width: width, height: height, pool: pool)
    self.width = width
    self.height = height
    self.mode = mode
    self.pool = pool
  }

  /// Resizes a picture. One of this size is not touched.
  public func apply(to frame: inout VideoFrame) {
    guard frame.width != width || frame.height != height else { return }
    let bounds = PixelFrame(x: 0, y: 0, width: width, height: height)
    guard let fitting = PictureFitting(frame, in: bounds, mode: mode, bounds: bounds),
      var resized = try? VideoFrame(width: width, height: height, timestamp: frame.timestamp, pool: pool)
    else { return }
    if fitting.target != bounds { resized.fill(.black) }
    resized.draw(frame, fitting.crop, to: fitting.target)
    frame = resized
  }
}
