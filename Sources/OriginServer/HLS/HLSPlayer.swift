import RoomHTTPServer
import RoomLiveOrigin
import RoomWebRTC

/// An HLS player, as far as plain requests identify one: an address, and the name of a program. Players of one household with
/// the same program count as one.
struct HLSPlayer: Hashable, Sendable {
  /// Without a port, because each request may use another connection.
  private let address: TransportAddress?
  private let program: Substring?

  init(_ request: HTTPRequest) {
    address = request.client.map { TransportAddress(high: $0.high, low: $0.low, port: 0) }
    program = request.header("user-agent")?.prefix(256)
  }

  /// How the player's playlist marks changes of format.
  var changes: HLSPlaylist.Changes { program?.contains("LibVLC/") == true ? .unmarked : .marked }
}
