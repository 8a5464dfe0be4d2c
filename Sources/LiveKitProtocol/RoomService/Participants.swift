// Calls about participants.

extension LiveKit {
  /// Asks for the participants of a room.
  package struct ListParticipantsRequest: Message {
    package var room: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("ListParticipantsRequest") {
      Field(1, "room", \.room)
    }
  }

  /// Participants.
  package struct ListParticipantsResponse: Message {
    package var participants: [ParticipantInfo] = []

    package init() {}

    package static let fields = FieldTable<Self>("ListParticipantsResponse") {
      Field(1, "participants", list: \.participants)
    }
  }

  /// A participant of a room: to read it, or to remove it.
  package struct RoomParticipantIdentity: Message {
    package var room: String = ""
    package var identity: String = ""
    /// Tokens issued up to then are refused; seconds since 1970.
    package var revokeTokenTimestamp: Int64 = 0

    package init() {}

    package static let fields = FieldTable<Self>("RoomParticipantIdentity") {
      Field(1, "room", \.room)
      Field(2, "identity", \.identity)
      Field(3, "revoke_token_ts", \.revokeTokenTimestamp)
    }
  }

  /// The participant is removed.
  package struct RemoveParticipantResponse: Message {
    package init() {}

    package static let fields = FieldTable<Self>("RemoveParticipantResponse") {}
  }

  /// Mutes a participant's track.
  package struct MuteRoomTrackRequest: Message {
    package var room: String = ""
    package var identity: String = ""
    package var trackSID: String = ""
    package var muted: Bool = false

    package init() {}

    package static let fields = FieldTable<Self>("MuteRoomTrackRequest") {
      Field(1, "room", \.room)
      Field(2, "identity", \.identity)
      Field(3, "track_sid", \.trackSID)
      Field(4, "muted", \.muted)
    }
  }

  /// The track after the change.
  package struct MuteRoomTrackResponse: Message {
    package var track: TrackInfo?

    package init() {}

    package static let fields = FieldTable<Self>("MuteRoomTrackResponse") {
      Field(1, "track", \.track)
    }
  }

  /// Changes a participant's name, metadata, attributes and permission.
  package struct UpdateParticipantRequest: Message {
    package var room: String = ""
    package var identity: String = ""
    package var metadata: String = ""
    package var permission: ParticipantPermission?
    package var name: String = ""
    package var attributes: [String: String] = [:]

    package init() {}

    package static let fields = FieldTable<Self>("UpdateParticipantRequest") {
      Field(1, "room", \.room)
      Field(2, "identity", \.identity)
      Field(3, "metadata", \.metadata)
      Field(4, "permission", \.permission)
      Field(5, "name", \.name)
      Field(6, "attributes", map: \.attributes)
    }
  }

  /// Changes what a participant receives.
  package struct UpdateSubscriptionsRequest: Message {
    package var room: String = ""
    package var identity: String = ""
    package var trackSIDs: [String] = []
    package var subscribe: Bool = false
    package var participantTracks: [ParticipantTracks] = []

    package init() {}

    package static let fields = FieldTable<Self>("UpdateSubscriptionsRequest") {
      Field(1, "room", \.room)
      Field(2, "identity", \.identity)
      Field(3, "track_sids", list: \.trackSIDs)
      Field(4, "subscribe", \.subscribe)
      Field(5, "participant_tracks", list: \.participantTracks)
    }
  }

  /// The change is done.
  package struct UpdateSubscriptionsResponse: Message {
    package init() {}

    package static let fields = FieldTable<Self>("UpdateSubscriptionsResponse") {}
  }

  /// Shows a participant in a second room as well.
  package struct ForwardParticipantRequest: Message {
    package var room: String = ""
    package var identity: String = ""
    package var destinationRoom: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("ForwardParticipantRequest") {
      Field(1, "room", \.room)
      Field(2, "identity", \.identity)
      Field(3, "destination_room", \.destinationRoom)
    }
  }

  /// The participant is shown there.
  package struct ForwardParticipantResponse: Message {
    package init() {}

    package static let fields = FieldTable<Self>("ForwardParticipantResponse") {}
  }

  /// Moves a participant to another room.
  package struct MoveParticipantRequest: Message {
    package var room: String = ""
    package var identity: String = ""
    package var destinationRoom: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("MoveParticipantRequest") {
      Field(1, "room", \.room)
      Field(2, "identity", \.identity)
      Field(3, "destination_room", \.destinationRoom)
    }
  }

  /// The participant is moved.
  package struct MoveParticipantResponse: Message {
    package init() {}

    package static let fields = FieldTable<Self>("MoveParticipantResponse") {}
  }
}
