import NIOCore
import RoomEngine
import RoomProtocol
import RoomRTP

/// A client's conversation in text messages: its WebSocket, or its part of the connection to an edge.
///
/// Messages are delivered no faster than `messages` is consumed: call `consumed()` after each.
package protocol SignalChannel: SignalOutlet {
  /// Complete text messages, in order. Ends when the client is gone.
  var messages: AsyncStream<ByteBuffer> { get }
  /// Whether the server has begun to close it: the remaining messages are ignored.
  var isClosing: Bool { get }
  var isConnected: Bool { get }
  /// Reports that a message was processed.
  func consumed()
  /// Runs `body` on an event loop after a time, unless it is cancelled first.
  func schedule(in time: Duration, _ body: @escaping @Sendable () -> Void) -> Scheduled<Void>
}

/// Passes the conversations of clients to the node that owns their room.
package protocol SignalRelay: Sendable {
  /// Begins to pass a client's messages on, and the answers back; nil if this server serves the client itself, or redirects it.
  func open(_ room: RoomName, for channel: any SignalChannel, at client: String?) async -> (any RelayedClient)?
  /// Asks the next clients to continue at other servers, because this one ends; a drain calls it again and again.
  /// - Returns: whether to wait for clients that are left.
  func handOver(now: Instant) async -> Bool
}

/// A client whose messages are passed on.
package protocol RelayedClient: Sendable {
  func pass(_ message: ByteBuffer)
  /// Reports that the client is gone.
  func end()
}
