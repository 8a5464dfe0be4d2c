/// The picture of a room's stream that the origin makes on demand: a variant. Without a size it is the stream as published.
///
/// The server has 17 sizes, from 176x144 to 1920x1080, each also in portrait, at 10, 15, 24 or 30 frames per second.
public struct PlayPicture: Codable, Sendable, Hashable {
  /// The width in pixels; nil for the stream's own.
  public var width: Int?
  /// The height in pixels; nil for the stream's own.
  public var height: Int?
  /// Frames per second: 10, 15, 24 or 30; nil for 15 with a size, and for the stream's own without one.
  public var fps: Int?

  /// Creates a picture. The server refuses one that it does not have with `ErrorCode.cdnParameters`.
  public init(width: Int? = nil, height: Int? = nil, fps: Int? = nil) {
    self.width = width
    self.height = height
    self.fps = fps
  }

  /// The stream as it is published.
  public static let original = PlayPicture()
}
