/// What a subscriber wants of a track. The limits select a layer of a simulcast.
public struct Reception: Sendable, Hashable, Codable {
  /// The largest layer within the limits is sent; if none is, the smallest. In pixels and frames per second; nil for no limit.
  public var maxWidth: Int?
  /// See `maxWidth`.
  public var maxHeight: Int?
  /// See `maxWidth`. Of VP8 with temporal layers, frames are left out.
  public var maxFps: Int?
  /// Whether nothing is sent.
  public var isPaused: Bool
  /// 0…255. On a path that does not carry everything, tracks of a higher priority get their pictures first. From 128 on a track
  /// is pinned: it gets its best picture before others get more than their smallest.
  public var priority: Int

  /// Creates a reception; by default, everything in the best quality.
  public init(maxWidth: Int? = nil, maxHeight: Int? = nil, maxFps: Int? = nil, isPaused: Bool = false, priority: Int = 0) {
    self.maxWidth = maxWidth
    self.maxHeight = maxHeight
    self.maxFps = maxFps
    self.isPaused = isPaused
    self.priority = priority
  }

  /// The smallest layer of every track.
  public static let smallest = Reception(maxWidth: 1, maxHeight: 1)
}

/// The size of a picture in pixels.
public struct PictureSize: Sendable, Hashable, Codable {
  /// In pixels.
  public var width: Int
  /// In pixels.
  public var height: Int

  /// Creates a size.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}
