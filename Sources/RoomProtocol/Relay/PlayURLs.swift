/// The URLs at which an audience plays a room or a stream, with their signatures if the server protects play URLs.
public struct PlayURLs: Codable, Sendable, Hashable {
  /// The watch page. Unless the room is public, append `?token=` with a room token that has the grants `subscribe` and `hidden`.
  public var watch: String
  /// WHEP. Unless the room is public, it needs such a token as bearer. Nil for a stream that is not a room's.
  public var whep: String?
  /// RTMP; nil if the server has no RTMP port.
  public var rtmp: String?
  /// HTTP-FLV; nil if the room's name is not valid as a stream name.
  public var flv: String?
  /// HLS; nil if the room's name is not valid as a stream name.
  public var hls: String?
  /// When the signatures of `rtmp`, `flv` and `hls` expire, in milliseconds since 1970; nil if they have none.
  public var expiresAt: Int64?
  /// The play URLs of other servers, such as a CDN: ``PushPolicy/playUrls`` with the names of the room and its host; nil if
  /// there are none.
  public var others: [String: String]?

  /// Creates a list of URLs.
  public init(
    watch: String, whep: String? = nil, rtmp: String? = nil, flv: String? = nil, hls: String? = nil, expiresAt: Int64? = nil,
    others: [String: String]? = nil
  ) {
    self.watch = watch
    self.whep = whep
    self.rtmp = rtmp
    self.flv = flv
    self.hls = hls
    self.expiresAt = expiresAt
    self.others = others
  }
}
