import RoomClient
import Synchronization

/// Delivers the frames of a remote track, one at a time. What the app does not take in time waits in the bounded stream of the
/// track or its decoder.
final class ReaderHandle: Handle {
  private let delivery: Delivery
  private let dropped: @Sendable () -> UInt64
  private let task = Mutex<Task<Void, Never>?>(nil)

  /// - Parameter dropped: the number of frames that the app did not take in time.
  init(on queue: EventQueue, dropped: @escaping @Sendable () -> UInt64) {
    delivery = Delivery(queue)
    self.dropped = dropped
  }

  var droppedFrames: UInt64 { dropped() }

  /// Passes each frame of the stream to `send`, and nil at its end.
  func start<Frame: Sendable>(_ frames: AsyncStream<Frame>, _ send: @escaping @Sendable (Frame?) -> Void) {
    // Under the lock: the first callback may release the reader at once.
    task.withLock { task in
      task = Task { [delivery] in
        for await frame in frames { await delivery.run { send(frame) } }
        if !Task.isCancelled { await delivery.run { send(nil) } }
      }
    }
  }

  func close() {
    task.withLock { $0?.cancel() }
    delivery.end()
  }
}

/// A callback of the app for the frames of a reader.
///
/// Unchecked because of the context pointer: it is never read here, only passed to the callback, on the thread that the app
/// chose. A C function has no state.
struct FrameCallback<Function>: @unchecked Sendable {
  let function: Function
  let context: UnsafeMutableRawPointer?
}
