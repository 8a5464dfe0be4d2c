extension LiveKit {
  /// Why a room has ended.
  package struct RoomEndReason: Enumeration {
    package static let unknown = Self(rawValue: 0)
    package static let apiDelete = Self(rawValue: 1)
    package static let idleTimeout = Self(rawValue: 2)
    package static let serverShutdown = Self(rawValue: 3)
    package static let superseded = Self(rawValue: 4)
    package static let openFailed = Self(rawValue: 5)

    package static let schemaName = "RoomEndReason"
    package static let names: [Int32: String] = [
      0: "ROOM_END_UNKNOWN", 1: "ROOM_END_API_DELETE", 2: "ROOM_END_IDLE_TIMEOUT", 3: "ROOM_END_SERVER_SHUTDOWN",
      4: "ROOM_END_SUPERSEDED", 5: "ROOM_END_OPEN_FAILED",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// A room as clients and app servers see it.
  package struct Room: Message {
    /// Begins with `RM_`.
    package var sid: String = ""
    package var name: String = ""
    /// Seconds that a room stays open before anybody joins.
    package var emptyTimeout: UInt32 = 0
    package var maxParticipants: UInt32 = 0
    /// Seconds since 1970.
    package var creationTime: Int64 = 0
    package var enabledCodecs: [Codec] = []
    package var metadata: String = ""
    package var numParticipants: UInt32 = 0
    package var activeRecording: Bool = false
    package var numPublishers: UInt32 = 0
    package var version: TimedVersion?
    /// Seconds that a room stays open after the last participant has left.
    package var departureTimeout: UInt32 = 0
    /// Milliseconds since 1970.
    package var creationTimeMilliseconds: Int64 = 0

    package init() {}

    package static let fields = FieldTable<Self>("Room") {
      Field(1, "sid", \.sid)
      Field(2, "name", \.name)
      Field(3, "empty_timeout", \.emptyTimeout)
      Field(4, "max_participants", \.maxParticipants)
      Field(5, "creation_time", \.creationTime)
      Field(7, "enabled_codecs", list: \.enabledCodecs)
      Field(8, "metadata", \.metadata)
      Field(9, "num_participants", \.numParticipants)
      Field(10, "active_recording", \.activeRecording)
      Field(11, "num_publishers", \.numPublishers)
      Field(13, "version", \.version)
      Field(14, "departure_timeout", \.departureTimeout)
      Field(15, "creation_time_ms", \.creationTimeMilliseconds)
    }
  }

  /// A codec that a room permits.
  package struct Codec: Message {
    package var mime: String = ""
    package var fmtpLine: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("Codec") {
      Field(1, "mime", \.mime)
      Field(2, "fmtp_line", \.fmtpLine)
    }
  }

  /// A version that orders changes of several servers.
  package struct TimedVersion: Message {
    /// Microseconds since 1970.
    package var unixMicro: Int64 = 0
    package var ticks: Int32 = 0

    package init() {}

    package static let fields = FieldTable<Self>("TimedVersion") {
      Field(1, "unix_micro", \.unixMicro)
      Field(2, "ticks", \.ticks)
    }
  }
}
