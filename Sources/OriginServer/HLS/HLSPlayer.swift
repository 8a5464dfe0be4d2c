import HTTPServer
import LiveOrigin
import WebRTC

/// One who plays HLS, as far as plain requests tell one from another: an address, and the name of a program. Those of one household with
/// the same program count as one.
struct HLSPlayer: Hashable, Sendable {
  /// With no port: each request may come by a connection of its own.
  private let address: TransportAddress?
  private let program: Substring?

  init(_ request: HTTPRequest) {
    address = request.client.map { TransportAddress(high: $0.high, low: $0.low, port: 0) }
    program = request.header("user-agent")?.prefix(256)
  }

  /// How it has to be told of changes of form.
  var changes: HLSPlaylist.Changes { program?.contains("LibVLC/") == true ? .unmarked : .marked }
}
