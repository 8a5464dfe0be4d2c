import NIOCore

/// A repeating timer on an event loop's thread. The timer fires at multiples of an interval of the machine's uptime, so that
/// periodic work for many tracks, mixes and broadcasts shares one wakeup. Missed ticks are skipped.
///
/// Must only be used on its event loop.
final class Metronome: NIOScheduledCallbackHandler {
  private let loop: any EventLoop
  /// The interval in nanoseconds.
  private let interval: UInt64
  private let beat: () -> Bool
  private var next: NIOScheduledCallback?
  private var isStopped = false

  /// - Parameter beat: Called at each tick; returning false stops the timer.
  init(every interval: TimeAmount, on loop: any EventLoop, _ beat: @escaping () -> Bool) {
    self.loop = loop
    self.interval = UInt64(max(1, interval.nanoseconds))
    self.beat = beat
    schedule()
  }

  func stop() {
    isStopped = true
    next?.cancel()
    next = nil
  }

  func handleScheduledCallback(eventLoop: some EventLoop) {
    next = nil
    guard !isStopped else { return }
    if beat() { schedule() } else { isStopped = true }
  }

  private func schedule() {
    guard !isStopped else { return }
    let number = NIODeadline.now().uptimeNanoseconds / interval + 1
    // Scheduling fails on a loop that is shut down.
    next = try? loop.assumeIsolated().scheduleCallback(at: .uptimeNanoseconds(number * interval), handler: self)
  }
}
