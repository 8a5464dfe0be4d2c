import Logging
import NIOCore
import RoomCluster
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomLiveOrigin
import RoomOriginServer
import RoomRTP
import RoomRedis
import RoomServer
import Synchronization

/// The live streams of a cluster: enters those of this node in the directory, and reads those of other nodes by HTTP-FLV.
final class ClusterStreams: StreamRegistry {
  typealias Refused = @Sendable (_ reason: String) -> Void

  /// How long a publish waits for its entry. Without an answer it begins all the same, and is entered later.
  private static let claimTime = Duration.milliseconds(1500)
  /// How long an entry of a publish that has begun may be refused before the publish ends; µs. The entries of a node that has died
  /// count until its lease has ended.
  private static let patience: Int64 = 10_000_000
  /// How often entries are compared with the streams.
  private static let tick = Duration.milliseconds(250)
  /// The time until another node answers.
  private static let answerTime = Duration.seconds(3)

  private struct Publish {
    var refused: Refused
    /// Whether the first verdict was positive.
    var isGranted: Bool?
    /// Waits for the first verdict.
    var waiting: CheckedContinuation<Bool, Never>?
  }

  private struct State {
    var claims = StreamClaims()
    var publishes: [StreamPath: [Int: Publish]] = [:]
    var lastPublish = 0
    var lookups = StreamLookups(now: .now)
    var asking: [StreamPath: Task<Result<Incarnation?, RedisError>, Never>] = [:]
  }

  private let node: ClusterNode
  private let redis: RedisClient
  private let store: StreamStore
  private let client: NodeClient
  private let signature: NodeSignature
  private let log: Logger
  private let state = Mutex(State())
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation
  private let tasks = Mutex<[Task<Void, Never>]>([])

