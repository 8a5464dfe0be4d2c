// Messages about the tracks that a client publishes.

extension LiveKit {
  /// When a client sends a second codec.
  package struct BackupCodecPolicy: Enumeration {
    package static let preferRegression = Self(rawValue: 0)
    package static let simulcast = Self(rawValue: 1)
    package static let regression = Self(rawValue: 2)

    package static let schemaName = "BackupCodecPolicy"
    package static let names: [Int32: String] = [0: "PREFER_REGRESSION", 1: "SIMULCAST", 2: "REGRESSION"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// A track that the client's next offer has.
  package struct AddTrackRequest: Message {
    /// The client's own id of the track: the track id of `a=msid` in its offer.
    package var cid: String = ""
    package var name: String = ""
    package var type: TrackType = .init()
    package var width: UInt32 = 0
    package var height: UInt32 = 0
    package var muted: Bool = false
    package var disableDTX: Bool = false
    package var source: TrackSource = .init()
    package var layers: [VideoLayer] = []
    package var simulcastCodecs: [SimulcastCodec] = []
    /// The published track of which this is a second codec.
    package var sid: String = ""
    package var stereo: Bool = false
    package var disableRED: Bool = false
    package var encryption: Encryption = .init()
    package var stream: String = ""
    package var backupCodecPolicy: BackupCodecPolicy = .init()
    package var audioFeatures: [AudioTrackFeature] = []
    package var packetTrailerFeatures: [PacketTrailerFeature] = []

    package init() {}

    package static let fields = FieldTable<Self>("AddTrackRequest") {
      Field(1, "cid", \.cid)
      Field(2, "name", \.name)
      Field(3, "type", \.type)
      Field(4, "width", \.width)
      Field(5, "height", \.height)
      Field(6, "muted", \.muted)
      Field(7, "disable_dtx", \.disableDTX)
      Field(8, "source", \.source)
      Field(9, "layers", list: \.layers)
      Field(10, "simulcast_codecs", list: \.simulcastCodecs)
      Field(11, "sid", \.sid)
      Field(12, "stereo", \.stereo)
      Field(13, "disable_red", \.disableRED)
      Field(14, "encryption", \.encryption)
      Field(15, "stream", \.stream)
      Field(16, "backup_codec_policy", \.backupCodecPolicy)
      Field(17, "audio_features", list: \.audioFeatures)
      Field(18, "packet_trailer_features", list: \.packetTrailerFeatures)
    }
  }

  /// A codec with which a client sends a track.
  package struct SimulcastCodec: Message {
    package var codec: String = ""
    package var cid: String = ""
    package var layers: [VideoLayer] = []
    package var videoLayerMode: VideoLayerMode = .init()

    package init() {}

    package static let fields = FieldTable<Self>("SimulcastCodec") {
      Field(1, "codec", \.codec)
      Field(2, "cid", \.cid)
      Field(4, "layers", list: \.layers)
      Field(5, "video_layer_mode", \.videoLayerMode)
    }
  }

  /// The id of a track that a client adds.
  package struct TrackPublishedResponse: Message {
    package var cid: String = ""
    package var track: TrackInfo?

    package init() {}

    package static let fields = FieldTable<Self>("TrackPublishedResponse") {
      Field(1, "cid", \.cid)
      Field(2, "track", \.track)
    }
  }

  /// The server has removed a track of the client.
  package struct TrackUnpublishedResponse: Message {
    package var trackSID: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("TrackUnpublishedResponse") {
      Field(1, "track_sid", \.trackSID)
    }
  }

  /// A track's mute, set by its client or by the server.
  package struct MuteTrackRequest: Message {
    package var sid: String = ""
    package var muted: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("MuteTrackRequest") {
      Field(1, "sid", \.sid)
      Field(2, "muted", \.muted)
    }
  }

  /// The features of a client's audio track.
  package struct UpdateLocalAudioTrack: Message {
    package var trackSID: String = ""
    package var features: [AudioTrackFeature] = []

    package init() {}

    package static let fields = FieldTable<Self>("UpdateLocalAudioTrack") {
      Field(1, "track_sid", \.trackSID)
      Field(2, "features", list: \.features)
    }
  }

  /// The size of a client's video track.
  package struct UpdateLocalVideoTrack: Message {
    package var trackSID: String = ""
    package var width: UInt32 = 0
    package var height: UInt32 = 0

    package init() {}

    package static let fields = FieldTable<Self>("UpdateLocalVideoTrack") {
      Field(1, "track_sid", \.trackSID)
      Field(2, "width", \.width)
      Field(3, "height", \.height)
    }
  }

  /// A data track that the client adds.
  package struct PublishDataTrackRequest: Message {
    package var pubHandle: UInt32 = 0
    package var name: String = ""
    package var encryption: Encryption = .init()

    package init() {}

    package static let fields = FieldTable<Self>("PublishDataTrackRequest") {
      Field(1, "pub_handle", \.pubHandle)
      Field(2, "name", \.name)
      Field(3, "encryption", \.encryption)
    }
  }

  /// A data track that the client removes.
  package struct UnpublishDataTrackRequest: Message {
    package var pubHandle: UInt32 = 0

    package init() {}

    package static let fields = FieldTable<Self>("UnpublishDataTrackRequest") {
      Field(1, "pub_handle", \.pubHandle)
    }
  }

  /// The layers of a track that anybody receives.
  package struct SubscribedQualityUpdate: Message {
    package var trackSID: String = ""
    package var subscribedQualities: [SubscribedQuality] = []
    package var subscribedCodecs: [SubscribedCodec] = []

    package init() {}

    package static let fields = FieldTable<Self>("SubscribedQualityUpdate") {
      Field(1, "track_sid", \.trackSID)
      Field(2, "subscribed_qualities", list: \.subscribedQualities)
      Field(3, "subscribed_codecs", list: \.subscribedCodecs)
    }
  }

  /// The layers of one codec that anybody receives.
  package struct SubscribedCodec: Message {
    package var codec: String = ""
    package var qualities: [SubscribedQuality] = []

    package init() {}

    package static let fields = FieldTable<Self>("SubscribedCodec") {
      Field(1, "codec", \.codec)
      Field(2, "qualities", list: \.qualities)
    }
  }

  /// Whether anybody receives a layer.
  package struct SubscribedQuality: Message {
    package var quality: VideoQuality = .init()
    package var enabled: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("SubscribedQuality") {
      Field(1, "quality", \.quality)
      Field(2, "enabled", \.enabled)
    }
  }

  /// The audio codecs of a track that anybody receives.
  package struct SubscribedAudioCodecUpdate: Message {
    package var trackSID: String = ""
    package var subscribedAudioCodecs: [SubscribedAudioCodec] = []

    package init() {}

    package static let fields = FieldTable<Self>("SubscribedAudioCodecUpdate") {
      Field(1, "track_sid", \.trackSID)
      Field(2, "subscribed_audio_codecs", list: \.subscribedAudioCodecs)
    }
  }

  /// Whether anybody receives an audio codec.
  package struct SubscribedAudioCodec: Message {
    package var codec: String = ""
    package var enabled: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("SubscribedAudioCodec") {
      Field(1, "codec", \.codec)
      Field(2, "enabled", \.enabled)
    }
  }

  /// Somebody receives a track of the client.
  package struct TrackSubscribed: Message {
    package var trackSID: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("TrackSubscribed") {
      Field(1, "track_sid", \.trackSID)
    }
  }
}
