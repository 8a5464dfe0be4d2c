import RoomEngine
import RoomProtocol

/// The bodies of the REST API, as `api/openapi.yaml` describes them.
package enum API {
  package struct NewRoom: Decodable, Sendable {
    package var name: RoomName
    var settings: RoomSettingsUpdate

    private enum CodingKeys: CodingKey { case name }

    /// The settings are members of the same object as the name.
    package init(from decoder: any Decoder) throws {
      name = try decoder.container(keyedBy: CodingKeys.self).decode(RoomName.self, forKey: .name)
      settings = try RoomSettingsUpdate(from: decoder)
    }
  }

  package struct RoomSummary: Encodable, Sendable {
    package var name: RoomName
    /// Milliseconds since 1970.
    package var createdAt: Int64
    package var kind: RoomEngine.RoomSummary.Kind
    package var participants: Int
    package var publishers: Int
    package var tracks: Int
    /// The first few participants.
    package var users: [UserID]
    /// The people who watch: by WHEP, as participants that only receive, and the room's stream.
    package var viewers: Int
    package var seats: Int
    package var speakers: [UserID]
    package var shown: UserID?
    package var live: Live?
    package var pk: RoomEngine.RoomSummary.Partner?
    package var jobs: [JobInfo]

    package struct Live: Encodable, Sendable {
      package var state: RoomEngine.RoomSummary.LiveState
      /// Milliseconds since 1970.
      package var since: Int64
      package var jobId: JobID
      package var stream: String?
      /// The same number as the room's, if the live is a stream of this server's origin.
      package var viewers: Int?
    }
  }

  package struct RoomList: Encodable, Sendable {
    package var rooms: [RoomSummary]
    package var totals: RoomPage.Totals
    /// The `after` value of the next page; nil on the last page.
    package var next: String?
  }

  package struct RoomDetail: Encodable, Sendable {
    package var name: RoomName
    /// Milliseconds since 1970.
    package var createdAt: Int64
    /// The people who watch: by WHEP, as participants that only receive, and the room's stream.
    package var viewers: Int
    /// The same people by node; nil on a server that is no node of a cluster.
    package var audience: Audience?
    var settings: RoomSettings
    package var play: PlayURLs
    package var participants: [ParticipantInfo]
  }

  /// People who watch, by the node that serves them. Nodes and regions without viewers are missing.
  package struct Audience: Encodable, Sendable {
    struct Node: Encodable, Sendable {
      var node: String
      var region: String
      var viewers: Int
    }

    struct Region: Encodable, Sendable {
      var region: String
      var viewers: Int
    }

    /// By name.
    var nodes: [Node]
    var regions: [Region]
  }

  package struct ParticipantList: Encodable, Sendable {
    package var participants: [ParticipantInfo]
  }

  package struct Mute: Decodable, Sendable {
    package var muted: Bool
  }

  package struct NewToken: Decodable, Sendable {
    package var room: RoomName
    package var user: UserID
    package var grants: Grants?
    /// Seconds.
    package var ttl: Int?
  }

  package struct MintedToken: Encodable, Sendable {
    package var token: String
    /// Milliseconds since 1970.
    package var expiresAt: Int64
  }

  package struct Health: Encodable, Sendable {
    package var status = "ok"
  }
}
