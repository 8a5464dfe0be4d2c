import RoomCodecs
import Synchronization

/// The frames of a sound studio that wait for a reader: at most a second.
final class SoundTap: Sendable {
  private static let backlog = 50

  let frames: AsyncStream<AudioFrame>
  private let continuation: AsyncStream<AudioFrame>.Continuation
  private let lost = Atomic<UInt64>(0)

  init() {
    (frames, continuation) = AsyncStream.makeStream(of: AudioFrame.self, bufferingPolicy: .bufferingNewest(Self.backlog))
  }

  /// The number of frames that were not read in time.
  var dropped: UInt64 { lost.load(ordering: .relaxed) }

  func push(_ frame: AudioFrame) {
    if case .dropped = continuation.yield(frame) { lost.add(1, ordering: .relaxed) }
  }

  /// Ends the reader's frames.
  func finish() { continuation.finish() }

  /// Sets what is called when the reader is released.
  func onEnd(_ body: @escaping @Sendable () -> Void) { continuation.onTermination = { _ in body() } }
}
