import RoomHTTPServer

/// The sockets of this server's own signalling.
struct SignallingDoor: SocketDoor {
  let entrance: Entrance
  /// Serves clients of rooms at other nodes; nil redirects them.
  let relay: (any SignalRelay)?

  var endpoints: [Endpoint] { [Endpoint("GET", "/v1/signal", access: .open, action: .signalling())] }
  var frames: SocketFrames { SocketFrames() }
  func serves(_ request: HTTPRequest) -> Bool { request.target == "/v1/signal" }

  func serve(_ socket: SignalSocket, _ request: HTTPRequest) async {
    await SignalSession(entrance: entrance, socket: socket, client: request.client, relay: relay).run()
  }
}
