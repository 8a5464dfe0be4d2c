// Calls about the streams that encoders send into rooms.

extension LiveKit {
  /// How an encoder sends.
  package struct IngressInput: Enumeration {
    package static let rtmpInput = Self(rawValue: 0)
    package static let whipInput = Self(rawValue: 1)
    package static let urlInput = Self(rawValue: 2)

    package static let schemaName = "IngressInput"
    package static let names: [Int32: String] = [0: "RTMP_INPUT", 1: "WHIP_INPUT", 2: "URL_INPUT"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// Bitrate and channels in one value.
  package struct IngressAudioEncodingPreset: Enumeration {
    package static let opusStereo96kbps = Self(rawValue: 0)
    package static let opusMono64kbs = Self(rawValue: 1)

    package static let schemaName = "IngressAudioEncodingPreset"
    package static let names: [Int32: String] = [0: "OPUS_STEREO_96KBPS", 1: "OPUS_MONO_64KBS"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// Size, rate and layers in one value.
  package struct IngressVideoEncodingPreset: Enumeration {
    package static let h264_720p30Layers3 = Self(rawValue: 0)
    package static let h264_1080p30Layers3 = Self(rawValue: 1)
    package static let h264_540p25Layers2 = Self(rawValue: 2)
    package static let h264_720p30Layer1 = Self(rawValue: 3)
    package static let h264_1080p30Layer1 = Self(rawValue: 4)
    package static let h264_720p30Layers3HighMotion = Self(rawValue: 5)
    package static let h264_1080p30Layers3HighMotion = Self(rawValue: 6)
    package static let h264_540p25Layers2HighMotion = Self(rawValue: 7)
    package static let h264_720p30Layer1HighMotion = Self(rawValue: 8)
    package static let h264_1080p30Layer1HighMotion = Self(rawValue: 9)

    package static let schemaName = "IngressVideoEncodingPreset"
    package static let names: [Int32: String] = [
      0: "H264_720P_30FPS_3_LAYERS", 1: "H264_1080P_30FPS_3_LAYERS", 2: "H264_540P_25FPS_2_LAYERS",
      3: "H264_720P_30FPS_1_LAYER", 4: "H264_1080P_30FPS_1_LAYER", 5: "H264_720P_30FPS_3_LAYERS_HIGH_MOTION",
      6: "H264_1080P_30FPS_3_LAYERS_HIGH_MOTION", 7: "H264_540P_25FPS_2_LAYERS_HIGH_MOTION",
      8: "H264_720P_30FPS_1_LAYER_HIGH_MOTION", 9: "H264_1080P_30FPS_1_LAYER_HIGH_MOTION",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// Creates an ingress.
  package struct CreateIngressRequest: Message {
    package var inputType: IngressInput = .init()
    package var name: String = ""
    package var roomName: String = ""
    package var participantIdentity: String = ""
    package var participantName: String = ""
    package var audio: IngressAudioOptions?
    package var video: IngressVideoOptions?
    package var bypassTranscoding: Bool = false
    package var url: String = ""
    package var participantMetadata: String = ""
    package var enableTranscoding: Bool?
    package var enabled: Bool?

    package init() {}

    package static let fields = FieldTable<Self>("CreateIngressRequest") {
      Field(1, "input_type", \.inputType)
      Field(2, "name", \.name)
      Field(3, "room_name", \.roomName)
      Field(4, "participant_identity", \.participantIdentity)
      Field(5, "participant_name", \.participantName)
      Field(6, "audio", \.audio)
      Field(7, "video", \.video)
      Field(8, "bypass_transcoding", \.bypassTranscoding)
      Field(9, "url", \.url)
      Field(10, "participant_metadata", \.participantMetadata)
      Field(11, "enable_transcoding", \.enableTranscoding)
      Field(12, "enabled", \.enabled)
    }
  }

  /// Changes an ingress.
  package struct UpdateIngressRequest: Message {
    package var ingressID: String = ""
    package var name: String = ""
    package var roomName: String = ""
    package var participantIdentity: String = ""
    package var participantName: String = ""
    package var audio: IngressAudioOptions?
    package var video: IngressVideoOptions?
    package var bypassTranscoding: Bool?
    package var participantMetadata: String = ""
    package var enableTranscoding: Bool?
    package var enabled: Bool?

    package init() {}

    package static let fields = FieldTable<Self>("UpdateIngressRequest") {
      Field(1, "ingress_id", \.ingressID)
      Field(2, "name", \.name)
      Field(3, "room_name", \.roomName)
      Field(4, "participant_identity", \.participantIdentity)
      Field(5, "participant_name", \.participantName)
      Field(6, "audio", \.audio)
      Field(7, "video", \.video)
      Field(8, "bypass_transcoding", \.bypassTranscoding)
      Field(9, "participant_metadata", \.participantMetadata)
      Field(10, "enable_transcoding", \.enableTranscoding)
      Field(11, "enabled", \.enabled)
    }
  }

  /// Asks for ingresses.
  package struct ListIngressRequest: Message {
    package var roomName: String = ""
    package var ingressID: String = ""
    package var pageToken: TokenPagination?

    package init() {}

    package static let fields = FieldTable<Self>("ListIngressRequest") {
      Field(1, "room_name", \.roomName)
      Field(2, "ingress_id", \.ingressID)
      Field(3, "page_token", \.pageToken)
    }
  }

  /// Ingresses.
  package struct ListIngressResponse: Message {
    package var items: [IngressInfo] = []
    package var nextPageToken: TokenPagination?

    package init() {}

    package static let fields = FieldTable<Self>("ListIngressResponse") {
      Field(1, "items", list: \.items)
      Field(2, "next_page_token", \.nextPageToken)
    }
  }

  /// Deletes an ingress.
  package struct DeleteIngressRequest: Message {
    package var ingressID: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("DeleteIngressRequest") {
      Field(1, "ingress_id", \.ingressID)
    }
  }

  /// The audio track of an ingress.
  package struct IngressAudioOptions: Message {
    package enum Encoding: Sendable, Equatable {
      case preset(IngressAudioEncodingPreset)
      case options(IngressAudioEncodingOptions)
    }

    package var name: String = ""
    package var source: TrackSource = .init()
    package var encodingOptions: Encoding?

    package init() {}

    package static let fields = FieldTable<Self>("IngressAudioOptions") {
      Field(1, "name", \.name)
      Field(2, "source", \.source)
      Field(3, "preset", of: "encoding_options", \.encodingOptions, Encoding.preset) {
        if case .preset(let value) = $0 { value } else { nil }
      }
      Field(4, "options", of: "encoding_options", \.encodingOptions, Encoding.options) {
        if case .options(let value) = $0 { value } else { nil }
      }
    }
  }

  /// The video track of an ingress.
  package struct IngressVideoOptions: Message {
    package enum Encoding: Sendable, Equatable {
      case preset(IngressVideoEncodingPreset)
      case options(IngressVideoEncodingOptions)
    }

    package var name: String = ""
    package var source: TrackSource = .init()
    package var encodingOptions: Encoding?

    package init() {}

    package static let fields = FieldTable<Self>("IngressVideoOptions") {
      Field(1, "name", \.name)
      Field(2, "source", \.source)
      Field(3, "preset", of: "encoding_options", \.encodingOptions, Encoding.preset) {
        if case .preset(let value) = $0 { value } else { nil }
      }
      Field(4, "options", of: "encoding_options", \.encodingOptions, Encoding.options) {
        if case .options(let value) = $0 { value } else { nil }
      }
    }
  }

  /// How its audio is encoded.
  package struct IngressAudioEncodingOptions: Message {
    package var audioCodec: AudioCodec = .init()
    package var bitrate: UInt32 = 0
    package var disableDTX: Bool = false
    package var channels: UInt32 = 0

    package init() {}

    package static let fields = FieldTable<Self>("IngressAudioEncodingOptions") {
      Field(1, "audio_codec", \.audioCodec)
      Field(2, "bitrate", \.bitrate)
      Field(3, "disable_dtx", \.disableDTX)
      Field(4, "channels", \.channels)
    }
  }

  /// How its video is encoded.
  package struct IngressVideoEncodingOptions: Message {
    package var videoCodec: VideoCodec = .init()
    /// Pictures per second.
    package var frameRate: Double = 0
    package var layers: [VideoLayer] = []

    package init() {}

    package static let fields = FieldTable<Self>("IngressVideoEncodingOptions") {
      Field(1, "video_codec", \.videoCodec)
      Field(2, "frame_rate", \.frameRate)
      Field(3, "layers", list: \.layers)
    }
  }
}
