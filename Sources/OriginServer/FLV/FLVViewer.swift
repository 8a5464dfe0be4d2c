import RoomHTTPServer
import RoomLiveOrigin
import RoomRTMP
import Synchronization

/// One HTTP-FLV response. Reads from the hub as much as its client can take, one tag at a time.
///
/// Sendable: all mutable state is in `state`, which is accessed only under `lock`, and never escapes. It is not in the lock,
/// because the audience reads it in a closure.
final class FLVViewer: HTTPBodyStream, @unchecked Sendable {
  private struct State {
    let viewer: StreamViewer
    /// The tag that is being copied, and the position in it.
    var tag: [UInt8]
    var copied = 0
    var isOver = false
    var countedDrops = 0

    /// Reads the next tag. Returns false if there is none at present, or the stream has ended.
    mutating func advance() -> Bool {
      guard !isOver else { return false }
      switch viewer.next() {
      case .media(let media):
        tag = media.tag
        copied = 0
        return true
      case .nothing: return false
      case .end:
        isOver = true
        return false
      }
    }
  }

  private let viewing: Origin.Viewing
  private let audience: FLVAudience
  private let counters: OriginCounters
  private let left: @Sendable () -> Void
  private let lock = Mutex(())
  private var state: State

  /// Returns nil if the stream's limit of viewers is reached. Calls `left` in any case.
  init?(
    _ viewing: Origin.Viewing, _ audience: FLVAudience, _ options: StreamViewer.Options, _ counters: OriginCounters,
    left: @escaping @Sendable () -> Void
  ) {
    guard let viewer = viewing.hub.join(options) else {
      left()
      return nil
    }
    self.viewing = viewing
    self.audience = audience
    self.counters = counters
    self.left = left
    // The header's flags are only an announcement; players rely on the tags.
    state = State(viewer: viewer, tag: FLVStream.header(hasAudio: true, hasVideo: true))
  }

  deinit { left() }

  func read(into memory: UnsafeMutableRawBufferPointer, suspend: () -> SuspendedConnection) -> Int? {
    if audience.isOver { return nil }
    return lock.withLock { _ in
      var count = fill(memory)
      if count == 0, !state.isOver {
        audience.wait(suspend) {
          if state.advance() { count = fill(memory) }
          return count > 0 || state.isOver
        }
      }
      counters.countSent(count, over: .flv)
      let dropped = state.viewer.counters.droppedFrames &+ state.viewer.counters.missed
      if dropped != state.countedDrops {
        counters.countDropped(dropped - state.countedDrops)
        state.countedDrops = dropped
      }
      if count > 0 { return count }
      return state.isOver || audience.isOver ? nil : 0
    }
  }

  private func fill(_ memory: UnsafeMutableRawBufferPointer) -> Int {
    var count = 0
    while count < memory.count {
      if state.copied == state.tag.count, !state.advance() { break }
      let part = state.tag[state.copied..<min(state.tag.count, state.copied + memory.count - count)]
      UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyBytes(from: part)
      count += part.count
      state.copied += part.count
    }
    return count
  }

  func finished() {}
}
