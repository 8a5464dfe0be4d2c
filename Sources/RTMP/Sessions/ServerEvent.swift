/// What a client asked for or did, in order.
public enum ServerEvent: Hashable, Sendable {
  /// To be decided with `acceptConnect` or `rejectConnect`. What the client sends meanwhile is held.
  case connectRequested(ConnectRequest)
  /// To be decided with `acceptPublish` or `rejectPublish`. What the client sends meanwhile is held.
  case publishRequested(PublishRequest)
  /// To be decided with `acceptPlay` or `rejectPlay`.
  case playRequested(PlayRequest)
  /// Media of an accepted publish. Data comes without its leading @setDataFrame.
  case media(MediaMessage, on: MessageStreamID)
  /// The client ended its publish, or the session ended it.
  case publishEnded(MessageStreamID)
  /// The client plays no more, or the session is over.
  case playEnded(MessageStreamID)
  /// The viewer wants nothing for a while, or something again.
  case paused(Bool, on: MessageStreamID)
  /// The viewer does or does not want this kind.
  case wants(MediaMessage.Kind, Bool, on: MessageStreamID)
  /// The session is over: send the output that is left and close the socket. The last event.
  case closed(SessionFailure)
}

/// A client that wants to publish (RTMP 1.0 §7.2.2.6).
public struct PublishRequest: Hashable, Sendable {
  /// The stream to answer on.
  public var stream: MessageStreamID
  /// What it wants to publish as, with the query that may carry its token.
  public var name: StreamName
  /// "live", "record" or "append", or whatever it sent; empty where it sent nothing.
  public var kind: String

  /// A request of these parts.
  public init(stream: MessageStreamID, name: StreamName, kind: String) {
    self.stream = stream
    self.name = name
    self.kind = kind
  }
}

/// A client that wants to play (RTMP 1.0 §7.2.2.1).
public struct PlayRequest: Hashable, Sendable {
  /// The stream to answer on.
  public var stream: MessageStreamID
  /// What it wants to play.
  public var name: StreamName
  /// Seconds, or −1 for live only and −2 for live or recorded; some send milliseconds.
  public var start: Double

  /// A request of these parts.
  public init(stream: MessageStreamID, name: StreamName, start: Double) {
    self.stream = stream
    self.name = name
    self.start = start
  }
}
