// Messages about what a client receives.

extension LiveKit {
  /// Whether a track is sent.
  package struct StreamState: Enumeration {
    package static let active = Self(rawValue: 0)
    package static let paused = Self(rawValue: 1)

    package static let schemaName = "StreamState"
    package static let names: [Int32: String] = [0: "ACTIVE", 1: "PAUSED"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// Why a subscription fails.
  package struct SubscriptionError: Enumeration {
    package static let unknown = Self(rawValue: 0)
    package static let codecUnsupported = Self(rawValue: 1)
    package static let trackNotfound = Self(rawValue: 2)

    package static let schemaName = "SubscriptionError"
    package static let names: [Int32: String] = [0: "SE_UNKNOWN", 1: "SE_CODEC_UNSUPPORTED", 2: "SE_TRACK_NOTFOUND"]
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
  }

  /// Tracks that a client wants, or no longer wants.
  package struct UpdateSubscription: Message {
    package var trackSIDs: [String] = []
    package var subscribe: Bool = false
    package var participantTracks: [ParticipantTracks] = []

    package init() {}

    package static let fields = FieldTable<Self>("UpdateSubscription") {
      Field(1, "track_sids", list: \.trackSIDs)
      Field(2, "subscribe", \.subscribe)
      Field(3, "participant_tracks", list: \.participantTracks)
    }
  }

  /// How a client shows tracks that it receives.
  package struct UpdateTrackSettings: Message {
    package var trackSIDs: [String] = []
    package var disabled: Bool = false
    package var quality: VideoQuality = .init()
    package var width: UInt32 = 0
    package var height: UInt32 = 0
    package var fps: UInt32 = 0
    package var priority: UInt32 = 0

    package init() {}

    package static let fields = FieldTable<Self>("UpdateTrackSettings") {
      Field(1, "track_sids", list: \.trackSIDs)
      Field(3, "disabled", \.disabled)
      Field(4, "quality", \.quality)
      Field(5, "width", \.width)
      Field(6, "height", \.height)
      Field(7, "fps", \.fps)
      Field(8, "priority", \.priority)
    }
  }

  /// Who may receive the client's tracks.
  package struct SubscriptionPermission: Message {
    package var allParticipants: Bool = false
    package var trackPermissions: [TrackPermission] = []

    package init() {}

    package static let fields = FieldTable<Self>("SubscriptionPermission") {
      Field(1, "all_participants", \.allParticipants)
      Field(2, "track_permissions", list: \.trackPermissions)
    }
  }

  /// The tracks that one participant may receive.
  package struct TrackPermission: Message {
    package var participantSID: String = ""
    package var allTracks: Bool = false
    package var trackSIDs: [String] = []
    package var participantIdentity: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("TrackPermission") {
      Field(1, "participant_sid", \.participantSID)
      Field(2, "all_tracks", \.allTracks)
      Field(3, "track_sids", list: \.trackSIDs)
      Field(4, "participant_identity", \.participantIdentity)
    }
  }

  /// Whether the client may receive a track.
  package struct SubscriptionPermissionUpdate: Message {
    package var participantSID: String = ""
    package var trackSID: String = ""
    package var allowed: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("SubscriptionPermissionUpdate") {
      Field(1, "participant_sid", \.participantSID)
      Field(2, "track_sid", \.trackSID)
      Field(3, "allowed", \.allowed)
    }
  }

  /// Why a client can't receive a track.
  package struct SubscriptionResponse: Message {
    package var trackSID: String = ""
    package var err: SubscriptionError = .init()

    package init() {}

    package static let fields = FieldTable<Self>("SubscriptionResponse") {
      Field(1, "track_sid", \.trackSID)
      Field(2, "err", \.err)
    }
  }

  /// Tracks that pause for a lack of bandwidth, or continue.
  package struct StreamStateUpdate: Message {
    package var streamStates: [StreamStateInfo] = []

    package init() {}

    package static let fields = FieldTable<Self>("StreamStateUpdate") {
      Field(1, "stream_states", list: \.streamStates)
    }
  }

  /// Whether a track pauses.
  package struct StreamStateInfo: Message {
    package var participantSID: String = ""
    package var trackSID: String = ""
    package var state: StreamState = .init()

    package init() {}

    package static let fields = FieldTable<Self>("StreamStateInfo") {
      Field(1, "participant_sid", \.participantSID)
      Field(2, "track_sid", \.trackSID)
      Field(3, "state", \.state)
    }
  }

  /// Tracks of one participant.
  package struct ParticipantTracks: Message {
    package var participantSID: String = ""
    package var trackSIDs: [String] = []

    package init() {}

    package static let fields = FieldTable<Self>("ParticipantTracks") {
      Field(1, "participant_sid", \.participantSID)
      Field(2, "track_sids", list: \.trackSIDs)
    }
  }
}
