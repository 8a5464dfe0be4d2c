public import RoomClient

/// The switches of a session that can change at any time.
public struct StreamingOptions: Sendable, Hashable {
  /// How often a lost connection is opened again; `ReconnectPolicy.never` by default. `.default` tries 3 times, after
  /// waits of 0–2, 2–4 and 4–6 s. The first connection is not tried again: `start` throws its failure.
  public var reconnects: ReconnectPolicy
  /// The lowest video bitrate in bits per second, at least 10,000, to which adaptation may go down on a slow network; nil, the
  /// default, turns adaptation of the bitrate off.
  public var minBitrate: Int?
  /// Whether the frame rate may fall to 10 frames per second on a slow network; off by default.
  public var isFrameRateDynamic: Bool
  /// The interval of ``StreamingStatus`` reports, clamped to 0.1 s…1 h; 3 s by default.
  public var statusInterval: Duration

  /// Creates options. See the properties for units and ranges.
  public init(
    reconnects: ReconnectPolicy = .never, minBitrate: Int? = nil, isFrameRateDynamic: Bool = false,
    statusInterval: Duration = .seconds(3)
  ) {
    self.reconnects = reconnects
    self.minBitrate = minBitrate
    self.isFrameRateDynamic = isFrameRateDynamic
    self.statusInterval = statusInterval
  }

  /// The interval of reports in microseconds.
  var statusMicroseconds: Int64 {
    let (seconds, attoseconds) = min(max(statusInterval, .milliseconds(100)), .seconds(3600)).components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}
