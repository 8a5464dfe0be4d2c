extension LiveKit {
  /// The kind of a track.
  package struct TrackType: Enumeration {
    package static let audio = Self(rawValue: 0)
    package static let video = Self(rawValue: 1)
    package static let data = Self(rawValue: 2)

    package static let schemaName = "TrackType"
    package static let names: [Int32: String] = [0: "AUDIO", 1: "VIDEO", 2: "DATA"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// What a track shows or plays.
  package struct TrackSource: Enumeration {
    package static let unknown = Self(rawValue: 0)
    package static let camera = Self(rawValue: 1)
    package static let microphone = Self(rawValue: 2)
    package static let screenShare = Self(rawValue: 3)
    package static let screenShareAudio = Self(rawValue: 4)

    package static let schemaName = "TrackSource"
    package static let names: [Int32: String] = [
      0: "UNKNOWN", 1: "CAMERA", 2: "MICROPHONE", 3: "SCREEN_SHARE", 4: "SCREEN_SHARE_AUDIO",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// A layer of a video track.
  package struct VideoQuality: Enumeration {
    package static let low = Self(rawValue: 0)
    package static let medium = Self(rawValue: 1)
    package static let high = Self(rawValue: 2)
    package static let off = Self(rawValue: 3)

    package static let schemaName = "VideoQuality"
    package static let names: [Int32: String] = [0: "LOW", 1: "MEDIUM", 2: "HIGH", 3: "OFF"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// How layers are sent.
  package struct VideoLayerMode: Enumeration {
    package static let unused = Self(rawValue: 0)
    package static let streamPerLayer = Self(rawValue: 1)
    package static let layersPerStream = Self(rawValue: 2)
    package static let streamPerLayerIncompleteReports = Self(rawValue: 3)

    package static let schemaName = "VideoLayer.Mode"
    package static let names: [Int32: String] = [
      0: "MODE_UNUSED", 1: "ONE_SPATIAL_LAYER_PER_STREAM", 2: "MULTIPLE_SPATIAL_LAYERS_PER_STREAM",
      3: "ONE_SPATIAL_LAYER_PER_STREAM_INCOMPLETE_RTCP_SR",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// End-to-end encryption.
  package struct Encryption: Enumeration {
    package static let none = Self(rawValue: 0)
    package static let gcm = Self(rawValue: 1)
    package static let custom = Self(rawValue: 2)

    package static let schemaName = "Encryption.Type"
    package static let names: [Int32: String] = [0: "NONE", 1: "GCM", 2: "CUSTOM"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// How an audio track is made.
  package struct AudioTrackFeature: Enumeration {
    package static let stereo = Self(rawValue: 0)
    package static let noDTX = Self(rawValue: 1)
    package static let autoGainControl = Self(rawValue: 2)
    package static let echoCancellation = Self(rawValue: 3)
    package static let noiseSuppression = Self(rawValue: 4)
    package static let enhancedNoiseCancellation = Self(rawValue: 5)
    package static let preconnectBuffer = Self(rawValue: 6)

    package static let schemaName = "AudioTrackFeature"
    package static let names: [Int32: String] = [
      0: "TF_STEREO", 1: "TF_NO_DTX", 2: "TF_AUTO_GAIN_CONTROL", 3: "TF_ECHO_CANCELLATION", 4: "TF_NOISE_SUPPRESSION",
      5: "TF_ENHANCED_NOISE_CANCELLATION", 6: "TF_PRECONNECT_BUFFER",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// What a client appends to frames.
  package struct PacketTrailerFeature: Enumeration {
    package static let userTimestamp = Self(rawValue: 0)
    package static let frameID = Self(rawValue: 1)
    package static let userData = Self(rawValue: 2)

    package static let schemaName = "PacketTrailerFeature"
    package static let names: [Int32: String] = [0: "PTF_USER_TIMESTAMP", 1: "PTF_FRAME_ID", 2: "PTF_USER_DATA"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// A published track.
  package struct TrackInfo: Message {
    /// Begins with `TR_`.
    package var sid: String = ""
    package var type: TrackType = .init()
    package var name: String = ""
    package var muted: Bool = false
    package var width: UInt32 = 0
    package var height: UInt32 = 0
    package var simulcast: Bool = false
    package var disableDTX: Bool = false
    package var source: TrackSource = .init()
    package var layers: [VideoLayer] = []
    package var mimeType: String = ""
    package var mid: String = ""
    package var codecs: [SimulcastCodecInfo] = []
    package var stereo: Bool = false
    package var disableRED: Bool = false
    package var encryption: Encryption = .init()
    package var stream: String = ""
    package var version: TimedVersion?
    package var audioFeatures: [AudioTrackFeature] = []
    package var backupCodecPolicy: BackupCodecPolicy = .init()
    package var packetTrailerFeatures: [PacketTrailerFeature] = []

    package init() {}

    package static let fields = FieldTable<Self>("TrackInfo") {
      Field(1, "sid", \.sid)
      Field(2, "type", \.type)
      Field(3, "name", \.name)
      Field(4, "muted", \.muted)
      Field(5, "width", \.width)
      Field(6, "height", \.height)
      Field(7, "simulcast", \.simulcast)
      Field(8, "disable_dtx", \.disableDTX)
      Field(9, "source", \.source)
      Field(10, "layers", list: \.layers)
      Field(11, "mime_type", \.mimeType)
      Field(12, "mid", \.mid)
      Field(13, "codecs", list: \.codecs)
      Field(14, "stereo", \.stereo)
      Field(15, "disable_red", \.disableRED)
      Field(16, "encryption", \.encryption)
      Field(17, "stream", \.stream)
      Field(18, "version", \.version)
      Field(19, "audio_features", list: \.audioFeatures)
      Field(20, "backup_codec_policy", \.backupCodecPolicy)
      Field(21, "packet_trailer_features", list: \.packetTrailerFeatures)
    }
  }

  /// A codec of a published track.
  package struct SimulcastCodecInfo: Message {
    package var mimeType: String = ""
    package var mid: String = ""
    package var cid: String = ""
    package var layers: [VideoLayer] = []
    package var videoLayerMode: VideoLayerMode = .init()
    package var sdpCID: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("SimulcastCodecInfo") {
      Field(1, "mime_type", \.mimeType)
      Field(2, "mid", \.mid)
      Field(3, "cid", \.cid)
      Field(4, "layers", list: \.layers)
      Field(5, "video_layer_mode", \.videoLayerMode)
      Field(6, "sdp_cid", \.sdpCID)
    }
  }

  /// A layer of a video track.
  package struct VideoLayer: Message {
    package var quality: VideoQuality = .init()
    package var width: UInt32 = 0
    package var height: UInt32 = 0
    /// bit/s.
    package var bitrate: UInt32 = 0
    package var ssrc: UInt32 = 0
    package var spatialLayer: Int32 = 0
    package var rid: String = ""
    package var repairSSRC: UInt32 = 0

    package init() {}

    package static let fields = FieldTable<Self>("VideoLayer") {
      Field(1, "quality", \.quality)
      Field(2, "width", \.width)
      Field(3, "height", \.height)
      Field(4, "bitrate", \.bitrate)
      Field(5, "ssrc", \.ssrc)
      Field(6, "spatial_layer", \.spatialLayer)
      Field(7, "rid", \.rid)
      Field(8, "repair_ssrc", \.repairSSRC)
    }
  }
}
