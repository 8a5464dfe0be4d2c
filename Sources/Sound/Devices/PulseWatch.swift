import RoomCPulse
import Synchronization

/// Waits for changes of a sound server's devices.
///
/// Unchecked: one thread waits, and `stop()` calls only `pa_mainloop_wakeup`, which any thread may call. The server is freed with
/// the watch, which both of them keep.
final class PulseWatch: @unchecked Sendable {
  private let server: PulseServer
  private let isStopped = Atomic(false)
  /// Set by the callback of the waiting thread.
  private let hasChanged = Atomic(false)

  init(_ name: String?) throws(PulseError) {
    server = try PulseServer(name)
    pa_context_set_subscribe_callback(
      server.context,
      { _, _, _, watch in
        guard let watch else { return }
        Unmanaged<PulseWatch>.fromOpaque(watch).takeUnretainedValue().hasChanged.store(true, ordering: .relaxed)
      }, Unmanaged.passUnretained(self).toOpaque())
    let mask = pa_subscription_mask_t(PA_SUBSCRIPTION_MASK_SINK.rawValue | PA_SUBSCRIPTION_MASK_SOURCE.rawValue)
    guard let operation = pa_context_subscribe(server.context, mask, nil, nil) else { throw server.error }
    pa_operation_unref(operation)
  }

  /// Returns the present devices. For the waiting thread.
  func devices() throws(PulseError) -> PulseDevices { try PulseDevices(server) }

  /// Returns true after a change, false after `stop()` or when the server ended.
  func waitForChange() -> Bool {
    while !isStopped.load(ordering: .relaxed), server.isAlive {
      if hasChanged.exchange(false, ordering: .relaxed) { return true }
      if pa_mainloop_iterate(server.loop, 1, nil) < 0 { return false }
    }
    return false
  }

  func stop() {
    isStopped.store(true, ordering: .relaxed)
    pa_mainloop_wakeup(server.loop)
  }
}
