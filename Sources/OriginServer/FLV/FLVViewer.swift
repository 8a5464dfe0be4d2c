import RoomHTTPServer
import RoomLiveOrigin
import RoomRTMP
import Synchronization

/// One HTTP-FLV response. Reads from the hub as much as its client can take, one tag at a time.
///
/// Sendable: all mutable state is in `state`, which is accessed only under `lock`, and never escapes. The state is not in the
/// lock, because the audience reads it in a closure.
final class FLVViewer: HTTPBodyStream, @unchecked Sendable {
  private struct State {
    let hub: StreamHub
    let viewer: StreamViewer
    /// What the header and the metadata state; nil before the header.
    var beginning: FLVBeginning?
    /// The tag that is being copied, and the position in it.
    var tag: [UInt8]
    var copied = 0
    var isOver = false
    var countedDrops = 0
    /// The audience's wakeups before the viewer received everything; nil if more may be there.
    var receivedAll: Int?

    /// Reads the next tag. Returns false if there is none at present, or the stream has ended.
    mutating func advance() -> Bool {
      guard !isOver else { return false }
      guard let beginning else {
        // Players wait for all kinds that the header states.
        guard let kinds = hub.kinds else { return false }
        beginning = .kinds(kinds)
        return begin(FLVBeginning.kinds(kinds).header)
      }
      switch viewer.next() {
      case .media(let media):
        return begin(beginning.tag(of: media))
      case .nothing: return false
      case .end:
        isOver = true
        return false
      }
    }

    private mutating func begin(_ tag: [UInt8]) -> Bool {
      self.tag = tag
      copied = 0
      return true
    }
  }

  private let viewing: Origin.Viewing
  private let audience: FLVAudience
  private let counters: OriginCounters
  private let left: @Sendable () -> Void
  private let lock = Mutex(())
  private var state: State

  /// Returns nil if the stream's limit of viewers is reached. Calls `left` in any case.
  /// - Parameter beginning: What the response states about its media; nil to find out first.
  init?(
    _ viewing: Origin.Viewing, _ audience: FLVAudience, _ options: StreamViewer.Options, beginning: FLVBeginning?,
    _ counters: OriginCounters, left: @escaping @Sendable () -> Void
  ) {
    guard let viewer = viewing.hub.join(options) else {
      left()
      return nil
    }
    self.viewing = viewing
    self.audience = audience
    self.counters = counters
    self.left = left
    state = State(hub: viewing.hub, viewer: viewer, beginning: beginning, tag: beginning?.header ?? [])
  }

  deinit { left() }

  func read(into memory: UnsafeMutableRawBufferPointer, suspend: () -> SuspendedConnection) -> Int? {
    return lock.withLock { _ in
      // What has arrived meanwhile waits for the next wakeup, so that a viewer gets one block at each.
      if let last = state.receivedAll, audience.wait(since: last, suspend) { return 0 }
      var count = 0
      repeat {
        guard let wakeups = audience.wakeups else { return nil }
        count = fill(memory)
        state.receivedAll = count < memory.count ? wakeups : nil
        if count == 0, !state.isOver, audience.wait(since: wakeups, suspend) { break }
      } while count == 0 && !state.isOver
      counters.countSent(count, over: .flv)
      let dropped = state.viewer.counters.droppedFrames &+ state.viewer.counters.missed
      if dropped != state.countedDrops {
        counters.countDropped(dropped - state.countedDrops)
        state.countedDrops = dropped
      }
      return count == 0 && state.isOver ? nil : count
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
