public enum TrackKind: String, Codable, Sendable, Hashable { case audio, video }

/// One audio or video stream that a participant publishes, as the others see it.
public struct TrackInfo: Codable, Sendable, Hashable {
  /// Unique in the room; chosen by the server.
  public var trackId: TrackID
  public var kind: TrackKind
  /// Free text: "camera", "screen". At most 64 bytes.
  public var tag: String
  /// The publisher's main stream of its kind.
  public var master: Bool
  public var muted: Bool
  /// The codec's SDP name in lower case ("h264", "vp8", "opus"); absent until negotiated.
  public var codec: String?
  /// Pixels, as last announced by the publisher.
  public var width: Int?
  public var height: Int?
  public var fps: Int?
  /// Bits per second.
  public var bitrate: Int?

  public init(
    trackId: TrackID, kind: TrackKind, tag: String = "", master: Bool = true, muted: Bool = false, codec: String? = nil,
    width: Int? = nil, height: Int? = nil, fps: Int? = nil, bitrate: Int? = nil
  ) {
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

/// A user in a room, as the others see it.
public struct ParticipantInfo: Codable, Sendable, Hashable {
  /// Unique in the room; the token's `sub`.
  public var userId: UserID
  public var grants: Grants
  /// Milliseconds since 1970.
  public var joinedAt: Int64
  /// False while the server waits for a lost client to come back.
  public var connected: Bool
  public var tracks: [TrackInfo]

  public init(userId: UserID, grants: Grants, joinedAt: Int64, connected: Bool = true, tracks: [TrackInfo] = []) {
    self.userId = userId
    self.grants = grants
    self.joinedAt = joinedAt
    self.connected = connected
    self.tracks = tracks
  }
}
