/// What a subscriber wants of a track. The limits select a layer of a simulcast.
public struct Reception: Sendable, Hashable {
  /// The largest layer within the limits is sent; if none is, the smallest. In pixels and frames per second; nil for no limit.
  public var maxWidth: Int?
  /// See `maxWidth`.
  public var maxHeight: Int?
  /// See `maxWidth`.
  public var maxFps: Int?
  /// Whether nothing is sent.
  public var isPaused: Bool

  /// Creates a reception; by default, everything in the best quality.
  public init(maxWidth: Int? = nil, maxHeight: Int? = nil, maxFps: Int? = nil, isPaused: Bool = false) {
    self.maxWidth = maxWidth
    self.maxHeight = maxHeight
    self.maxFps = maxFps
    self.isPaused = isPaused
  }

  /// The smallest layer of every track.
  public static let smallest = Reception(maxWidth: 1, maxHeight: 1)
}
