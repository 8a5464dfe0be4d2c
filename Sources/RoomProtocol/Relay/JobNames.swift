/// The kind of a relay job.
public struct JobKind: OpenEnumeration {
  /// The value's text.
  public let rawValue: String
  /// Creates a value from any text, without validation.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Sends the tracks of one participant.
  public static let forward = Self(rawValue: "forward")
  /// Sends a mix of several tracks.
  public static let merge = Self(rawValue: "merge")
}

/// How a job records the tracks of a room.
public struct JobTracks: OpenEnumeration {
  /// The value's text.
  public let rawValue: String
  /// Creates a value from any text, without validation.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Each into a file of its own.
  public static let separate = Self(rawValue: "separate")
}

/// The state of a relay job's connection to its destination.
public struct JobState: OpenEnumeration {
  /// The value's text.
  public let rawValue: String
  /// Creates a value from any text, without validation.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Not known yet.
  public static let unknown = Self(rawValue: "unknown")
  /// The first connection is being opened.
  public static let connecting = Self(rawValue: "connecting")
  /// Media is being sent.
  public static let connected = Self(rawValue: "connected")
  /// The connection is being closed.
  public static let disconnecting = Self(rawValue: "disconnecting")
  /// The connection is closed.
  public static let disconnected = Self(rawValue: "disconnected")
  /// The connection was lost, and the server opens another one.
  public static let autoReconnecting = Self(rawValue: "autoReconnecting")
  /// The destination is unreachable or rejects the stream.
  public static let error = Self(rawValue: "error")
}

/// The cause of a failed connection of a relay job.
public struct JobFailureCause: OpenEnumeration {
  /// The value's text.
  public let rawValue: String
  /// Creates a value from any text, without validation.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The destination's name could not be resolved.
  public static let dns = Self(rawValue: "dns")
  /// The server's settings forbid the destination.
  public static let forbidden = Self(rawValue: "forbidden")
  /// Nothing listens at the destination.
  public static let refused = Self(rawValue: "refused")
  /// The TLS handshake failed.
  public static let tls = Self(rawValue: "tls")
  /// The RTMP handshake failed.
  public static let handshake = Self(rawValue: "handshake")
  /// The destination rejected the stream; the message includes its own.
  public static let rejected = Self(rawValue: "rejected")
  /// The destination did not answer in time.
  public static let timeout = Self(rawValue: "timeout")
  /// The connection was lost.
  public static let broken = Self(rawValue: "broken")
  /// The destination stopped reading.
  public static let stalled = Self(rawValue: "stalled")
  /// The recording could not be written.
  public static let file = Self(rawValue: "file")
}
