import RoomHTTPServer
import RoomLiveOrigin
import Synchronization

/// The streams of other servers that have viewers here: one pull for all viewers of a stream, over any protocol.
package final class PullDirectory: Sendable {
  private struct State {
    var jobs: [StreamPath: PullJob] = [:]
    var begun = 0
    /// The lost connections of pulls that have ended.
    var losses = 0
    var isStopping = false
  }

  private let origin: Origin
  private let registry: any StreamRegistry
  private let state = Mutex(State())

  /// Makes the streams of an origin those of a cluster.
  package init(_ origin: Origin, _ registry: any StreamRegistry) {
    self.origin = origin
    self.registry = registry
    origin.install(
      registry,
      StreamPuller { [weak self] path throws(OriginRefusal) in
        try await self?.prepare(path)
      } keep: { [weak self] path in
        self?.keep(path) ?? false
      } yield: { [weak self] path in
        self?.state.withLock { $0.jobs[path] }?.yield()
      })
  }

  /// Starts to pull a stream that is not published here, if another server publishes it.
  private func prepare(_ path: StreamPath) async throws(OriginRefusal) {
    if keep(path) { return }
    // A variant of a stream that is published here is made here.
    if let source = path.source, origin.isPublishedHere(source) { return }
    guard let server = try await Self.server(of: path, in: registry) else { return }
    try begin(path, server)
  }

  /// Continues to pull a stream that is there.
  private func keep(_ path: StreamPath) -> Bool {
    guard origin.known(path)?.statistics.isPublished == true else { return false }
    state.withLock { $0.jobs[path] }?.want()
    return true
  }

  /// Returns the server that publishes a stream. The server of a stream also makes its variants.
  private static func server(
    of path: StreamPath, in registry: any StreamRegistry
  ) async throws(OriginRefusal) -> StreamServer? {
    if let server = try await registry.server(of: path) { return server }
    guard let source = path.source else { return nil }
    return try await registry.server(of: source)
  }

  private func begin(_ path: StreamPath, _ server: StreamServer) throws(OriginRefusal) {
    let registry = registry
    let settings = StreamPull.Settings(searchTime: origin.settings.linger.microseconds)
    let job = PullJob(from: server, in: registry, settings) { () throws(OriginRefusal) in
      try await Self.server(of: path, in: registry)
    }
    let publication: Origin.Publication
    do throws(OriginRefusal) {
      publication = try origin.beginPublish(path, by: .pull(from: server.name)) { [weak job] _ in job?.stop() }
    } catch {
      // Another request was faster, or the stream is published here meanwhile.
      if error.reason == .inUse { return }
      throw error
    }
    let isStopping = state.withLock { state in
      guard !state.isStopping else { return true }
      state.jobs[path] = job
      state.begun += 1
      return false
    }
    if isStopping { return publication.end() }
    job.start(publication, origin.log) { [weak self] in self?.forget(path, job) }
  }

  private func forget(_ path: StreamPath, _ job: PullJob) {
    let losses = job.losses
    state.withLock { state in
      state.losses += losses
      if state.jobs[path] === job { state.jobs[path] = nil }
    }
  }

  /// The number of people who watch pulled streams here, by the name of the server that each is pulled from.
  package var audience: [String: [StreamPath: Int]] {
    let jobs = state.withLock { $0.jobs }
    var audience: [String: [StreamPath: Int]] = [:]
    for (path, job) in jobs { audience[job.server.name, default: [:]][path] = origin.entry(at: path)?.audienceHere ?? 0 }
    return audience
  }

  package func addMetrics(to text: inout PrometheusText) {
    let (jobs, begun, losses) = state.withLock { (Array($0.jobs.values), $0.begun, $0.losses) }
    text.add("roomserver_origin_pulled_streams", .gauge, "Live streams that are pulled from other nodes.", jobs.count)
    text.add("roomserver_origin_pulls_total", .counter, "Live streams that began to be pulled from other nodes.", begun)
    text.add(
      "roomserver_origin_pull_losses_total", .counter, "Connections of pulls that were lost or could not be opened.",
      jobs.reduce(losses) { $0 + $1.losses })
  }

  /// Ends all pulls.
  package func stop() async {
    let jobs = state.withLock { state in
      state.isStopping = true
      return Array(state.jobs.values)
    }
    for job in jobs { job.stop() }
    while state.withLock({ !$0.jobs.isEmpty }) { try? await Task.sleep(for: .milliseconds(5)) }
  }
}

extension StreamPath {
  /// The stream that this is a variant of; nil if it is not a variant.
  fileprivate var source: StreamPath? {
    StreamVariant(stream).flatMap { StreamVariant($0.source) == nil ? StreamPath(app: app, stream: $0.source) : nil }
  }
}
