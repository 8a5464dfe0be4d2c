import NIOCore
import RoomRelay
import RoomSFU

/// A running link between two rooms, on a thread of the pool.
actor LiveLink: TrackCopying {
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

  /// Interval at which the tap is polled, and so the added latency in the other room.
  private static let step = TimeAmount.milliseconds(4)

  private nonisolated let loop: any EventLoop
  private let injection: TrackInjection
  private let open: @Sendable () -> TrackSource
  private var source: TrackSource?
  private var link: TrackLink?
  private var ticking: RepeatedTask?

  init(_ open: @escaping @Sendable () -> TrackSource, into injection: TrackInjection, loop: any EventLoop) {
    self.open = open
    self.injection = injection
    self.loop = loop
  }

  nonisolated func start() {
    loop.execute { self.assumeIsolated { $0.begin() } }
  }

  nonisolated func stop() {
    loop.execute { self.assumeIsolated { $0.end() } }
  }

  private func begin() {
    let source = open()
    self.source = source
    link = TrackLink(from: source.tap, into: injection)
    source.requestKeyFrame()
    ticking = loop.scheduleRepeatedTask(initialDelay: .zero, delay: Self.step) { [weak self] task in
      guard let self else { return task.cancel() }
      self.assumeIsolated { $0.pump() }
    }
  }

  private func pump() {
    guard let link, let source else { return }
    link.pump(requestKeyFrame: source.requestKeyFrame)
    if link.isOver { ticking?.cancel() }
  }

  private func end() {
    ticking?.cancel()
    ticking = nil
    source?.release()
    source = nil
    link = nil
  }
}
