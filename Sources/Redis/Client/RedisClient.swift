import Logging
import NIOCore
import NIOPosix
import Synchronization

/// A client of a Redis or Valkey server: one connection on a thread of its own.
///
/// Commands are sent in the order of the calls, without waiting for earlier replies. The client connects again after each
/// loss, after waits that double up to a maximum. A command that was sent once is not repeated, because its effect is unknown
/// (``RedisError/unanswered(_:)``), unless a node of a Redis Cluster has refused it because of its keys. One that waits for a
/// connection fails at its deadline (``RedisError/notSent(_:)``).
public final class RedisClient: Sendable {
  /// Times and limits of a client.
  public struct Settings: Sendable {
    /// Timeout of a connection, its greeting included, and of a question for the master.
    public var connectTime = TimeAmount.seconds(1)
    /// Timeout of a command if the call gives none, its wait for a connection included.
    public var commandTime = TimeAmount.seconds(2)
    /// Wait before the first attempt to connect again.
    public var shortestWait = TimeAmount.milliseconds(50)
    public var longestWait = TimeAmount.seconds(1)
    /// The hash tag of all keys: a Redis Cluster has them in one slot, and the client is connected to its master. Without effect on
    /// other servers.
    public var tag = ""
    /// Maximum number of commands without a reply.
    public var queueLimit = 16_384

    public init() {}
  }

  private struct State {
    var session: RedisSession?
    var fault: RedisFault?
    var sessions: UInt64 = 0
    var isClosed = false
    var watchers: [AsyncStream<RedisSession?>.Continuation] = []
  }

  public let url: RedisURL
  private let settings: Settings
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let loop: any EventLoop
  private let link: NIOLoopBoundBox<RedisLink?>
  private let state = Mutex(State())
  private let log: Logger

  /// Creates a client and starts to connect.
  /// - Throws: ``RedisFault/notReachable(_:)`` if the file of TLS authorities can't be read.
  public init(
    _ url: RedisURL, settings: Settings = .init(), log: Logger = Logger(label: "redis") { _ in SwiftLogNoOpLogHandler() }
  ) throws(RedisFault) {
    let transport = try RedisTransport(url)
    self.url = url
    self.settings = settings
    self.log = log
    let loop = group.next()
    self.loop = loop
    link = .makeEmptyBox(eventLoop: loop)
    loop.execute { [self] in
      let link = RedisLink(url, settings, transport: transport, on: loop) { [weak self] in self?.changed($0, $1) }
      self.link.value = link
      link.connect()
    }
  }

  /// The current connection; nil while there is none.
  public var session: RedisSession? { state.withLock { $0.session } }
  /// Why there is no connection; nil if there is one, or the first attempt is under way.
  public var fault: RedisFault? { state.withLock { $0.fault } }
  /// The number of connections so far.
  public var connections: UInt64 { state.withLock { $0.sessions } }

  /// The current connection and each change of it.
  public var sessions: AsyncStream<RedisSession?> {
    let (stream, watcher) = AsyncStream.makeStream(of: RedisSession?.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { state in
      watcher.yield(state.session)
      state.watchers.append(watcher)
    }
    return stream
  }

  private func changed(_ session: RedisSession?, _ fault: RedisFault?) {
    let (isNews, last) = state.withLock { state in
      let isNews = session != nil || fault != state.fault
      let last = state.session
      (state.session, state.fault) = (session, fault)
      if session != nil { state.sessions += 1 }
      state.watchers.removeAll { if case .terminated = $0.yield(session) { true } else { false } }
      return (isNews, last)
    }
    guard isNews else { return }
    if let session {
      log.info("connected to Redis", metadata: ["server": "\(session.server)", "process": "\(session.process)"])
    } else if let fault {
      log.warning(
        last == nil ? "no connection to Redis" : "the connection to Redis is lost",
        metadata: ["url": "\(url)", "reason": "\(fault)"])
    }
  }

  /// Sends a command and returns its reply.
  /// - Parameters:
  ///   - time: maximum time until the reply, the wait for a connection included.
  ///   - session: sends only on this connection; nil for any.
  /// - Throws: ``RedisError``; ``RedisError/refused(_:)`` for an error reply.
  public func send(
    _ command: RedisCommand, within time: TimeAmount? = nil, in session: RedisSession? = nil
  ) async throws(RedisError) -> RedisValue {
    let replies = try await pipeline([command], within: time, in: session)
    guard let reply = replies.first else { throw .unexpected("no reply") }
    if case .error(let text) = reply { throw .refused(text) }
    return reply
  }

  /// Sends commands at once, in order, and returns their replies. An error reply is ``RedisValue/error(_:)`` in the result.
  public func pipeline(
    _ commands: [RedisCommand], within time: TimeAmount? = nil, in session: RedisSession? = nil
  ) async throws(RedisError) -> [RedisValue] {
    let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<[RedisValue], RedisError>, Never>) in
      let isAccepted = execute { [link, settings] in
        guard let link = link.value else { return continuation.resume(returning: .failure(.closed)) }
        link.submit(commands, within: time ?? settings.commandTime, in: session?.number) { continuation.resume(returning: $0) }
      }
      if !isAccepted { continuation.resume(returning: .failure(.closed)) }
    }
    return try result.get()
  }

  /// Runs a body on the loop; false once the client is closed. Under the lock, so that the loop ends after all bodies.
  private func execute(_ body: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      if !state.isClosed { loop.execute(body) }
      return !state.isClosed
    }
  }

  /// Runs a script. The server keeps scripts by their digest; the source is sent once after each of its restarts.
  /// - Parameter replicas: the replicas that acknowledge the script's writes before it counts; 0 for none.
  /// - Throws: ``RedisError``; ``RedisError/notReplicated(acknowledged:)`` if too few replicas acknowledged.
  public func run(
    _ script: RedisScript, keys: [String], _ arguments: [[UInt8]] = [], replicas: Int = 0, within time: TimeAmount? = nil,
    in session: RedisSession? = nil
  ) async throws(RedisError) -> RedisValue {
    let wait: [RedisCommand] = replicas > 0 ? [["WAIT", "\(replicas)", "\(Self.acknowledgementTime)"]] : []
    for isKnown in [true, false] {
      let replies = try await pipeline(
        [script.command(keys: keys, arguments: arguments, isKnown: isKnown)] + wait, within: time, in: session)
      guard let reply = replies.first else { throw .unexpected("no reply") }
      if case .error(let text) = reply {
        if isKnown, text.hasPrefix("NOSCRIPT") { continue }
        throw .refused(text)
      }
      if replicas > 0, let acknowledged = replies.last?.number, acknowledged < Int64(replicas) {
        throw .notReplicated(acknowledged: Int(acknowledged))
      }
      return reply
    }
    throw .unexpected("NOSCRIPT in reply to EVAL")
  }

  /// Maximum time until replicas acknowledge a write; ms.
  private static let acknowledgementTime = 500

  /// Ends the connection; commands fail with ``RedisError/closed``.
  public func close() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let isAccepted = execute { [link] in
        link.value?.close()
        link.value = nil
        continuation.resume()
      }
      if !isAccepted { continuation.resume() }
    }
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      state.session = nil
      for watcher in state.watchers { watcher.finish() }
      state.watchers = []
      return !state.isClosed
    }
    guard isFirst else { return }
    try? await group.shutdownGracefully()
  }
}
