import NIOCore

/// Beats again and again on an event loop's thread, at the multiples of an interval of the machine's uptime: what a thread does so often for
/// one track, one mix and one broadcast after the other it does at one waking. Beats that were missed are left out.
///
/// May be touched on its event loop alone.
final class Metronome: NIOScheduledCallbackHandler {
  private let loop: any EventLoop
  /// Nanoseconds.
  private let interval: UInt64
  private let beat: () -> Bool
  private var next: NIOScheduledCallback?
  private var isStopped = false

  /// - Parameter beat: false ends it.
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
    // A loop that is shut down beats no more.
    next = try? loop.assumeIsolated().scheduleCallback(at: .uptimeNanoseconds(number * interval), handler: self)
  }
}
