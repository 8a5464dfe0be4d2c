import RoomEngine
import RoomProtocol

/// The bodies of the REST API, as `api/openapi.yaml` describes them.
enum API {
  struct NewRoom: Decodable, Sendable {
    var name: RoomName
    var settings: RoomSettingsUpdate

    private enum CodingKeys: CodingKey { case name }

    /// The settings are members of the same object as the name.
    init(from decoder: any Decoder) throws {
      name = try decoder.container(keyedBy: CodingKeys.self).decode(RoomName.self, forKey: .name)
      settings = try RoomSettingsUpdate(from: decoder)
    }
  }

  struct RoomSummary: Encodable, Sendable {
    var name: RoomName
    /// Milliseconds since 1970.
    var createdAt: Int64
    var kind: RoomEngine.RoomSummary.Kind
    var participants: Int
    var publishers: Int
    var tracks: Int
    /// The first few participants.
    var users: [UserID]
    /// The people who watch: by WHEP, as participants that only receive, and the room's stream.
    var viewers: Int
    var seats: Int
    var speakers: [UserID]
    var shown: UserID?
    var live: Live?
    var pk: RoomEngine.RoomSummary.Partner?
    var jobs: [JobInfo]

    struct Live: Encodable, Sendable {
      var state: RoomEngine.RoomSummary.LiveState
      /// Milliseconds since 1970.
      var since: Int64
      var jobId: JobID
      var stream: String?
      /// The same number as the room's, if the live is a stream of this server's origin.
      var viewers: Int?
    }
  }

  struct RoomList: Encodable, Sendable {
    var rooms: [RoomSummary]
    var totals: RoomPage.Totals
    /// The `after` value of the next page; nil on the last page.
    var next: String?
  }

  struct RoomDetail: Encodable, Sendable {
    var name: RoomName
    /// Milliseconds since 1970.
    var createdAt: Int64
    /// The people who watch: by WHEP, as participants that only receive, and the room's stream.
    var viewers: Int
    var settings: RoomSettings
    var play: PlayURLs
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
