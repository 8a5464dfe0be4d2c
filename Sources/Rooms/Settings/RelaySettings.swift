public import Relay
public import RoomProtocol

/// How jobs send programs to other servers.
public struct RelaySettings: Sendable {
  /// Broadcasts, their programs and pushes.
  public var broadcasts = LiveBroadcast.Settings()
  /// Threads that broadcasts share; at least 1. Nil for one each core.
  public var threads: Int?
  /// Threads that mixes share; at least 1. Nil for one each core.
  public var mixThreads: Int?
  /// Jobs of one room at once.
  public var jobsPerRoom = 16
  /// Broadcasts of the server at once.
  public var limit = 256
  /// Of rooms that are not created with another.
  public var policy = PushPolicy()
  /// Cores that mixes may take; nil for 85 % of the machine.
  public var mixCores: Double?
  /// A font file for texts in mixes; nil for DejaVu Sans. Letters that it lacks are looked for in that.
  public var font: String?
  /// Where broadcasts may be recorded; nil where none may.
  public var recordings: Recordings.Settings?
  /// Between two `jobStatus` events.
  public var statusInterval: Duration = .seconds(3)

  public init() {}
}