  init(_ node: ClusterNode, _ redis: RedisClient, _ client: NodeClient, _ signature: NodeSignature, log: Logger) {
    self.node = node
    self.redis = redis
    store = StreamStore(redis)
    self.client = client
    self.signature = signature
    self.log = log
    (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Starts to write entries.
  func start() {
    let writing = Task { [weak self, wakes] in
      for await _ in wakes { await self?.write() }
    }
    let ticking = Task { [wake] in
      while (try? await Task.sleep(for: Self.tick)) != nil { wake.yield() }
    }
    tasks.withLock { $0 = [writing, ticking] }
  }

  /// Ends the writes. The entries count no more once the node has left the cluster.
  func stop() {
    wake.finish()
    let running = tasks.withLock { tasks in
      defer { tasks = [] }
      return tasks
    }
    for task in running { task.cancel() }
  }

  // MARK: The streams of this node

  func enter(_ path: StreamPath, refused: @escaping Refused) -> StreamClaim { claim(add(path, refused), path) }

  func claim(_ path: StreamPath, refused: @escaping Refused) async throws(OriginRefusal) -> StreamClaim {
    let number = add(path, refused)
    let claim = claim(number, path)
    let timeout = Task { [weak self] in
      try? await Task.sleep(for: Self.claimTime)
      self?.decide(path, number, isGranted: true)
    }
    defer { timeout.cancel() }
    let isGranted = await withCheckedContinuation { continuation in
      let known = state.withLock { state in
        let known = state.publishes[path]?[number]?.isGranted
        if known == nil { state.publishes[path]?[number]?.waiting = continuation }
        return known
      }
      if let known { continuation.resume(returning: known) }
    }
    guard isGranted else { throw OriginRefusal(.inUse, "\(path) is already being published at another node") }
    return claim
  }

  private func add(_ path: StreamPath, _ refused: @escaping Refused) -> Int {
    defer { wake.yield() }
    return state.withLock { state in
      state.lastPublish += 1
      var publish = Publish(refused: refused)
      if state.claims.began(path.name) { publish.isGranted = true }
      state.publishes[path, default: [:]][state.lastPublish] = publish
      return state.lastPublish
    }
  }

  private func claim(_ number: Int, _ path: StreamPath) -> StreamClaim {
    StreamClaim { [weak self] in
      guard let self else { return }
      // Released outside the lock: the publisher may release further claims.
      let publish = state.withLock { state in
        let publish = state.publishes[path]?.removeValue(forKey: number)
        if state.publishes[path]?.isEmpty == true { state.publishes[path] = nil }
        if publish != nil { state.claims.ended(path.name) }
        return publish
      }
      withExtendedLifetime(publish) {}
      wake.yield()
    }
  }

  private func decide(_ path: StreamPath, _ number: Int, isGranted: Bool) {
    let waiting = state.withLock { state in
      let waiting = state.publishes[path]?[number]?.waiting
      state.publishes[path]?[number]?.waiting = nil
      return waiting
    }
    waiting?.resume(returning: isGranted)
  }

  private func write() async {
    while !Task.isCancelled {
      let (own, session) = (node.incarnation, redis.session)
      let next = state.withLock { $0.claims.next(own: own, process: session?.process, now: .now) }
      guard let next, let session else { return }
      let refused: Set<String>?
      do throws(RedisError) { refused = try await store.carryOut(next, in: session) } catch {
        log.debug("the directory of streams does not answer", metadata: ["reason": "\(error)"])
        refused = nil
      }
      guard let refused else { return state.withLock { $0.claims.failed(now: .now) } }
      settle(state.withLock { $0.claims.answered(refused: refused, now: .now) })
    }
  }

  private func settle(_ verdicts: [String: StreamClaims.Verdict]) {
    let now = Instant.now
    for (name, verdict) in verdicts {
      guard let path = StreamPath(name) else { continue }
      let (isGranted, isOverdue) =
        switch verdict {
        case .granted: (true, false)
        case .refused(let since): (false, now - since >= Self.patience)
        }
      let publishes = state.withLock { state in
        let publishes = state.publishes[path] ?? [:]
        for (number, publish) in publishes {
          state.publishes[path]?[number]?.waiting = nil
          if publish.isGranted == nil { state.publishes[path]?[number]?.isGranted = isGranted }
        }
        return publishes
      }
      for publish in publishes.values {
        if let waiting = publish.waiting {
          waiting.resume(returning: isGranted)
        } else if isOverdue {
          log.warning("another node publishes a stream of this one, which ends it", metadata: ["stream": "\(path)"])
          publish.refused("\(path) is being published at another node")
        }
      }
    }
  }

  // MARK: The streams of other nodes

  func server(of path: StreamPath) async throws(OriginRefusal) -> StreamServer? {
    guard let publisher = try await publisher(of: path) else { return nil }
    let membership = node.membership
    // The entry of an incarnation that has ended counts for nobody.
    guard publisher != node.incarnation, let member = membership.members[publisher], !member.report.address.isEmpty else {
      return nil
    }
    return StreamServer(name: "\(publisher)", address: member.report.address)
  }

  private func publisher(of path: StreamPath) async throws(OriginRefusal) -> Incarnation? {
    enum Way {
      case known(Incarnation?)
      case ask(Task<Result<Incarnation?, RedisError>, Never>)
      case tooMany
    }
    let way = state.withLock { state -> Way in
      if let task = state.asking[path] { return .ask(task) }
      switch state.lookups.answer(for: path, now: .now) {
      case .known(let publisher): return .known(publisher)
      case .tooMany: return .tooMany
      case .ask: break
      }
      let task = Task { [weak self, store] in
        let result: Result<Incarnation?, RedisError>
        do throws(RedisError) { result = .success(try await store.publisher(of: path.name)) } catch { result = .failure(error) }
        self?.learned(result, of: path)
        return result
      }
      state.asking[path] = task
      return .ask(task)
    }
    switch way {
    case .known(let publisher): return publisher
    case .tooMany: throw OriginRefusal(.registry, "too many streams are looked for at a time; try again in a second")
    case .ask(let task):
      switch await task.value {
      case .success(let publisher): return publisher
      case .failure: throw OriginRefusal(.registry, "the cluster's directory of streams does not answer; try again in a second")
      }
    }
  }

  private func learned(_ result: Result<Incarnation?, RedisError>, of path: StreamPath) {
    state.withLock { state in
      state.asking[path] = nil
      if case .success(let publisher) = result { state.lookups.learned(publisher, of: path, now: .now) }
    }
  }

  func read(
    _ path: StreamPath, from server: StreamServer, receive: @escaping @Sendable (ByteBuffer) throws -> Void
  ) async throws {
    let target = "\(path).flv"
    var request = HTTPRequest(method: "GET", target: target, headers: [])
    signature.sign(&request, as: node.id, at: RoomTime.now.unix)
    try await client.read(request, from: server.address, within: Self.answerTime, receive: receive)
  }
}
