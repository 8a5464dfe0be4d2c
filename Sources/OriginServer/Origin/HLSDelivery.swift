public import LiveOrigin

/// HLS of the embedded origin: how streams are cut, and for how many.
public struct HLSDelivery: Sendable {
  /// Segments, parts and what is kept of them.
  public var cutting = HLSSettings()
  /// How long a stream is cut after the last request for it; two target durations at least.
  public var idleTime: Duration = .seconds(30)
  /// How long the first request for a stream may wait for its first segment.
  public var firstSegmentTime: Duration = .seconds(12)
  /// Seconds of media in the playlist below which a plain reload by a player that knows all of it waits for the next segment. Chromium
  /// gives up on a playlist of less than its 10 s of buffer and another segment, where its next look brings nothing new.
  public var youngLength = 14
  /// Streams that are cut at a time; each may take `cutting.bytes` of memory.
  public var streams = 100
  /// Requests that wait for what is not there yet, of one stream; and players of whom it is known meanwhile what they were told.
  public var waiting = 4000

  public init() {}
}
