/// The kind of a track.
public enum TrackKind: String, Codable, Sendable, Hashable { case audio, video }

/// One audio or video stream that a participant publishes, as other participants see it.
public struct TrackInfo: Codable, Sendable, Hashable {
  /// The track's id: unique in the room, chosen by the server.
  public var trackId: TrackID
  /// Whether the track is audio or video.
  public var kind: TrackKind
  /// Free text of at most 64 bytes: "camera", "screen".
  public var tag: String
  /// Whether this is the publisher's main track of its kind.
  public var master: Bool
  /// Whether the track is muted. A muted track sends no media.
  public var muted: Bool
  /// The codec; nil until negotiated.
  public var codec: CodecName?
  /// The width in pixels, as last announced by the publisher; nil for audio.
  public var width: Int?
  /// The height in pixels, as last announced by the publisher; nil for audio.
  public var height: Int?
  /// Frames per second, as announced by the publisher; nil for audio.
  public var fps: Int?
  /// The bitrate in bits per second, as announced by the publisher; nil if not announced.
  public var bitrate: Int?
  /// The track's name, as chosen by the publisher; nil for none.
  public var name: String?
  /// The names of the layers of a simulcast, in the order of the publisher's offer; nil without one.
  public var layers: [String]?
  /// The other codecs in which the publisher sends the track if the room asks for them. Not part of the messages.
  package var backups: [CodecName] = []

  private enum CodingKeys: String, CodingKey {
    case trackId, kind, tag, master, muted, codec, width, height, fps, bitrate, name, layers
  }

  /// Creates the description of a track.
  public init(
    trackId: TrackID, kind: TrackKind, tag: String = "", master: Bool = true, muted: Bool = false, codec: CodecName? = nil,
    width: Int? = nil, height: Int? = nil, fps: Int? = nil, bitrate: Int? = nil, name: String? = nil, layers: [String]? = nil
  ) {
    self.name = name
    self.layers = layers
    self.trackId = trackId
    self.kind = kind
    self.tag = tag
    self.master = master
    self.muted = muted
    self.codec = codec
    self.width = width
    self.height = height
    self.fps = fps
    self.bitrate = bitrate
  }
}

/// How a participant takes part that is not a person's client by signalling.
public struct ParticipantKind: OpenEnumeration {
  /// The value's text.
  public let rawValue: String
  /// Creates a value from any text, without validation.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// An encoder publishes it, by RTMP or SRT.
  public static let encoder = Self(rawValue: "encoder")
  /// The participant publishes by WHIP.
  public static let whip = Self(rawValue: "whip")
  /// A mix of the room.
  public static let mix = Self(rawValue: "mix")
  /// The anchor of another room, during a PK.
  public static let guest = Self(rawValue: "guest")
  /// A participant of another room, whose tracks appear in this one.
  public static let forwarded = Self(rawValue: "forwarded")
  /// A program of LiveKit's agents, a client by signalling. A room in which only agents are left is empty.
  public static let agent = Self(rawValue: "agent")
}

/// A participant of a room, as other participants see it.
public struct ParticipantInfo: Codable, Sendable, Hashable {
  /// The participant's user id: unique in the room, the token's `sub` claim.
  public var userId: UserID
  /// What the participant may do: the grants of its token, until the server API changes them.
  public var grants: Grants
  /// The time of the join, in milliseconds since 1970.
  public var joinedAt: Int64
  /// Whether the participant is connected; false during the grace time after a lost connection.
  public var connected: Bool
  /// The tracks that the participant publishes.
  public var tracks: [TrackInfo]
  /// What it shows of itself; nil for nothing.
  public var profile: ParticipantProfile?
  /// What the server API permits it; nil while that is what its token permits.
  public var permissions: Permissions?
  /// How it takes part; nil for a person's client by signalling.
  public var kind: ParticipantKind?

  /// Creates the description of a participant.
  public init(
    userId: UserID, grants: Grants, joinedAt: Int64, connected: Bool = true, tracks: [TrackInfo] = [],
    profile: ParticipantProfile? = nil, permissions: Permissions? = nil, kind: ParticipantKind? = nil
  ) {
    self.profile = profile
    self.permissions = permissions
    self.kind = kind
    self.userId = userId
    self.grants = grants
    self.joinedAt = joinedAt
    self.connected = connected
    self.tracks = tracks
  }
}
