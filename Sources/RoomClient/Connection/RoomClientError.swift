/// What can go wrong on the client's own side. A refusal by the server is thrown as `RoomProtocol.RoomError`, with its code.
public enum RoomClientError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Not a `ws://` or `wss://` address.
  case invalidURL(String)
  /// The socket could not be opened; the text is the cause: name lookup, refused, TLS, or the answer to the upgrade.
  case connectFailed(String)
  /// The socket was open and is no more; the text is the cause.
  case connectionLost(String)
  /// The server did not answer the named call in time.
  case timedOut(String)
  /// The call needs a room that is not closed.
  case closed
  /// The server said what the protocol does not allow.
  case protocolViolation(String)
  /// Offer and answer did not come together.
  case negotiationFailed(String)
  /// A transport for media could not be opened or came to nothing; the text is the cause.
  case mediaFailed(String)
  /// The track is already published, or belongs to another room.
  case trackInUse
  /// The track is not published here.
  case trackUnknown
  /// `room.pk.move()` has nowhere to move to; the text says why.
  case cannotMove(String)
  /// `room.pk.returnHome()` in a room that was not moved to.
  case notAway

  public var description: String {
    switch self {
    case .invalidURL(let url): "not a ws:// or wss:// address: \(url)"
    case .connectFailed(let cause): "could not connect: \(cause)"
    case .connectionLost(let cause): "connection lost: \(cause)"
    case .timedOut(let call): "no answer to \(call) in time"
    case .closed: "the room is closed"
    case .protocolViolation(let what): "the server broke the protocol: \(what)"
    case .negotiationFailed(let what): "negotiation failed: \(what)"
    case .mediaFailed(let what): "media transport failed: \(what)"
    case .trackInUse: "the track is already published"
    case .cannotMove(let why): "can't move into another room: \(why)"
    case .notAway: "this room was not moved to for a PK"
    case .trackUnknown: "the track is not published in this room"
    }
  }
}
