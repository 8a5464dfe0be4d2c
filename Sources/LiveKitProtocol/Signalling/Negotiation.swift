// Messages about the peer connections.

extension LiveKit {
  /// One of the two peer connections.
  package struct SignalTarget: Enumeration {
    package static let publisher = Self(rawValue: 0)
    package static let subscriber = Self(rawValue: 1)

    package static let schemaName = "SignalTarget"
    package static let names: [Int32: String] = [0: "PUBLISHER", 1: "SUBSCRIBER"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// An offer or an answer.
  package struct SessionDescription: Message {
    package var type: String = ""
    package var sdp: String = ""
    /// The number of the negotiation. An answer has that of its offer.
    package var id: UInt32 = 0
    package var midToTrackID: [String: String] = [:]

    package init() {}

    package static let fields = FieldTable<Self>("SessionDescription") {
      Field(1, "type", \.type)
      Field(2, "sdp", \.sdp)
      Field(3, "id", \.id)
      Field(4, "mid_to_track_id", map: \.midToTrackID)
    }
  }

  /// A candidate of one of the two peer connections.
  package struct TrickleRequest: Message {
    /// A candidate as JSON, with `candidate`, `sdpMid` and `sdpMLineIndex`.
    package var candidateInit: String = ""
    package var target: SignalTarget = .init()
    package var isFinal: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("TrickleRequest") {
      Field(1, "candidateInit", \.candidateInit)
      Field(2, "target", \.target)
      Field(3, "final", \.isFinal)
    }
  }

  /// What a client that resumes has: its subscriptions and its tracks.
  package struct SyncState: Message {
    package var answer: SessionDescription?
    package var subscription: UpdateSubscription?
    package var publishTracks: [TrackPublishedResponse] = []
    package var dataChannels: [DataChannelInfo] = []
    package var offer: SessionDescription?
    package var trackSIDsDisabled: [String] = []
    package var datachannelReceiveStates: [DataChannelReceiveState] = []

    package init() {}

    package static let fields = FieldTable<Self>("SyncState") {
      Field(1, "answer", \.answer)
      Field(2, "subscription", \.subscription)
      Field(3, "publish_tracks", list: \.publishTracks)
      Field(4, "data_channels", list: \.dataChannels)
      Field(5, "offer", \.offer)
      Field(6, "track_sids_disabled", list: \.trackSIDsDisabled)
      Field(7, "datachannel_receive_states", list: \.datachannelReceiveStates)
    }
  }

  /// A data channel of a client.
  package struct DataChannelInfo: Message {
    package var label: String = ""
    package var id: UInt32 = 0
    package var target: SignalTarget = .init()

    package init() {}

    package static let fields = FieldTable<Self>("DataChannelInfo") {
      Field(1, "label", \.label)
      Field(2, "id", \.id)
      Field(3, "target", \.target)
    }
  }

  /// The last packet that a client has of a participant.
  package struct DataChannelReceiveState: Message {
    package var publisherSID: String = ""
    package var lastSeq: UInt32 = 0

    package init() {}

    package static let fields = FieldTable<Self>("DataChannelReceiveState") {
      Field(1, "publisher_sid", \.publisherSID)
      Field(2, "last_seq", \.lastSeq)
    }
  }

  /// The m-lines that the next offer of a single connection needs.
  package struct MediaSectionsRequirement: Message {
    package var numAudios: UInt32 = 0
    package var numVideos: UInt32 = 0

    package init() {}

    package static let fields = FieldTable<Self>("MediaSectionsRequirement") {
      Field(1, "num_audios", \.numAudios)
      Field(2, "num_videos", \.numVideos)
    }
  }
}
