/// How far a session had come.
public enum SessionStep: String, Sendable {
  case handshake, connect, createStream, publish, play, media
}

/// Why a session is over.
public enum SessionFailure: Error, Hashable, Sendable {
  /// The peer speaks another protocol.
  case handshake(HandshakeError)
  /// The chunk stream can't be followed.
  case chunks(ChunkError)
  /// A command can't be read.
  case command(AMFError)
  /// A command that has no place there: the connection was not made yet, or it was made already.
  case unexpectedCommand(String)
  /// The server refused, in its own words.
  case rejected(Status, at: SessionStep)
  /// The peer let the time of this step pass, or in `media` answered no ping.
  case timeout(SessionStep)
  /// So much came while a decision was waited for that it is no longer held.
  case tooMuchHeld
  /// The answers to the peer found nobody to take them: it asks and does not read.
  case outputNotTaken
  /// The peer said that it closes.
  case closedByPeer
  /// This side ended it: it refused the connection, or was told to.
  case ended
}

/// How long a peer may take, in microseconds.
public struct SessionTimeouts: Sendable {
  /// For each step up to the end of `connect`, and on the client up to that of publish or play.
  public var step: Int64
  /// On the server: connected, with nothing published or played.
  public var idle: Int64
  /// Without a byte from the peer, before it is pinged.
  public var silence: Int64
  /// From the ping to the end, where no byte comes.
  public var pingAnswer: Int64

  /// The defaults are those of nginx-rtmp, but for shorter first steps.
  public init(
    step: Int64 = 10_000_000, idle: Int64 = 30_000_000, silence: Int64 = 30_000_000, pingAnswer: Int64 = 30_000_000
  ) {
    self.step = step
    self.idle = idle
    self.silence = silence
    self.pingAnswer = pingAnswer
  }
}

/// What happened, in order, until somebody asks.
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
