/// A step of a session.
public enum SessionStep: String, Sendable {
  case handshake, connect, createStream, publish, play, media
}

/// Why a session ended.
public enum SessionFailure: Error, Hashable, Sendable {
  /// The peer uses another protocol.
  case handshake(HandshakeError)
  /// The chunk stream is invalid.
  case chunks(ChunkError)
  /// A command is invalid.
  case command(AMFError)
  /// A command was sent at the wrong time: before `connect`, or `connect` a second time.
  case unexpectedCommand(String)
  /// The server refused, with this status.
  case rejected(Status, at: SessionStep)
  /// The peer exceeded the time for this step, or in `media` did not answer a ping.
  case timeout(SessionStep)
  /// The peer sent more than the limit while a decision was pending.
  case queueLimitExceeded
  /// The output exceeded the limit: the peer sends requests and does not read the answers.
  case outputLimitExceeded
  /// The peer closed the connection.
  case closedByPeer
  /// This side ended the session: it refused the connection, or `end` was called.
  case ended
}

/// The timeouts for a peer, in microseconds.
public struct SessionTimeouts: Sendable {
  /// Time for each step up to the end of `connect`; on the client, up to the start of publish or play.
  public var step: Int64
  /// On the server: time that a client may stay connected without publishing or playing.
  public var idle: Int64
  /// Time without a byte from the peer after which it is pinged.
  public var silence: Int64
  /// Time after the ping in which a byte must arrive.
  public var pingAnswer: Int64

  /// Creates timeouts. The defaults are those of nginx-rtmp, with shorter first steps.
  public init(
    step: Int64 = 10_000_000, idle: Int64 = 30_000_000, silence: Int64 = 30_000_000, pingAnswer: Int64 = 30_000_000
  ) {
    self.step = step
    self.idle = idle
    self.silence = silence
    self.pingAnswer = pingAnswer
  }
}

/// A queue of events, in order, until the owner takes them.
struct EventQueue<Event: Sendable>: Sendable {
  private var events: [Event] = []
  private var head = 0

  mutating func append(_ event: Event) { events.append(event) }

  mutating func next() -> Event? {
    guard head < events.count else { return nil }
    let event = events[head]
    head += 1
    if head == events.count {
      events.removeAll()
      head = 0
    }
    return event
  }
}
