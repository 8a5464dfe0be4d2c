public import RoomRelay
public import RoomProtocol

/// Settings of the programs that jobs send.
public struct RelaySettings: Sendable {
  /// Settings of broadcasts, their programs and pushes.
  public var broadcasts = LiveBroadcast.Settings()
  /// Number of threads that broadcasts share; at least 1. Nil for one per core.
  public var threads: Int?
  /// Number of threads that mixes share; at least 1. Nil for one per core.
  public var mixThreads: Int?
  /// Maximum number of jobs in one room.
  public var jobsPerRoom = 16
  /// Maximum number of broadcasts on the server.
  public var limit = 256
  /// Default policy of rooms that are created without one.
  public var policy = PushPolicy()
  /// CPU cores that mixes may use; nil for 85 % of the machine.
  public var mixCores: Double?
  /// A font file for texts in mixes; nil for DejaVu Sans, which is also the fallback for missing glyphs.
  public var font: String?
  /// Settings of recordings; nil disables recording.
  public var recordings: Recordings.Settings?
  /// Interval of `jobStatus` events.
  public var statusInterval: Duration = .seconds(3)

  public init() {}
}
