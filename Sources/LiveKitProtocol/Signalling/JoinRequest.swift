// How a client joins with a single peer connection: a parameter of its URL.

extension LiveKit {
  /// The compression of a join request.
  package struct JoinCompression: Enumeration {
    package static let none = Self(rawValue: 0)
    package static let gzip = Self(rawValue: 1)

    package static let schemaName = "WrappedJoinRequest.Compression"
    package static let names: [Int32: String] = [0: "NONE", 1: "GZIP"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// A client library.
  package struct ClientSDK: Enumeration {
    package static let unknown = Self(rawValue: 0)
    package static let javaScript = Self(rawValue: 1)
    package static let swift = Self(rawValue: 2)
    package static let android = Self(rawValue: 3)
    package static let flutter = Self(rawValue: 4)
    package static let go = Self(rawValue: 5)
    package static let unity = Self(rawValue: 6)
    package static let reactNative = Self(rawValue: 7)
    package static let rust = Self(rawValue: 8)
    package static let python = Self(rawValue: 9)
    package static let cpp = Self(rawValue: 10)
    package static let unityWeb = Self(rawValue: 11)
    package static let node = Self(rawValue: 12)
    package static let unreal = Self(rawValue: 13)
    package static let esp32 = Self(rawValue: 14)
    package static let dotNet = Self(rawValue: 15)

    package static let schemaName = "ClientInfo.SDK"
    package static let names: [Int32: String] = [
      0: "UNKNOWN", 1: "JS", 2: "SWIFT", 3: "ANDROID", 4: "FLUTTER", 5: "GO", 6: "UNITY", 7: "REACT_NATIVE", 8: "RUST",
      9: "PYTHON", 10: "CPP", 11: "UNITY_WEB", 12: "NODE", 13: "UNREAL", 14: "ESP32", 15: "DOTNET",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// What a client can do.
  package struct ClientCapability: Enumeration {
    package static let unused = Self(rawValue: 0)
    package static let packetTrailer = Self(rawValue: 1)
    package static let compressionDeflateRaw = Self(rawValue: 2)

    package static let schemaName = "ClientInfo.Capability"
    package static let names: [Int32: String] = [0: "CAP_UNUSED", 1: "CAP_PACKET_TRAILER", 2: "CAP_COMPRESSION_DEFLATE_RAW"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// A ``JoinRequest``, compressed or not.
  package struct WrappedJoinRequest: Message {
    package var compression: JoinCompression = .init()
    package var joinRequest: [UInt8] = []

    package init() {}

    package static let fields = FieldTable<Self>("WrappedJoinRequest") {
      Field(1, "compression", \.compression)
      Field(2, "join_request", \.joinRequest)
    }
  }

  /// A client, its wishes, and its first offer.
  package struct JoinRequest: Message {
    package var clientInfo: ClientInfo?
    package var connectionSettings: ConnectionSettings?
    package var metadata: String = ""
    package var participantAttributes: [String: String] = [:]
    package var addTrackRequests: [AddTrackRequest] = []
    package var publisherOffer: SessionDescription?
    package var reconnect: Bool = false
    package var reconnectReason: ReconnectReason = .init()
    package var participantSID: String = ""
    package var syncState: SyncState?

    package init() {}

    package static let fields = FieldTable<Self>("JoinRequest") {
      Field(1, "client_info", \.clientInfo)
      Field(2, "connection_settings", \.connectionSettings)
      Field(3, "metadata", \.metadata)
      Field(4, "participant_attributes", map: \.participantAttributes)
      Field(5, "add_track_requests", list: \.addTrackRequests)
      Field(6, "publisher_offer", \.publisherOffer)
      Field(7, "reconnect", \.reconnect)
      Field(8, "reconnect_reason", \.reconnectReason)
      Field(9, "participant_sid", \.participantSID)
      Field(10, "sync_state", \.syncState)
    }
  }

  /// The software of a client.
  package struct ClientInfo: Message {
    package var sdk: ClientSDK = .init()
    package var version: String = ""
    package var protocolNumber: Int32 = 0
    package var os: String = ""
    package var osVersion: String = ""
    package var deviceModel: String = ""
    package var browser: String = ""
    package var browserVersion: String = ""
    package var address: String = ""
    package var network: String = ""
    package var otherSdks: String = ""
    package var clientProtocol: Int32 = 0
    package var capabilities: [ClientCapability] = []

    package init() {}

    package static let fields = FieldTable<Self>("ClientInfo") {
      Field(1, "sdk", \.sdk)
      Field(2, "version", \.version)
      Field(3, "protocol", \.protocolNumber)
      Field(4, "os", \.os)
      Field(5, "os_version", \.osVersion)
      Field(6, "device_model", \.deviceModel)
      Field(7, "browser", \.browser)
      Field(8, "browser_version", \.browserVersion)
      Field(9, "address", \.address)
      Field(10, "network", \.network)
      Field(11, "other_sdks", \.otherSdks)
      Field(12, "client_protocol", \.clientProtocol)
      Field(13, "capabilities", list: \.capabilities)
    }
  }

  /// What a client wants of its connection.
  package struct ConnectionSettings: Message {
    package var autoSubscribe: Bool = false
    package var adaptiveStream: Bool = false
    package var subscriberAllowPause: Bool?
    package var disableICELite: Bool = false
    package var autoSubscribeDataTrack: Bool?

    package init() {}

    package static let fields = FieldTable<Self>("ConnectionSettings") {
      Field(1, "auto_subscribe", \.autoSubscribe)
      Field(2, "adaptive_stream", \.adaptiveStream)
      Field(3, "subscriber_allow_pause", \.subscriberAllowPause)
      Field(4, "disable_ice_lite", \.disableICELite)
      Field(5, "auto_subscribe_data_track", \.autoSubscribeDataTrack)
    }
  }
}
