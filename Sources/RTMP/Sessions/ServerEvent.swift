/// A client's request or action, in order.
public enum ServerEvent: Hashable, Sendable {
  /// Answer with `acceptConnect` or `rejectConnect`. Until then, the client's messages are queued.
  case connectRequested(ConnectRequest)
  /// Answer with `acceptPublish` or `rejectPublish`. Until then, the client's messages are queued.
  case publishRequested(PublishRequest)
  /// Answer with `acceptPlay` or `rejectPlay`.
  case playRequested(PlayRequest)
  /// Media of an accepted publish. Data has no leading @setDataFrame.
  case media(MediaMessage, on: MessageStreamID)
  /// The client ended its publish, or the session ended it.
  case publishEnded(MessageStreamID)
  /// The client stopped playing, or the session ended.
  case playEnded(MessageStreamID)
  /// The viewer paused or resumed.
  case paused(Bool, on: MessageStreamID)
  /// The viewer enabled or disabled this kind of media.
  case wants(MediaMessage.Kind, Bool, on: MessageStreamID)
  /// The session has ended: send the remaining output and close the socket. The last event.
  case closed(SessionFailure)
}

/// A client's request to publish (RTMP 1.0 §7.2.2.6).
public struct PublishRequest: Hashable, Sendable {
  /// The stream to answer on.
  public var stream: MessageStreamID
  /// The requested name, with the query that may contain its token.
  public var name: StreamName
  /// "live", "record", "append" or another text from the client; empty if it sent none.
  public var kind: String

  /// Creates a request.
  public init(stream: MessageStreamID, name: StreamName, kind: String) {
    self.stream = stream
    self.name = name
    self.kind = kind
  }
}

/// A client's request to play (RTMP 1.0 §7.2.2.1).
public struct PlayRequest: Hashable, Sendable {
  /// The stream to answer on.
  public var stream: MessageStreamID
  /// The name of the requested stream.
  public var name: StreamName
  /// Seconds, −1 for live only, or −2 for live or recorded. Some clients send milliseconds.
  public var start: Double

  /// Creates a request.
  public init(stream: MessageStreamID, name: StreamName, start: Double) {
    self.stream = stream
    self.name = name
    self.start = start
  }
}
