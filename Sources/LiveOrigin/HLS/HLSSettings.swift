/// How a stream is cut for HLS, and how much of it is kept. Times are in ms.
public struct HLSSettings: Sendable, Hashable {
  /// The minimum segment duration. A segment ends at the first key frame after it.
  public var segmentLength: Int64
  /// The maximum part duration for low-latency HLS; nil for no parts.
  public var partLength: Int64?
  /// The number of complete segments in the playlist.
  public var window: Int
  /// The duration at which a segment without a key frame is cut anyway.
  public var longestSegment: Int64
  /// The maximum size of all kept segments in bytes. Fewer segments are kept if they exceed it.
  public var bytes: Int
  /// The time without media that counts as a gap. What follows is marked as a discontinuity.
  public var longestGap: Int64
  /// The time after which a track without media is removed, because players wait for announced tracks. The time is also how
  /// long audio waits for the first picture.
  public var trackPatience: Int64

  /// Creates settings. The defaults are eight segments of 2 s, which Chromium needs, in parts of 0.35 s, which pictures at 10,
  /// 12, 15, 20, 24, 25, 30, 50 and 60 fps fill to 85 % or more (RFC 8216bis §4.4.4.9).
  public init(
    segmentLength: Int64 = 2000, partLength: Int64? = 350, window: Int = 8, longestSegment: Int64 = 10_000,
    bytes: Int = 96 << 20, longestGap: Int64 = 1000, trackPatience: Int64 = 3000
  ) {
    self.segmentLength = segmentLength
    self.partLength = partLength
    self.window = window
    self.longestSegment = longestSegment
    self.bytes = bytes
    self.longestGap = longestGap
    self.trackPatience = trackPatience
  }

  /// The validation error; nil if the settings are valid.
  public var validationError: String? {
    if !(500...20_000).contains(segmentLength) { return "the segment length must be 500 to 20000 ms" }
    if let partLength, !(100...segmentLength).contains(partLength) {
      return "the part length must be 100 ms to the segment length"
    }
    if !(3...100).contains(window) { return "the playlist must have 3 to 100 segments" }
    if !(segmentLength...60_000).contains(longestSegment) {
      return "the maximum segment length must be the segment length to 60000 ms"
    }
    if bytes < 1 << 20 { return "at least 1 MiB must be kept" }
    return nil
  }
}
