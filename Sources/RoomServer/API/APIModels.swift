import RoomProtocol

/// The bodies of the REST API, as `api/openapi.yaml` describes them.
enum API {
  struct NewRoom: Decodable, Sendable {
    var name: RoomName
    /// Seconds.
    var emptyTimeout: Int?
    var maxParticipants: Int?
    var push: PushPolicy?
    /// What those get who sit on no seat.
    var audience: RoomAudience?
    /// Of the room's own mix.
    var stage: StagePicture?
    /// What broadcasts show during a PK.
    var pk: PKPicture?
    /// Whether the first who joins with the grants `admin` and `publish` is seated as the host; true if absent.
    var seatsHost: Bool?
  }

  struct RoomSummary: Encodable, Sendable {
    var name: RoomName
    /// Milliseconds since 1970.
    var createdAt: Int64
    var participants: Int
    var tracks: Int
    /// The first few that joined and are still there.
    var users: [UserID]
    var viewers: Int
  }

  struct RoomList: Encodable, Sendable {
    var rooms: [RoomSummary]
  }

  struct RoomDetail: Encodable, Sendable {
    var name: RoomName
    /// Milliseconds since 1970.
    var createdAt: Int64
    /// How many WHEP sessions watch.
    var viewers: Int
    var participants: [ParticipantInfo]
  }

  struct ParticipantList: Encodable, Sendable {
    var participants: [ParticipantInfo]
  }

  struct Mute: Decodable, Sendable {
    var muted: Bool
  }

  struct NewToken: Decodable, Sendable {
    var room: RoomName
    var user: UserID
    var grants: Grants?
    /// Seconds.
    var ttl: Int?
  }

  struct MintedToken: Encodable, Sendable {
    var token: String
    /// Milliseconds since 1970.
    var expiresAt: Int64
  }

  struct Health: Encodable, Sendable {
    var status = "ok"
  }
}
