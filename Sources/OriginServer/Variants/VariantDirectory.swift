import RoomHTTPServer
import RoomLiveOrigin
import Logging
import NIOCore
import Synchronization

/// The variants that are made now: one transcoder for all viewers of the same variant, over any protocol.
package final class VariantDirectory: Sendable {
  private struct State {
    var jobs: [StreamPath: VariantJob] = [:]
    var begun = 0
    var isStopping = false
  }

  private let origin: Origin
  private let settings: VariantSettings
  private let limit: Int
  private let making = Mutex(())
  private let state = Mutex(State())

  package init(_ settings: VariantSettings, origin: Origin) {
    self.origin = origin
    self.settings = settings
    limit = settings.limit ?? Self.usualLimit(cores: System.coreCount)
  }

  static func usualLimit(cores: Int) -> Int { max(1, cores / 2) }

  /// The number of variants that are made now.
  var count: Int { state.withLock { $0.jobs.count } }
  /// The number of variants started so far.
  var begun: Int { state.withLock { $0.begun } }

  /// Starts to make the variant of that name, if its source exists.
  /// - Returns: false if the name is not a variant's, or its source is not published.
  /// - Throws: if the limit of variants is reached.
  package func make(_ path: StreamPath) throws(OriginRefusal) -> Bool {
    // A variant of a variant would only cost more than a variant of the source.
    guard let variant = StreamVariant(path.stream), StreamVariant(variant.source) == nil,
      let source = StreamPath(app: path.app, stream: variant.source), let hub = origin.known(source),
      // A variant of a pulled stream is pulled as well: one server makes it for all.
      origin.isPublishedHere(source)
    else { return false }
    // Serialised, so that simultaneous requests for a variant get the same one.
    try making.withLock { _ throws(OriginRefusal) in
      if origin.known(path)?.statistics.isPublished != true { try begin(variant, at: path, of: source, in: hub) }
    }
    return true
  }

  private func begin(
    _ variant: StreamVariant, at path: StreamPath, of source: StreamPath, in hub: StreamHub
  ) throws(OriginRefusal) {
    let job = VariantJob(variant, of: source, in: hub, idleTime: settings.idleTime)
    let refusal: OriginRefusal? = state.withLock { state in
      guard !state.isStopping else { return OriginRefusal(.stopping, "the server is stopping") }
      // An existing job for this path has just ended.
      guard state.jobs.count < limit || state.jobs[path] != nil else {
        return OriginRefusal(.variants, "the server's limit of \(limit) variants is reached")
      }
      state.jobs[path] = job
      state.begun += 1
      return nil
    }
    if let refusal { throw refusal }
    do throws(OriginRefusal) {
      let publication = try origin.beginPublish(path, by: .variant) { [weak job] _ in job?.stop() }
      job.start(publication, origin) { [weak self] in self?.forget(path, job) }
    } catch {
      forget(path, job)
      throw error
    }
  }

  private func forget(_ path: StreamPath, _ job: VariantJob) {
    state.withLock { state in
      if state.jobs[path] === job { state.jobs[path] = nil }
    }
  }

  package func addMetrics(to text: inout PrometheusText) {
    text.add("roomserver_origin_variants", .gauge, "Variants that are made now.", count)
    text.add("roomserver_origin_variants_total", .counter, "Variants that began to be made.", begun)
  }

  /// Ends all variants, and waits for their threads.
  package func stop() async {
    let jobs = state.withLock { state in
      state.isStopping = true
      return Array(state.jobs.values)
    }
    for job in jobs { job.stop() }
    while count > 0 { try? await Task.sleep(for: .milliseconds(5)) }
  }
}
