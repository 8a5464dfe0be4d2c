public import RoomLiveOrigin

/// HLS of the embedded origin: segmentation and limits.
public struct HLSDelivery: Sendable {
  /// The lengths of segments and parts, and the window that is kept.
  public var cutting = HLSSettings()
  /// How long a stream is segmented after the last request for it; at least two target durations.
  public var idleTime: Duration = .seconds(30)
  /// How long the first request for a stream waits for its first segment.
  public var firstSegmentTime: Duration = .seconds(12)
  /// The playlist length in seconds below which a plain reload by a player that knows every segment waits for the next one.
  /// Chromium gives up if a playlist is shorter than its 10 s of buffer plus a segment and the next reload brings nothing new.
  public var youngLength = 14
  /// Streams that are segmented at a time; each may use `cutting.bytes` of memory.
  public var streams = 100
  /// The maximum number of requests of one stream that wait for content, and of players whose last known segment is tracked.
  public var waiting = 4000
  /// The maximum number of requests of all streams that wait for content. Each occupies a connection of the HTTP server; nil
  /// means half of the connections.
  public var waitingTotal: Int?
  /// The maximum number of smaller variants in a stream's multivariant playlist. Each is made when a player requests it.
  public var variants = 2

  public init() {}
}
