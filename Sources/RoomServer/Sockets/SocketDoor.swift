import RoomHTTPServer
import RoomProtocol

/// A subject of WebSockets: the paths at which they open, and what serves them.
package protocol SocketDoor: Sendable {
  /// The operations that open the sockets, and those that belong to them.
  var endpoints: [Endpoint] { get }
  var frames: SocketFrames { get }
  /// Whether a socket is for this door.
  func serves(_ request: HTTPRequest) -> Bool
  /// Serves a socket until its messages end.
  /// - Parameter request: the request that opened it.
  func serve(_ socket: SignalSocket, _ request: HTTPRequest) async
}

/// A door whose clients know one address: any node of a cluster carries them to the node of their room.
package protocol RoomDoor: SocketDoor {
  /// Returns the room of a request with a valid token.
  func room(of request: HTTPRequest) -> RoomName?
  /// The answer about a room that no node has.
  var missingRoom: HTTPResponse { get }
}

/// The messages of a door's sockets.
package struct SocketFrames: Sendable, Hashable {
  /// Whether messages are binary instead of text.
  package var isBinary = false
  /// The longest message in bytes; nil for that of clients.
  package var messageBytes: Int?
  /// Bytes that may wait; nil for those of clients.
  package var outgoingBytes: Int?

  package init(isBinary: Bool = false, messageBytes: Int? = nil, outgoingBytes: Int? = nil) {
    (self.isBinary, self.messageBytes, self.outgoingBytes) = (isBinary, messageBytes, outgoingBytes)
  }
}
