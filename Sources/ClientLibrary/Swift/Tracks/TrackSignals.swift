import RoomCClient
import RoomClient

/// Delivers to the app what its encoder needs to know.
final class TrackSignals: Sendable {
  private let delivery: Delivery
  private let tasks: [Task<Void, Never>]

  init(_ track: LocalVideoTrack, on queue: EventQueue, _ callback: SignalCallback) {
    let delivery = Delivery(queue)
    let (requests, targets) = (track.keyFrameRequests, track.targetBitrate)
    self.delivery = delivery
    tasks = [
      Task { for await _ in requests { await delivery.run { callback.send(RC_SIGNAL_KEY_FRAME, 0) } } },
      Task { for await target in targets { await delivery.run { callback.send(RC_SIGNAL_BITRATE, Int64(target)) } } },
    ]
  }

  func end() {
    for task in tasks { task.cancel() }
    delivery.end()
  }
}

/// The app's callback for the signals of a track.
///
/// Unchecked because of the context pointer: it is never read here, only passed to the callback, on the thread that the app
/// chose. A C function has no state.
struct SignalCallback: @unchecked Sendable {
  let track: UInt
  let callback: rc_on_signal
  let context: UnsafeMutableRawPointer?

  func send(_ type: rc_signal_type, _ value: Int64) {
    if let track = OpaquePointer(bitPattern: track) { callback(context, track, type, value) }
  }
}
