import NIOCore
import RoomRTP
import RoomRelay
import RoomSFU

/// A running ``TrackRendition``, on a thread of the mixes.
actor LiveRendition {
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

  /// The interval at which the tap is polled, and so the added latency.
  private static let step = TimeAmount.milliseconds(4)

  private nonisolated let loop: any EventLoop
  private let open: @Sendable () -> TrackSource
  private let codec: TrackRendition.Codec
  private let injection: TrackInjection
  private let budget: MixBudget
  private let failed: @Sendable (String) -> Void
  private var running: (source: TrackSource, rendition: TrackRendition)?
  private var ticking: RepeatedTask?

  /// - Parameters:
  ///   - open: taps the track.
  ///   - failed: called once with the reason, if the rendition can't be made.
  init(
    of open: @escaping @Sendable () -> TrackSource, in codec: TrackRendition.Codec, into injection: TrackInjection,
    budget: MixBudget, on loop: any EventLoop, failed: @escaping @Sendable (String) -> Void
  ) {
    self.open = open
    self.codec = codec
    self.injection = injection
    self.budget = budget
    self.loop = loop
    self.failed = failed
  }

  nonisolated func start() {
    loop.execute { self.assumeIsolated { $0.begin() } }
  }

  nonisolated func stop() {
    loop.execute { self.assumeIsolated { $0.end() } }
  }

  private func begin() {
    let source = open()
    running = (source, TrackRendition(of: source.tap, in: codec, into: injection, budget: budget))
    ticking = loop.scheduleRepeatedTask(initialDelay: .zero, delay: Self.step) { [weak self] task in
      guard let self else { return task.cancel() }
      self.assumeIsolated { $0.pump() }
    }
  }

  private func pump() {
    guard let running else { return }
    do throws(VideoTranscoder.Failure) {
      try running.rendition.pump(now: .now, requestKeyFrame: running.source.requestKeyFrame)
    } catch {
      failed("\(error)")
      return end()
    }
    if running.rendition.isOver { ticking?.cancel() }
  }

  private func end() {
    ticking?.cancel()
    ticking = nil
    running?.source.release()
    running = nil
  }
}
