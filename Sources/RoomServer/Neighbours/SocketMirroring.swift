import NIOCore
import RoomHTTPServer

/// Opens a client's WebSocket at all other nodes as well, for clients that serve rooms of every node.
package protocol SocketMirroring: Sendable {
  /// Opens the socket at each other node, now and as nodes enter.
  /// - Parameters:
  ///   - request: the client's, which opened the WebSocket here.
  ///   - greeting: the first message at each node.
  ///   - receive: takes the messages of the other nodes, on any thread.
  func mirror(
    _ request: HTTPRequest, greeting: ByteBuffer, receive: @escaping @Sendable (ByteBuffer) -> Void
  ) -> any MirroredSocket
}

/// The WebSockets of one client at the other nodes.
package protocol MirroredSocket: Sendable {
  /// Sends a message to all of them.
  func send(_ message: ByteBuffer)
  func close()
}
