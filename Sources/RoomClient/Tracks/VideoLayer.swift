/// A layer of a simulcast: the picture of a track in one size.
public struct VideoLayer: Sendable, Hashable {
  /// The layer's name: 1 to 16 letters and digits (RFC 8851).
  public var rid: String
  /// The width in pixels.
  public var width: Int
  /// The height in pixels.
  public var height: Int
  /// Frames per second.
  public var fps: Int
  /// The most bits per second.
  public var bitrate: Int

  /// Creates a layer.
  public init(rid: String, width: Int, height: Int, fps: Int, bitrate: Int) {
    self.rid = rid
    self.width = width
    self.height = height
    self.fps = fps
    self.bitrate = bitrate
  }
}
