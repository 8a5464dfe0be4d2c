extension LiveKit {
  /// How far a participant has joined.
  package struct ParticipantState: Enumeration {
    package static let joining = Self(rawValue: 0)
    package static let joined = Self(rawValue: 1)
    package static let active = Self(rawValue: 2)
    package static let disconnected = Self(rawValue: 3)

    package static let schemaName = "ParticipantInfo.State"
    package static let names: [Int32: String] = [0: "JOINING", 1: "JOINED", 2: "ACTIVE", 3: "DISCONNECTED"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// What a participant is.
  package struct ParticipantKind: Enumeration {
    package static let standard = Self(rawValue: 0)
    package static let ingress = Self(rawValue: 1)
    package static let egress = Self(rawValue: 2)
    package static let sip = Self(rawValue: 3)
    package static let agent = Self(rawValue: 4)
    package static let connector = Self(rawValue: 7)
    package static let bridge = Self(rawValue: 8)

    package static let schemaName = "ParticipantInfo.Kind"
    package static let names: [Int32: String] = [
      0: "STANDARD", 1: "INGRESS", 2: "EGRESS", 3: "SIP", 4: "AGENT", 7: "CONNECTOR", 8: "BRIDGE",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// More about what a participant is.
  package struct ParticipantKindDetail: Enumeration {
    package static let cloudAgent = Self(rawValue: 0)
    package static let forwarded = Self(rawValue: 1)
    package static let connectorWhatsapp = Self(rawValue: 2)
    package static let connectorTwilio = Self(rawValue: 3)
    package static let bridgeRtsp = Self(rawValue: 4)
    package static let simulation = Self(rawValue: 5)

    package static let schemaName = "ParticipantInfo.KindDetail"
    package static let names: [Int32: String] = [
      0: "CLOUD_AGENT", 1: "FORWARDED", 2: "CONNECTOR_WHATSAPP", 3: "CONNECTOR_TWILIO", 4: "BRIDGE_RTSP", 5: "SIMULATION",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// A participant and its tracks.
  package struct ParticipantInfo: Message {
    /// Begins with `PA_`.
    package var sid: String = ""
    package var identity: String = ""
    package var state: ParticipantState = .init()
    package var tracks: [TrackInfo] = []
    package var metadata: String = ""
    /// Seconds since 1970.
    package var joinedAt: Int64 = 0
    package var name: String = ""
    /// Rises with each change: a client ignores a version that is lower than the one that it has.
    package var version: UInt32 = 0
    package var permission: ParticipantPermission?
    package var region: String = ""
    package var isPublisher: Bool = false
    package var kind: ParticipantKind = .init()
    package var attributes: [String: String] = [:]
    package var disconnectReason: DisconnectReason = .init()
    /// Milliseconds since 1970.
    package var joinedAtMilliseconds: Int64 = 0
    package var kindDetails: [ParticipantKindDetail] = []
    package var clientProtocol: Int32 = 0
    package var capabilities: [ClientCapability] = []

    package init() {}

    package static let fields = FieldTable<Self>("ParticipantInfo") {
      Field(1, "sid", \.sid)
      Field(2, "identity", \.identity)
      Field(3, "state", \.state)
      Field(4, "tracks", list: \.tracks)
      Field(5, "metadata", \.metadata)
      Field(6, "joined_at", \.joinedAt)
      Field(9, "name", \.name)
      Field(10, "version", \.version)
      Field(11, "permission", \.permission)
      Field(12, "region", \.region)
      Field(13, "is_publisher", \.isPublisher)
      Field(14, "kind", \.kind)
      Field(15, "attributes", map: \.attributes)
      Field(16, "disconnect_reason", \.disconnectReason)
      Field(17, "joined_at_ms", \.joinedAtMilliseconds)
      Field(18, "kind_details", list: \.kindDetails)
      Field(20, "client_protocol", \.clientProtocol)
      Field(21, "capabilities", list: \.capabilities)
    }
  }

  /// What a participant may do.
  package struct ParticipantPermission: Message {
    package var canSubscribe: Bool = false
    package var canPublish: Bool = false
    package var canPublishData: Bool = false
    package var hidden: Bool = false
    package var recorder: Bool = false
    package var canPublishSources: [TrackSource] = []
    package var canUpdateMetadata: Bool = false
    package var agent: Bool = false
    package var canSubscribeMetrics: Bool = false
    package var canManageAgentSession: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("ParticipantPermission") {
      Field(1, "can_subscribe", \.canSubscribe)
      Field(2, "can_publish", \.canPublish)
      Field(3, "can_publish_data", \.canPublishData)
      Field(7, "hidden", \.hidden)
      Field(8, "recorder", \.recorder)
      Field(9, "can_publish_sources", list: \.canPublishSources)
      Field(10, "can_update_metadata", \.canUpdateMetadata)
      Field(11, "agent", \.agent)
      Field(12, "can_subscribe_metrics", \.canSubscribeMetrics)
      Field(13, "can_manage_agent_session", \.canManageAgentSession)
    }
  }
}
