import RoomRTP

/// Decides what the pull of a stream does next: it reads from the server that publishes the stream, looks for the next server
/// after a loss, and ends without viewers, or if nobody publishes the stream any more.
///
/// Sans-I/O: carry out the ``Step`` that ``next(now:)`` returns, pass its result, and repeat.
struct StreamPull: Sendable {
  struct Settings: Sendable {
    /// How long a pull continues without viewers; µs.
    var idleTime: Int64 = 5_000_000
    /// How long a stream is looked for after a loss; µs.
    var searchTime: Int64 = 20_000_000
    /// The waits before attempts, which double; µs.
    var shortestWait: Int64 = 100_000
    var longestWait: Int64 = 2_000_000
    /// Silence after which the registry is asked whether another server publishes the stream now; µs.
    var doubtTime: Int64 = 2_000_000
    /// Silence after which a connection counts as lost; µs. Longer than a server waits for its publisher.
    var silence: Int64 = 30_000_000
  }

  enum Step: Sendable, Hashable {
    /// Look for the server that publishes the stream.
    case find
    /// Read from this server. Interrupt it when ``checked(viewers:now:)`` says so.
    case read(StreamServer)
    case wait(until: Instant)
    case end(Ending)
  }

  enum Ending: String, Sendable {
    case noViewers = "no viewers"
    case gone = "no server publishes it any more"
  }

  /// What to do while a connection is read.
  enum Check: Sendable, Hashable {
    case goOn
    /// Ask the registry, and pass the answer to ``doubted(_:now:)``.
    case ask
    case interrupt
  }

  private enum Phase: Sendable, Hashable {
    case finding
    case reading(StreamServer)
    case waiting(until: Instant)
  }

  /// The length of a connection after which the next loss is the first of a series; µs.
  private static let steadyTime: Int64 = 1_000_000

  private let settings: Settings
  private var phase: Phase
  /// The server that was read last.
  private(set) var server: StreamServer
  private var lastWatched: Instant
  private var lastMedia: Instant
  private var lastAsked: Instant
  private var readSince: Instant
  private var attempts = 0
  /// Connections that were lost or could not be opened.
  private(set) var losses = 0

  /// Begins to read from a server that was found.
  init(from server: StreamServer, _ settings: Settings = Settings(), now: Instant) {
    self.settings = settings
    self.server = server
    phase = .reading(server)
    (lastWatched, lastMedia, lastAsked, readSince) = (now, now, now, now)
  }

  mutating func next(now: Instant) -> Step {
    if now - lastWatched > settings.idleTime { return .end(.noViewers) }
    switch phase {
    case .reading(let server):
      return .read(server)
    case .finding, .waiting:
      if now - lastMedia > settings.searchTime { return .end(.gone) }
      if case .waiting(let until) = phase {
        if now < until { return .wait(until: until) }
        phase = .finding
      }
      return .find
    }
  }

  /// The registry has answered. An error counts as the server that was read last.
  mutating func found(_ result: Result<StreamServer?, OriginRefusal>, now: Instant) {
    guard case .finding = phase else { return }
    let found: StreamServer?
    switch result {
    case .success(let server): found = server
    case .failure: found = server
    }
    guard let found else { return wait(now) }
    server = found
    phase = .reading(found)
    (lastAsked, readSince) = (now, now)
  }

  /// Bytes of the stream have arrived.
  mutating func received(now: Instant) {
    (lastMedia, lastAsked) = (now, now)
    // A server that accepts and ends at once does not shorten the waits.
    if now - readSince >= Self.steadyTime { attempts = 0 }
  }

  /// The connection has ended or could not be opened.
  mutating func lost(now: Instant) {
    guard case .reading = phase else { return }
    // The end of a pull without viewers is no loss.
    if now - lastWatched <= settings.idleTime { losses += 1 }
    wait(now)
  }

  private mutating func wait(_ now: Instant) {
    let wait = min(settings.longestWait, settings.shortestWait << min(attempts, 16))
    attempts += 1
    phase = .waiting(until: now.advanced(microseconds: wait))
  }

  /// A client asks for the stream, which counts as a viewer at that moment.
  mutating func wanted(now: Instant) { lastWatched = now }

  /// Notes the number of viewers. Call it at least once a second.
  mutating func checked(viewers: Int, now: Instant) -> Check {
    if viewers > 0 { lastWatched = now }
    if now - lastWatched > settings.idleTime { return .interrupt }
    guard case .reading = phase else { return .goOn }
    if now - max(lastMedia, readSince) > settings.silence { return .interrupt }
    guard now - lastAsked >= settings.doubtTime else { return .goOn }
    lastAsked = now
    return .ask
  }

  /// The registry has answered while the connection is silent. Returns whether to interrupt the connection, because another
  /// server publishes the stream. If none does, the server that is read may still wait for its publisher.
  func doubted(_ answer: Result<StreamServer?, OriginRefusal>) -> Bool {
    guard case .reading(let server) = phase, case .success(let found?) = answer else { return false }
    return found != server
  }
}
