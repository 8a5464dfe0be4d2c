/// How a stream is cut for HLS, and how much of it is kept. Times in milliseconds.
public struct HLSSettings: Sendable, Hashable {
  /// The shortest segment: it ends with the first key frame from here on.
  public var segmentLength: Int64
  /// The longest part of low-latency HLS; nil for none.
  public var partLength: Int64?
  /// Whole segments in the playlist.
  public var window: Int
  /// A segment that finds no key frame is cut here all the same.
  public var longestSegment: Int64
  /// Bytes of all segments that are kept. Less is kept of what takes more.
  public var bytes: Int
  /// Without media for so long there is a hole: what follows is marked as discontinuous.
  public var longestGap: Int64
  /// A track of which nothing came for so long is left out, for players wait for what is announced; so long sound waits for
  /// the first picture, too.
  public var trackPatience: Int64

  /// The defaults are segments of 2 s, eight of them, which is what Chromium wants to have, in parts of half a second.
  public init(
    segmentLength: Int64 = 2000, partLength: Int64? = 500, window: Int = 8, longestSegment: Int64 = 10_000,
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

  /// Why a stream can't be cut so; nil where it can.
  public var complaint: String? {
    if !(500...20_000).contains(segmentLength) { return "segments last 500 to 20000 ms" }
    if let partLength, !(100...segmentLength).contains(partLength) { return "parts last 100 ms to a segment's length" }
    if !(3...100).contains(window) { return "a playlist has 3 to 100 segments" }
    if !(segmentLength...60_000).contains(longestSegment) { return "the longest segment lasts a segment's length to 60000 ms" }
    if bytes < 1 << 20 { return "1 MiB at least has to be kept" }
    return nil
  }
}
