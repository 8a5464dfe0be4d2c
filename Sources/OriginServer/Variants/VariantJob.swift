import RoomCLinux
import RoomCodecs
import Foundation
import RoomLiveOrigin
import Logging
import Synchronization

/// Makes one variant, on its own thread, as long as it has viewers and its source exists.
final class VariantJob: Sendable {
  let variant: StreamVariant
  private let source: StreamPath
  private let hub: StreamHub
  private let idleTime: Duration
  private let isStopped = Atomic(false)
  /// Signalled when there may be new media.
  private let news = DispatchSemaphore(value: 0)
  /// Whether `news` is signalled, so that it is signalled once for any number of messages.
  private let isSignalled = Atomic(false)

  init(_ variant: StreamVariant, of source: StreamPath, in hub: StreamHub, idleTime: Duration) {
    self.variant = variant
    self.source = source
    self.hub = hub
    self.idleTime = idleTime
  }

  /// Starts the thread. Calls `whenOver` once, on that thread, as its last action.
  func start(_ publication: Origin.Publication, _ origin: Origin, whenOver: @escaping @Sendable () -> Void) {
    let thread = Thread { [self] in
      linux_thread_name("variant")
      let watch = origin.watch(source) { [weak self] in self?.wake() }
      let reason = run(publication)
      withExtendedLifetime(watch) {}
      publication.end()
      whenOver()
      origin.log.info("variant ends", metadata: ["stream": "\(publication.path)", "reason": "\(reason)"])
    }
    thread.name = "variant"
    thread.start()
  }

  /// Ends the variant soon. May be called from any thread.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    wake()
  }

  private func wake() {
    if !isSignalled.exchange(true, ordering: .acquiringAndReleasing) { news.signal() }
  }

  private func run(_ publication: Origin.Publication) -> String {
    let transcoder: VariantTranscoder
    do { transcoder = try VariantTranscoder(variant) } catch { return "\(error)" }
    guard let viewer = hub.join(.init(lag: Origin.processingLag)) else { return "the source's limit of viewers is reached" }
    var lastWatched = ContinuousClock.now
    while !isStopped.load(ordering: .relaxed) {
      let now = ContinuousClock.now
      if publication.hub.statistics.viewers > 0 { lastWatched = now }
      guard now - lastWatched <= idleTime else { return "no viewers" }
      switch viewer.next() {
      case .media(let media): for message in transcoder.take(media) { publication.publish(message) }
      case .end: return "the source ended"
      case .nothing:
        // Cleared before the next look at the hub, so that no message is missed.
        if news.wait(timeout: .now() + 0.5) == .success { isSignalled.store(false, ordering: .sequentiallyConsistent) }
      }
    }
    return "stopped"
  }
}
