/// An error of the client itself. If the server rejects a call, the call throws `RoomError` with its code instead. A call of a
/// cancelled task throws `CancellationError`.
public enum RoomClientError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The address is not a `ws://` or `wss://` URL.
  case invalidURL(String)
  /// The socket could not be opened.
  case connectFailed(ConnectFailure)
  /// The socket was lost. The text is the cause.
  case connectionLost(String)
  /// The server did not answer a call within ``RoomOptions/timeout``. The text is the method's name.
  case timedOut(String)
  /// The room is closed.
  case closed
  /// The server violated the protocol. The text is a description.
  case protocolViolation(String)
  /// Offer and answer do not match, or the server rejected a codec. The text is a description.
  case negotiationFailed(String)
  /// A media transport could not be opened. The text is the cause.
  case mediaFailed(String)
  /// The track is already published, or belongs to another room.
  case trackInUse
  /// The track is not published in this room.
  case trackUnknown
  /// ``RoomPK/move(_:)`` is not possible. The text is the reason.
  case cannotMove(String)
  /// ``RoomPK/returnHome(token:)`` was called in a room that ``RoomPK/move(_:)`` did not return.
  case notAway

  /// A sentence that describes the error.
  public var description: String {
    switch self {
    case .invalidURL(let url): "not a ws:// or wss:// address: \(url)"
    case .connectFailed(let cause): "could not connect: \(cause)"
    case .connectionLost(let cause): "connection lost: \(cause)"
    case .timedOut(let call): "no answer to \(call) in time"
    case .closed: "the room is closed"
    case .protocolViolation(let what): "the server violated the protocol: \(what)"
    case .negotiationFailed(let what): "negotiation failed: \(what)"
    case .mediaFailed(let what): "media transport failed: \(what)"
    case .trackInUse: "the track is already published"
    case .cannotMove(let why): "can't move into another room: \(why)"
    case .notAway: "the client did not move into this room for a PK"
    case .trackUnknown: "the track is not published in this room"
    }
  }
}
