import RoomProtocol

/// The state of a room's connection.
///
/// `idle → connecting → connected → reconnecting → connected …`, and from every state to `closed`, which is final.
public enum RoomState: Sendable, Hashable {
  /// Not connected yet.
  case idle
  /// The first join is in progress.
  case connecting
  /// Joined: calls reach the server.
  case connected
  /// The socket was lost and the client reconnects; `attempt` counts from 1. Tracks and subscriptions are kept.
  case reconnecting(attempt: Int)
  /// The room is closed for good.
  case closed(CloseReason)

  /// Whether the state is `closed`.
  public var isClosed: Bool {
    if case .closed = self { true } else { false }
  }
}

/// The reason why a room was closed.
public enum CloseReason: Sendable, Hashable {
  /// `leave()` was called.
  case left
  /// An admin removed this client; `by` is empty for a REST API call.
  case kickedOut(by: UserID)
  /// An admin or the server closed the room.
  case roomClosed
  /// The same user joined elsewhere (401003).
  case duplicateLogin
  /// The server ended the session, because the client did not reconnect within the grace time.
  case timedOut
  /// The server shut down, and all tries of the reconnect policy failed.
  case serverStopping
  /// The server rejected the join, at the first time or at a reconnection.
  case refused(RoomError)
  /// The connection failed or was lost, and all tries of the reconnect policy failed.
  case connectionLost(RoomClientError)
}
