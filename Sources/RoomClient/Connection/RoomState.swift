import RoomProtocol

/// Where a room's connection stands.
///
/// `idle → connecting → connected → reconnecting → connected …`, and from everywhere to `closed`, which is final.
public enum RoomState: Sendable, Hashable {
  case idle
  case connecting
  case connected
  /// The socket was lost and is being sought again; `attempt` counts from 1. Tracks and subscriptions are kept.
  case reconnecting(attempt: Int)
  case closed(CloseReason)

  /// True in `closed`, which nothing leaves.
  public var isClosed: Bool {
    if case .closed = self { true } else { false }
  }
}

/// Why a room was closed.
public enum CloseReason: Sendable, Hashable {
  /// `leave()` was called.
  case left
  /// An operator ended the session; empty where it was done through the API.
  case kickedOut(by: UserID)
  case roomClosed
  /// The same user joined elsewhere (401003).
  case duplicateLogin
  /// The server gave the session up: the client did not come back within the grace time.
  case timedOut
  case serverStopping
  /// The server refused to let the client in, at the first join or when it came back.
  case refused(RoomError)
  /// The connection was lost, or never came up, and all tries of the reconnect policy were used.
  case connectionLost(RoomClientError)
}
