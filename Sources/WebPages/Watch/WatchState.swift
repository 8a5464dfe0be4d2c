import RoomEngine
import RoomLiveOrigin
import RoomOriginServer
import RoomProtocol
import RoomServer

/// What a watch page shows: the body of `GET /v1/watch/…`.
struct WatchState: Encodable, Sendable {
  /// A stream of the origin that the page can play. The URLs are relative to the server, and signed if the server protects play
  /// URLs.
  struct Source: Encodable, Sendable {
    var name: String
    var width: Int?
    var height: Int?
    /// HTTP-FLV.
    var flv: String
    var hls: String
    /// The names of codecs of the stream that HLS does not carry; nil if it carries all.
    var notInHLS: [String]?
  }

  /// A message of the room to all.
  struct Message: Encodable, Sendable {
    var seq: Int
    var user: UserID
    var kind: MessageKind
    var text: String?
    var type: String?
    var count: Int?
    /// Milliseconds since 1970.
    var at: Int64

    init(_ message: RoomMessage) {
      seq = message.seq
      user = message.userId
      kind = message.kind
      text = message.text
      type = message.type
      count = message.count
      at = message.at
    }
  }

  /// Milliseconds since 1970.
  var at: Int64
  /// When the server started, in milliseconds since 1970: sessions from before are gone.
  var startedAt: Int64
  var isLive: Bool
  /// The path of WHEP; nil if the room has no tracks, or this is no room.
  var whep: String?
  /// The layers of the picture by WHEP, the smallest first; nil if there is one size.
  var layers: [VideoLayer]?
  /// The stream, followed by its variants from the largest on.
  var sources: [Source]
  /// The number of viewers; nil if the room does not show it.
  var viewers: Int?
  /// The messages after the requested one; nil if the room does not show them.
  var messages: [Message]?
  /// Milliseconds until the next request.
  var poll: Int
  /// While the server drains: the signalling URL of the server that takes over, if one was named.
  var redirect: String?
}
