// The first messages of a connection, and those that keep it.

extension LiveKit {
  /// Why a client connects again.
  package struct ReconnectReason: Enumeration {
    package static let unknown = Self(rawValue: 0)
    package static let signalDisconnected = Self(rawValue: 1)
    package static let publisherFailed = Self(rawValue: 2)
    package static let subscriberFailed = Self(rawValue: 3)
    package static let switchCandidate = Self(rawValue: 4)

    package static let schemaName = "ReconnectReason"
    package static let names: [Int32: String] = [
      0: "RR_UNKNOWN", 1: "RR_SIGNAL_DISCONNECTED", 2: "RR_PUBLISHER_FAILED", 3: "RR_SUBSCRIBER_FAILED",
      4: "RR_SWITCH_CANDIDATE",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// The kind of a server.
  package struct ServerEdition: Enumeration {
    package static let standard = Self(rawValue: 0)
    package static let cloud = Self(rawValue: 1)

    package static let schemaName = "ServerInfo.Edition"
    package static let names: [Int32: String] = [0: "Standard", 1: "Cloud"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// Whether a client should do something.
  package struct ClientConfigSetting: Enumeration {
    package static let unset = Self(rawValue: 0)
    package static let disabled = Self(rawValue: 1)
    package static let enabled = Self(rawValue: 2)

    package static let schemaName = "ClientConfigSetting"
    package static let names: [Int32: String] = [0: "UNSET", 1: "DISABLED", 2: "ENABLED"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// Why a participant has left.
  package struct DisconnectReason: Enumeration {
    package static let unknownReason = Self(rawValue: 0)
    package static let clientInitiated = Self(rawValue: 1)
    package static let duplicateIdentity = Self(rawValue: 2)
    package static let serverShutdown = Self(rawValue: 3)
    package static let participantRemoved = Self(rawValue: 4)
    package static let roomDeleted = Self(rawValue: 5)
    package static let stateMismatch = Self(rawValue: 6)
    package static let joinFailure = Self(rawValue: 7)
    package static let migration = Self(rawValue: 8)
    package static let signalClose = Self(rawValue: 9)
    package static let roomClosed = Self(rawValue: 10)
    package static let userUnavailable = Self(rawValue: 11)
    package static let userRejected = Self(rawValue: 12)
    package static let sipTrunkFailure = Self(rawValue: 13)
    package static let connectionTimeout = Self(rawValue: 14)
    package static let mediaFailure = Self(rawValue: 15)
    package static let agentError = Self(rawValue: 16)

    package static let schemaName = "DisconnectReason"
    package static let names: [Int32: String] = [
      0: "UNKNOWN_REASON", 1: "CLIENT_INITIATED", 2: "DUPLICATE_IDENTITY", 3: "SERVER_SHUTDOWN", 4: "PARTICIPANT_REMOVED",
      5: "ROOM_DELETED", 6: "STATE_MISMATCH", 7: "JOIN_FAILURE", 8: "MIGRATION", 9: "SIGNAL_CLOSE", 10: "ROOM_CLOSED",
      11: "USER_UNAVAILABLE", 12: "USER_REJECTED", 13: "SIP_TRUNK_FAILURE", 14: "CONNECTION_TIMEOUT", 15: "MEDIA_FAILURE",
      16: "AGENT_ERROR",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// What a client does at the end of a connection.
  package struct LeaveAction: Enumeration {
    package static let disconnect = Self(rawValue: 0)
    package static let resume = Self(rawValue: 1)
    package static let reconnect = Self(rawValue: 2)

    package static let schemaName = "LeaveRequest.Action"
    package static let names: [Int32: String] = [0: "DISCONNECT", 1: "RESUME", 2: "RECONNECT"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// The first message to a client that joins.
  package struct JoinResponse: Message {
    package var room: Room?
    package var participant: ParticipantInfo?
    package var otherParticipants: [ParticipantInfo] = []
    package var serverVersion: String = ""
    package var iceServers: [ICEServer] = []
    /// Whether the client is connected once the subscribing connection is.
    package var subscriberPrimary: Bool = false
    package var alternativeURL: String = ""
    package var clientConfiguration: ClientConfiguration?
    package var serverRegion: String = ""
    /// Seconds without a message after which the client takes the connection as lost.
    package var pingTimeout: Int32 = 0
    /// Seconds between two pings of the client.
    package var pingInterval: Int32 = 0
    package var serverInfo: ServerInfo?
    package var sifTrailer: [UInt8] = []
    package var enabledPublishCodecs: [Codec] = []
    /// Whether the client offers its publishing connection at once.
    package var fastPublish: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("JoinResponse") {
      Field(1, "room", \.room)
      Field(2, "participant", \.participant)
      Field(3, "other_participants", list: \.otherParticipants)
      Field(4, "server_version", \.serverVersion)
      Field(5, "ice_servers", list: \.iceServers)
      Field(6, "subscriber_primary", \.subscriberPrimary)
      Field(7, "alternative_url", \.alternativeURL)
      Field(8, "client_configuration", \.clientConfiguration)
      Field(9, "server_region", \.serverRegion)
      Field(10, "ping_timeout", \.pingTimeout)
      Field(11, "ping_interval", \.pingInterval)
      Field(12, "server_info", \.serverInfo)
      Field(13, "sif_trailer", \.sifTrailer)
      Field(14, "enabled_publish_codecs", list: \.enabledPublishCodecs)
      Field(15, "fast_publish", \.fastPublish)
    }
  }

  /// The first message to a client that resumes its session.
  package struct ReconnectResponse: Message {
    package var iceServers: [ICEServer] = []
    package var clientConfiguration: ClientConfiguration?
    package var serverInfo: ServerInfo?
    package var lastMessageSeq: UInt32 = 0

    package init() {}

    package static let fields = FieldTable<Self>("ReconnectResponse") {
      Field(1, "ice_servers", list: \.iceServers)
      Field(2, "client_configuration", \.clientConfiguration)
      Field(3, "server_info", \.serverInfo)
      Field(4, "last_message_seq", \.lastMessageSeq)
    }
  }

  /// A STUN or TURN server.
  package struct ICEServer: Message {
    package var urls: [String] = []
    package var username: String = ""
    package var credential: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("ICEServer") {
      Field(1, "urls", list: \.urls)
      Field(2, "username", \.username)
      Field(3, "credential", \.credential)
    }
  }

  /// What a client should do differently.
  package struct ClientConfiguration: Message {
    package var resumeConnection: ClientConfigSetting = .init()
    package var forceRelay: ClientConfigSetting = .init()

    package init() {}

    package static let fields = FieldTable<Self>("ClientConfiguration") {
      Field(3, "resume_connection", \.resumeConnection)
      Field(5, "force_relay", \.forceRelay)
    }
  }

  /// The server, as clients see it. Clients refuse one without a version.
  package struct ServerInfo: Message {
    package var edition: ServerEdition = .init()
    package var version: String = ""
    package var protocolNumber: Int32 = 0
    package var region: String = ""
    package var nodeID: String = ""
    package var debugInfo: String = ""
    package var agentProtocol: Int32 = 0

    package init() {}

    package static let fields = FieldTable<Self>("ServerInfo") {
      Field(1, "edition", \.edition)
      Field(2, "version", \.version)
      Field(3, "protocol", \.protocolNumber)
      Field(4, "region", \.region)
      Field(5, "node_id", \.nodeID)
      Field(6, "debug_info", \.debugInfo)
      Field(7, "agent_protocol", \.agentProtocol)
    }
  }

  /// A question for the time, and a sign of life.
  package struct Ping: Message {
    /// The client's time in milliseconds.
    package var timestamp: Int64 = 0
    /// Milliseconds.
    package var rtt: Int64 = 0

    package init() {}

    package static let fields = FieldTable<Self>("Ping") {
      Field(1, "timestamp", \.timestamp)
      Field(2, "rtt", \.rtt)
    }
  }

  /// The answer to a ping.
  package struct Pong: Message {
    package var lastPingTimestamp: Int64 = 0
    /// The server's time in milliseconds.
    package var timestamp: Int64 = 0

    package init() {}

    package static let fields = FieldTable<Self>("Pong") {
      Field(1, "last_ping_timestamp", \.lastPingTimestamp)
      Field(2, "timestamp", \.timestamp)
    }
  }

  /// The end of a connection, from either side.
  package struct LeaveRequest: Message {
    package var canReconnect: Bool = false
    package var reason: DisconnectReason = .init()
    package var action: LeaveAction = .init()

    package init() {}

    package static let fields = FieldTable<Self>("LeaveRequest") {
      Field(1, "can_reconnect", \.canReconnect)
      Field(2, "reason", \.reason)
      Field(3, "action", \.action)
    }
  }

  /// A move to another room, without a new connection.
  package struct RoomMovedResponse: Message {
    package var room: Room?
    package var token: String = ""
    package var participant: ParticipantInfo?
    package var otherParticipants: [ParticipantInfo] = []

    package init() {}

    package static let fields = FieldTable<Self>("RoomMovedResponse") {
      Field(1, "room", \.room)
      Field(2, "token", \.token)
      Field(3, "participant", \.participant)
      Field(4, "other_participants", list: \.otherParticipants)
    }
  }
}
