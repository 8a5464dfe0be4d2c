// The unified call that starts an egress.

extension LiveKit {
  /// A channel of stereo sound.
  package struct AudioChannel: Enumeration {
    package static let both = Self(rawValue: 0)
    package static let left = Self(rawValue: 1)
    package static let right = Self(rawValue: 2)

    package static let schemaName = "AudioChannel"
    package static let names: [Int32: String] = [0: "AUDIO_CHANNEL_BOTH", 1: "AUDIO_CHANNEL_LEFT", 2: "AUDIO_CHANNEL_RIGHT"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// Starts an egress.
  package struct StartEgressRequest: Message {
    package enum Source: Sendable, Equatable {
      case template(TemplateSource)
      case web(WebSource)
      case media(MediaSource)
    }

    package var roomName: String = ""
    package var source: Source?
    package var encoding: Encoding?
    package var outputs: [Output] = []
    package var storage: StorageConfig?

    package init() {}

    package static let fields = FieldTable<Self>("StartEgressRequest") {
      Field(1, "room_name", \.roomName)
      Field(2, "template", of: "source", \.source, Source.template) { if case .template(let value) = $0 { value } else { nil } }
      Field(3, "web", of: "source", \.source, Source.web) { if case .web(let value) = $0 { value } else { nil } }
      Field(4, "media", of: "source", \.source, Source.media) { if case .media(let value) = $0 { value } else { nil } }
      Field.encoding(of: "encoding", \.encoding, preset: 5, advanced: 6)
      Field(7, "outputs", list: \.outputs)
      Field(8, "storage", \.storage)
    }
  }

  /// The room's picture.
  package struct TemplateSource: Message {
    package var layout: String = ""
    package var audioOnly: Bool = false
    package var videoOnly: Bool = false
    package var customBaseURL: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("TemplateSource") {
      Field(1, "layout", \.layout)
      Field(2, "audio_only", \.audioOnly)
      Field(3, "video_only", \.videoOnly)
      Field(4, "custom_base_url", \.customBaseURL)
    }
  }

  /// A web page.
  package struct WebSource: Message {
    package var url: String = ""
    package var audioOnly: Bool = false
    package var videoOnly: Bool = false
    package var awaitStartSignal: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("WebSource") {
      Field(1, "url", \.url)
      Field(2, "audio_only", \.audioOnly)
      Field(3, "video_only", \.videoOnly)
      Field(4, "await_start_signal", \.awaitStartSignal)
    }
  }

  /// Tracks.
  package struct MediaSource: Message {
    package enum Video: Sendable, Equatable {
      case videoTrackID(String)
      case participantVideo(ParticipantVideo)
    }

    package var video: Video?
    package var audio: AudioConfig?

    package init() {}

    package static let fields = FieldTable<Self>("MediaSource") {
      Field(1, "video_track_id", of: "video", \.video, Video.videoTrackID) {
        if case .videoTrackID(let value) = $0 { value } else { nil }
      }
      Field(2, "participant_video", of: "video", \.video, Video.participantVideo) {
        if case .participantVideo(let value) = $0 { value } else { nil }
      }
      Field(3, "audio", \.audio)
    }
  }

  /// A participant's video, whichever it publishes.
  package struct ParticipantVideo: Message {
    package var identity: String = ""
    package var preferScreenShare: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("ParticipantVideo") {
      Field(1, "identity", \.identity)
      Field(2, "prefer_screen_share", \.preferScreenShare)
    }
  }

  /// The tracks in the sound.
  package struct AudioConfig: Message {
    package var captureAll: Bool = false
    package var routes: [AudioRoute] = []

    package init() {}

    package static let fields = FieldTable<Self>("AudioConfig") {
      Field(1, "capture_all", \.captureAll)
      Field(2, "routes", list: \.routes)
    }
  }

  /// The channel of each track in the sound.
  package struct AudioRoute: Message {
    package enum Match: Sendable, Equatable {
      case trackID(String)
      case participantIdentity(String)
      case participantKind(ParticipantKind)
    }

    package var match: Match?
    package var channel: AudioChannel = .init()

    package init() {}

    package static let fields = FieldTable<Self>("AudioRoute") {
      Field(1, "track_id", of: "match", \.match, Match.trackID) { if case .trackID(let value) = $0 { value } else { nil } }
      Field(2, "participant_identity", of: "match", \.match, Match.participantIdentity) {
        if case .participantIdentity(let value) = $0 { value } else { nil }
      }
      Field(3, "participant_kind", of: "match", \.match, Match.participantKind) {
        if case .participantKind(let value) = $0 { value } else { nil }
      }
      Field(4, "channel", \.channel)
    }
  }
}
