// Calls that start, change and end an egress.

extension LiveKit {
  /// Size, rate and codec in one value.
  package struct EncodingOptionsPreset: Enumeration {
    package static let h264_720p30 = Self(rawValue: 0)
    package static let h264_720p60 = Self(rawValue: 1)
    package static let h264_1080p30 = Self(rawValue: 2)
    package static let h264_1080p60 = Self(rawValue: 3)
    package static let portrait720p30 = Self(rawValue: 4)
    package static let portrait720p60 = Self(rawValue: 5)
    package static let portrait1080p30 = Self(rawValue: 6)
    package static let portrait1080p60 = Self(rawValue: 7)
    package static let passthrough = Self(rawValue: 8)

    package static let schemaName = "EncodingOptionsPreset"
    package static let names: [Int32: String] = [
      0: "H264_720P_30", 1: "H264_720P_60", 2: "H264_1080P_30", 3: "H264_1080P_60", 4: "PORTRAIT_H264_720P_30",
      5: "PORTRAIT_H264_720P_60", 6: "PORTRAIT_H264_1080P_30", 7: "PORTRAIT_H264_1080P_60", 8: "PASSTHROUGH",
    ]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// How tracks are mixed.
  package struct AudioMixing: Enumeration {
    package static let defaultMixing = Self(rawValue: 0)
    package static let dualChannelAgent = Self(rawValue: 1)
    package static let dualChannelAlternate = Self(rawValue: 2)

    package static let schemaName = "AudioMixing"
    package static let names: [Int32: String] = [0: "DEFAULT_MIXING", 1: "DUAL_CHANNEL_AGENT", 2: "DUAL_CHANNEL_ALTERNATE"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// Starts an egress of a room's picture.
  package struct RoomCompositeEgressRequest: Message {
    package var roomName: String = ""
    package var layout: String = ""
    package var audioOnly: Bool = false
    package var videoOnly: Bool = false
    package var customBaseURL: String = ""
    package var output: EncodedOutput?
    package var options: Encoding?
    package var fileOutputs: [EncodedFileOutput] = []
    package var streamOutputs: [StreamOutput] = []
    package var segmentOutputs: [SegmentedFileOutput] = []
    package var imageOutputs: [ImageOutput] = []
    package var audioMixing: AudioMixing = .init()

    package init() {}

    package static let fields = FieldTable<Self>("RoomCompositeEgressRequest") {
      Field(1, "room_name", \.roomName)
      Field(2, "layout", \.layout)
      Field(3, "audio_only", \.audioOnly)
      Field(4, "video_only", \.videoOnly)
      Field(5, "custom_base_url", \.customBaseURL)
      Field.output(\.output, file: 6, stream: 7, segments: 10)
      Field.encoding(\.options, preset: 8, advanced: 9)
      Field(11, "file_outputs", list: \.fileOutputs)
      Field(12, "stream_outputs", list: \.streamOutputs)
      Field(13, "segment_outputs", list: \.segmentOutputs)
      Field(14, "image_outputs", list: \.imageOutputs)
      Field(15, "audio_mixing", \.audioMixing)
    }
  }

  /// Starts an egress of one participant.
  package struct ParticipantEgressRequest: Message {
    package var roomName: String = ""
    package var identity: String = ""
    package var screenShare: Bool = false
    package var options: Encoding?
    package var fileOutputs: [EncodedFileOutput] = []
    package var streamOutputs: [StreamOutput] = []
    package var segmentOutputs: [SegmentedFileOutput] = []
    package var imageOutputs: [ImageOutput] = []

    package init() {}

    package static let fields = FieldTable<Self>("ParticipantEgressRequest") {
      Field(1, "room_name", \.roomName)
      Field(2, "identity", \.identity)
      Field(3, "screen_share", \.screenShare)
      Field.encoding(\.options, preset: 4, advanced: 5)
      Field(6, "file_outputs", list: \.fileOutputs)
      Field(7, "stream_outputs", list: \.streamOutputs)
      Field(8, "segment_outputs", list: \.segmentOutputs)
      Field(9, "image_outputs", list: \.imageOutputs)
    }
  }

  /// Starts an egress of one audio and one video track.
  package struct TrackCompositeEgressRequest: Message {
    package var roomName: String = ""
    package var audioTrackID: String = ""
    package var videoTrackID: String = ""
    package var output: EncodedOutput?
    package var options: Encoding?
    package var fileOutputs: [EncodedFileOutput] = []
    package var streamOutputs: [StreamOutput] = []
    package var segmentOutputs: [SegmentedFileOutput] = []
    package var imageOutputs: [ImageOutput] = []

    package init() {}

    package static let fields = FieldTable<Self>("TrackCompositeEgressRequest") {
      Field(1, "room_name", \.roomName)
      Field(2, "audio_track_id", \.audioTrackID)
      Field(3, "video_track_id", \.videoTrackID)
      Field.output(\.output, file: 4, stream: 5, segments: 8)
      Field.encoding(\.options, preset: 6, advanced: 7)
      Field(11, "file_outputs", list: \.fileOutputs)
      Field(12, "stream_outputs", list: \.streamOutputs)
      Field(13, "segment_outputs", list: \.segmentOutputs)
      Field(14, "image_outputs", list: \.imageOutputs)
    }
  }

  /// Starts an egress of a track as it is.
  package struct TrackEgressRequest: Message {
    package enum Output: Sendable, Equatable {
      case file(DirectFileOutput)
      case websocketURL(String)
    }

    package var roomName: String = ""
    package var trackID: String = ""
    package var output: Output?

    package init() {}

    package static let fields = FieldTable<Self>("TrackEgressRequest") {
      Field(1, "room_name", \.roomName)
      Field(2, "track_id", \.trackID)
      Field(3, "file", of: "output", \.output, Output.file) { if case .file(let value) = $0 { value } else { nil } }
      Field(4, "websocket_url", of: "output", \.output, Output.websocketURL) {
        if case .websocketURL(let value) = $0 { value } else { nil }
      }
    }
  }

  /// An egress of each participant that joins.
  package struct AutoParticipantEgress: Message {
    package var options: Encoding?
    package var fileOutputs: [EncodedFileOutput] = []
    package var segmentOutputs: [SegmentedFileOutput] = []

    package init() {}

    package static let fields = FieldTable<Self>("AutoParticipantEgress") {
      Field.encoding(\.options, preset: 1, advanced: 2)
      Field(3, "file_outputs", list: \.fileOutputs)
      Field(4, "segment_outputs", list: \.segmentOutputs)
    }
  }

  /// An egress of each track.
  package struct AutoTrackEgress: Message {
    package var filepath: String = ""
    package var output: Upload?
    package var disableManifest: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("AutoTrackEgress") {
      Field(1, "filepath", \.filepath)
      Field.upload(\.output, s3: 2, gcp: 3, azure: 4, aliOSS: 6)
      Field(5, "disable_manifest", \.disableManifest)
    }
  }

  /// Changes the layout.
  package struct UpdateLayoutRequest: Message {
    package var egressID: String = ""
    package var layout: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("UpdateLayoutRequest") {
      Field(1, "egress_id", \.egressID)
      Field(2, "layout", \.layout)
    }
  }

  /// Adds and removes destinations.
  package struct UpdateStreamRequest: Message {
    package var egressID: String = ""
    package var addOutputURLs: [String] = []
    package var removeOutputURLs: [String] = []
    package var addDestinations: [StreamDestination] = []

    package init() {}

    package static let fields = FieldTable<Self>("UpdateStreamRequest") {
      Field(1, "egress_id", \.egressID)
      Field(2, "add_output_urls", list: \.addOutputURLs)
      Field(3, "remove_output_urls", list: \.removeOutputURLs)
      Field(4, "add_destinations", list: \.addDestinations)
    }
  }

  /// Asks for egresses.
  package struct ListEgressRequest: Message {
    package var roomName: String = ""
    package var egressID: String = ""
    package var active: Bool = false
    package var pageToken: TokenPagination?

    package init() {}

    package static let fields = FieldTable<Self>("ListEgressRequest") {
      Field(1, "room_name", \.roomName)
      Field(2, "egress_id", \.egressID)
      Field(3, "active", \.active)
      Field(4, "page_token", \.pageToken)
    }
  }

  /// Egresses.
  package struct ListEgressResponse: Message {
    package var items: [EgressInfo] = []
    package var nextPageToken: TokenPagination?

    package init() {}

    package static let fields = FieldTable<Self>("ListEgressResponse") {
      Field(1, "items", list: \.items)
      Field(2, "next_page_token", \.nextPageToken)
    }
  }

  /// Ends an egress.
  package struct StopEgressRequest: Message {
    package var egressID: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("StopEgressRequest") {
      Field(1, "egress_id", \.egressID)
    }
  }

  /// The position of the next page of a list.
  package struct TokenPagination: Message {
    package var token: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("TokenPagination") {
      Field(1, "token", \.token)
    }
  }
}
