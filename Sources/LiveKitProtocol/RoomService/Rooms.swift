// Calls about rooms.

extension LiveKit {
  /// Creates a room, or changes one.
  package struct CreateRoomRequest: Message {
    package var name: String = ""
    /// Seconds that a room stays open before anybody joins.
    package var emptyTimeout: UInt32 = 0
    package var maxParticipants: UInt32 = 0
    package var nodeID: String = ""
    package var metadata: String = ""
    package var egress: RoomEgress?
    /// Milliseconds.
    package var minPlayoutDelay: UInt32 = 0
    /// Milliseconds.
    package var maxPlayoutDelay: UInt32 = 0
    package var syncStreams: Bool = false
    /// Seconds that a room stays open after the last participant has left.
    package var departureTimeout: UInt32 = 0
    package var roomPreset: String = ""
    package var replayEnabled: Bool = false
    package var agents: [RoomAgentDispatch] = []
    package var tags: [String: String] = [:]

    package init() {}

    package static let fields = FieldTable<Self>("CreateRoomRequest") {
      Field(1, "name", \.name)
      Field(2, "empty_timeout", \.emptyTimeout)
      Field(3, "max_participants", \.maxParticipants)
      Field(4, "node_id", \.nodeID)
      Field(5, "metadata", \.metadata)
      Field(6, "egress", \.egress)
      Field(7, "min_playout_delay", \.minPlayoutDelay)
      Field(8, "max_playout_delay", \.maxPlayoutDelay)
      Field(9, "sync_streams", \.syncStreams)
      Field(10, "departure_timeout", \.departureTimeout)
      Field(12, "room_preset", \.roomPreset)
      Field(13, "replay_enabled", \.replayEnabled)
      Field(14, "agents", list: \.agents)
      Field(15, "tags", map: \.tags)
    }
  }

  /// Recordings that start with the room.
  package struct RoomEgress: Message {
    package var room: RoomCompositeEgressRequest?
    package var tracks: AutoTrackEgress?
    package var participant: AutoParticipantEgress?

    package init() {}

    package static let fields = FieldTable<Self>("RoomEgress") {
      Field(1, "room", \.room)
      Field(2, "tracks", \.tracks)
      Field(3, "participant", \.participant)
    }
  }

  /// Asks for the rooms of some names, or for all.
  package struct ListRoomsRequest: Message {
    package var names: [String] = []

    package init() {}

    package static let fields = FieldTable<Self>("ListRoomsRequest") {
      Field(1, "names", list: \.names)
    }
  }

  /// Rooms.
  package struct ListRoomsResponse: Message {
    package var rooms: [Room] = []

    package init() {}

    package static let fields = FieldTable<Self>("ListRoomsResponse") {
      Field(1, "rooms", list: \.rooms)
    }
  }

  /// Closes a room.
  package struct DeleteRoomRequest: Message {
    package var room: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("DeleteRoomRequest") {
      Field(1, "room", \.room)
    }
  }

  /// The room is closed.
  package struct DeleteRoomResponse: Message {
    package init() {}

    package static let fields = FieldTable<Self>("DeleteRoomResponse") {}
  }

  /// Sets a room's metadata.
  package struct UpdateRoomMetadataRequest: Message {
    package var room: String = ""
    package var metadata: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("UpdateRoomMetadataRequest") {
      Field(1, "room", \.room)
      Field(2, "metadata", \.metadata)
    }
  }

  /// Sends a data packet to participants.
  package struct SendDataRequest: Message {
    package var room: String = ""
    package var data: [UInt8] = []
    package var kind: DataPacketKind = .init()
    package var destinationSIDs: [String] = []
    package var topic: String?
    package var destinationIdentities: [String] = []
    package var nonce: [UInt8] = []

    package init() {}

    package static let fields = FieldTable<Self>("SendDataRequest") {
      Field(1, "room", \.room)
      Field(2, "data", \.data)
      Field(3, "kind", \.kind)
      Field(4, "destination_sids", list: \.destinationSIDs)
      Field(5, "topic", \.topic)
      Field(6, "destination_identities", list: \.destinationIdentities)
      Field(7, "nonce", \.nonce)
    }
  }

  /// The packet is sent.
  package struct SendDataResponse: Message {
    package init() {}

    package static let fields = FieldTable<Self>("SendDataResponse") {}
  }

  /// Calls a participant.
  package struct PerformRPCRequest: Message {
    package var room: String = ""
    package var destinationIdentity: String = ""
    package var method: String = ""
    package var payload: String = ""
    /// Milliseconds.
    package var responseTimeoutMilliseconds: UInt32 = 0

    package init() {}

    package static let fields = FieldTable<Self>("PerformRpcRequest") {
      Field(1, "room", \.room)
      Field(2, "destination_identity", \.destinationIdentity)
      Field(3, "method", \.method)
      Field(4, "payload", \.payload)
      Field(5, "response_timeout_ms", \.responseTimeoutMilliseconds)
    }
  }

  /// The result of the call.
  package struct PerformRPCResponse: Message {
    package var payload: String = ""

    package init() {}

    package static let fields = FieldTable<Self>("PerformRpcResponse") {
      Field(1, "payload", \.payload)
    }
  }
}
