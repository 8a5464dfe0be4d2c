import RoomCodecs
import Synchronization

/// The readers of a studio's preview. A slow reader loses its own oldest pictures.
final class PreviewTaps: Sendable {
  private struct State {
    var readers: [UInt64: AsyncStream<VideoFrame>.Continuation] = [:]
    var next: UInt64 = 0
  }
  private let state = Mutex(State())

  func stream(backlog: Int) -> AsyncStream<VideoFrame> {
    let (stream, reader) = AsyncStream.makeStream(of: VideoFrame.self, bufferingPolicy: .bufferingNewest(max(1, backlog)))
    state.withLock { state in
      state.readers[state.next] = reader
      state.next &+= 1
    }
    return stream
  }

  func send(_ picture: VideoFrame) {
    let readers = state.withLock { $0.readers }
    for (id, reader) in readers {
      if case .terminated = reader.yield(picture) { _ = state.withLock { $0.readers.removeValue(forKey: id) } }
    }
  }

  func finish() {
    let readers = state.withLock { $0.readers }
    for reader in readers.values { reader.finish() }
  }
}
