import Logging
import NIOCore
import RoomLiveOrigin
import RoomRTMP
import RoomRTP
import Synchronization

/// Pulls one stream from the server that publishes it, as long as it has viewers here.
final class PullJob: Sendable {
  /// Looks for the server that publishes the stream.
  typealias Find = @Sendable () async throws(OriginRefusal) -> StreamServer?

  /// How often the viewers are counted.
  private static let interval = Duration.milliseconds(250)

  /// What the bytes of all connections pass through.
  private struct Reader {
    var demuxer = FLVDemuxer()
    var seam = PullSeam()
    var server: StreamServer?
  }

  private let registry: any StreamRegistry
  private let find: Find
  private let state: Mutex<StreamPull>
  private let reader = Mutex(Reader())
  private let task = Mutex<Task<Void, Never>?>(nil)
  private let publication = Mutex<Origin.Publication?>(nil)
  private let isStopped = Atomic(false)

  init(
    from server: StreamServer, in registry: any StreamRegistry, _ settings: StreamPull.Settings, find: @escaping Find
  ) {
    self.registry = registry
    self.find = find
    state = Mutex(StreamPull(from: server, settings, now: Origin.now()))
  }

  /// The connections that were lost.
  var losses: Int { state.withLock { $0.losses } }

  /// The server that is read, or was last.
  var server: StreamServer { state.withLock { $0.server } }

  /// Starts to pull. Calls `whenOver` once, as the last action.
  func start(_ publication: Origin.Publication, _ log: Logger, whenOver: @escaping @Sendable () -> Void) {
    self.publication.withLock { $0 = publication }
    let task = Task { [self] in
      let reason = await run(publication)
      publication.close()
      log.info(
        "pull ends",
        metadata: [
          "stream": "\(publication.path)", "node": "\(state.withLock { $0.server.name })", "reason": "\(reason)",
          "losses": "\(losses)",
        ])
      whenOver()
    }
    self.task.withLock { $0 = task }
    if isStopped.load(ordering: .sequentiallyConsistent) { task.cancel() }
  }

  /// A client asks for the stream, and may become a viewer.
  func want() { state.withLock { $0.wanted(now: Origin.now()) } }

  /// Ends the pull, and its stream. May be called from any thread.
  func stop() {
    isStopped.store(true, ordering: .sequentiallyConsistent)
    task.withLock { $0 }?.cancel()
  }

  /// Ends the pull at once. The stream and its viewers wait for another publisher.
  func yield() {
    publication.withLock { $0 }?.end()
    stop()
  }

  private func run(_ publication: Origin.Publication) async -> String {
    while !Task.isCancelled {
      _ = check(publication)
      switch state.withLock({ $0.next(now: Origin.now()) }) {
      case .find:
        let result = await found()
        state.withLock { $0.found(result, now: Origin.now()) }
      case .read(let server):
        await read(from: server, publication)
        guard !Task.isCancelled else { break }
        state.withLock { $0.lost(now: Origin.now()) }
      case .wait(let until):
        try? await Task.sleep(for: min(Self.interval, .microseconds(max(0, until - Origin.now()))))
      case .end(let ending): return ending.rawValue
      }
    }
    return "stopped"
  }

  private func found() async -> Result<StreamServer?, OriginRefusal> {
    do throws(OriginRefusal) { return .success(try await find()) } catch { return .failure(error) }
  }

  private func check(_ publication: Origin.Publication) -> StreamPull.Check {
    let viewers = publication.hub.statistics.viewers
    return state.withLock { $0.checked(viewers: viewers, now: Origin.now()) }
  }

  /// Reads one connection until it ends, or is interrupted.
  private func read(from server: StreamServer, _ publication: Origin.Publication) async {
    reader.withLock { reader in
      reader.demuxer = FLVDemuxer()
      reader.seam.connected(isSame: reader.server == server)
      reader.server = server
    }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        try? await registry.read(publication.path, from: server) { [weak self] in try self?.receive($0, publication) }
      }
      group.addTask { [self] in
        while (try? await Task.sleep(for: Self.interval)) != nil {
          switch check(publication) {
          case .goOn: continue
          case .interrupt: return
          case .ask:
            let answer = await found()
            if state.withLock({ $0.doubted(answer) }) { return }
          }
        }
      }
      await group.next()
      group.cancelAll()
    }
  }

  private func receive(_ bytes: ByteBuffer, _ publication: Origin.Publication) throws {
    let now = Origin.now()
    state.withLock { $0.received(now: now) }
    try reader.withLock { reader in
      try bytes.withUnsafeReadableBytes { bytes in
        var rest = bytes
        while let message = try reader.demuxer.read(&rest) {
          if let joined = reader.seam.joined(message, now: now) { publication.publish(joined) }
        }
      }
    }
  }
}
