extension LiveKit {
  /// The state of an ingress.
  package struct IngressStatus: Enumeration {
    package static let inactive = Self(rawValue: 0)
    package static let buffering = Self(rawValue: 1)
    package static let publishing = Self(rawValue: 2)
    package static let error = Self(rawValue: 3)
    package static let complete = Self(rawValue: 4)

    package static let schemaName = "IngressState.Status"
    package static let names: [Int32: String] = [
      0: "ENDPOINT_INACTIVE", 1: "ENDPOINT_BUFFERING", 2: "ENDPOINT_PUBLISHING", 3: "ENDPOINT_ERROR", 4: "ENDPOINT_COMPLETE",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// An ingress.
  package struct IngressInfo: Message {
    package var ingressID: String = ""
    package var name: String = ""
    package var streamKey: String = ""
    package var url: String = ""
    package var inputType: IngressInput = .init()
    package var audio: IngressAudioOptions?
    package var video: IngressVideoOptions?
    package var roomName: String = ""
    package var participantIdentity: String = ""
    package var participantName: String = ""
    package var reusable: Bool = false
    package var state: IngressState?
    package var bypassTranscoding: Bool = false
    package var participantMetadata: String = ""
    package var enableTranscoding: Bool?
    package var enabled: Bool?

    package init() {}

    package static let fields = FieldTable<Self>("IngressInfo") {
      Field(1, "ingress_id", \.ingressID)
      Field(2, "name", \.name)
      Field(3, "stream_key", \.streamKey)
      Field(4, "url", \.url)
      Field(5, "input_type", \.inputType)
      Field(6, "audio", \.audio)
      Field(7, "video", \.video)
      Field(8, "room_name", \.roomName)
      Field(9, "participant_identity", \.participantIdentity)
      Field(10, "participant_name", \.participantName)
      Field(11, "reusable", \.reusable)
      Field(12, "state", \.state)
      Field(13, "bypass_transcoding", \.bypassTranscoding)
      Field(14, "participant_metadata", \.participantMetadata)
      Field(15, "enable_transcoding", \.enableTranscoding)
      Field(16, "enabled", \.enabled)
    }
  }

  /// What an ingress receives.
  package struct IngressState: Message {
    package var status: IngressStatus = .init()
    package var error: String = ""
    package var video: InputVideoState?
    package var audio: InputAudioState?
    package var roomID: String = ""
    package var tracks: [TrackInfo] = []
    /// Nanoseconds since 1970; 0 before the start.
    package var startedAt: Int64 = 0
    /// Nanoseconds since 1970; 0 before the end.
    package var endedAt: Int64 = 0
    package var resourceID: String = ""
    /// Nanoseconds since 1970.
    package var updatedAt: Int64 = 0

    package init() {}

    package static let fields = FieldTable<Self>("IngressState") {
      Field(1, "status", \.status)
      Field(2, "error", \.error)
      Field(3, "video", \.video)
      Field(4, "audio", \.audio)
      Field(5, "room_id", \.roomID)
      Field(6, "tracks", list: \.tracks)
      Field(7, "started_at", \.startedAt)
      Field(8, "ended_at", \.endedAt)
      Field(9, "resource_id", \.resourceID)
      Field(10, "updated_at", \.updatedAt)
    }
  }

  /// The video that it receives.
  package struct InputVideoState: Message {
    package var mimeType: String = ""
    package var averageBitrate: UInt32 = 0
    package var width: UInt32 = 0
    package var height: UInt32 = 0
    package var framerate: Double = 0

    package init() {}

    package static let fields = FieldTable<Self>("InputVideoState") {
      Field(1, "mime_type", \.mimeType)
      Field(2, "average_bitrate", \.averageBitrate)
      Field(3, "width", \.width)
      Field(4, "height", \.height)
      Field(5, "framerate", \.framerate)
    }
  }

  /// The audio that it receives.
  package struct InputAudioState: Message {
    package var mimeType: String = ""
    package var averageBitrate: UInt32 = 0
    package var channels: UInt32 = 0
    package var sampleRate: UInt32 = 0

    package init() {}

    package static let fields = FieldTable<Self>("InputAudioState") {
      Field(1, "mime_type", \.mimeType)
      Field(2, "average_bitrate", \.averageBitrate)
      Field(3, "channels", \.channels)
      Field(4, "sample_rate", \.sampleRate)
    }
  }
}
