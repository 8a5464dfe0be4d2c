import RoomCClient

/// Delivers frames of a track, a studio or a player.
final class ReaderHandle: Handle {
  private let delivery: StreamDelivery
  private let dropped: @Sendable () -> UInt64

  /// - Parameter dropped: the number of frames that the app did not take in time.
  init(on queue: EventQueue, dropped: @escaping @Sendable () -> UInt64 = { 0 }) {
    delivery = StreamDelivery(on: queue)
    self.dropped = dropped
  }

  var droppedFrames: UInt64 { dropped() }

  /// Gives the app the reader, and starts it.
  /// - Parameter send: passes a frame to the app's callback; nil at the end of the stream.
  func give<Frame: Sendable>(
    to result: UnsafeMutablePointer<OpaquePointer?>?, _ frames: AsyncStream<Frame>,
    _ send: @escaping @Sendable (OpaquePointer, Frame?) -> Void
  ) throws {
    // Before the start: its callback may run at once, on another thread.
    let (_, number) = try RoomClientLibrary.give(result, "reader") { self }
    delivery.start(frames) { frame in
      if let reader = OpaquePointer(bitPattern: number) { send(reader, frame) }
    }
  }

  func close() { delivery.end() }
}
