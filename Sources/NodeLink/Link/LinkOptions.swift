/// The sizes and times of a link.
public struct LinkOptions: Sendable {
  /// Datagrams that the sender keeps and the receiver tracks; a power of two, 256 … 65,536. Other values act as the next such one.
  public var ring = 8192
  /// Microseconds for which a missing datagram is requested.
  public var patience: Int64 = 1_000_000

  public init() {}

  var capacity: Int {
    var size = 256
    while size < min(ring, 65_536) { size *= 2 }
    return size
  }

  /// Microseconds between reports.
  static let reportInterval: Int64 = 100_000
  /// Microseconds after the last datagram until the sender repeats its number, while the receiver has not confirmed it.
  static let heartbeatInterval: Int64 = 20_000
  /// Microseconds for which it does so.
  static let heartbeatTime: Int64 = 2_000_000
  /// The minimum number of microseconds between two control datagrams, unless one was full.
  static let controlSpacing: Int64 = 1_000
  /// Microseconds without an authentic datagram until the link is silent, and until it is dead.
  static let silentAfter: Int64 = 1_000_000
  static let deadAfter: Int64 = 5_000_000
  /// The round trip in microseconds before the first measurement.
  static let assumedRoundTrip: Int64 = 50_000
  /// The maximum number of streams in each direction.
  public static let maximumStreams = 4096
  /// The maximum number of events that wait for the owner.
  static let maximumEvents = 16_384
}
