public import Codecs
public import RTP
import Synchronization

/// What a decoded track hands to one program: a bounded queue between two threads. Who is too slow to take misses the oldest.
public final class DecodedInbox: Sendable {
  /// In the order of the media's time, as a rule.
  public enum Item: Sendable {
    /// Its timestamp is its media time in microseconds.
    case picture(VideoFrame, came: Instant)
    /// Stereo at 48 kHz, from this sample on of ``AudioInput``'s grid.
    case sound([Int16], at: Int64, came: Instant)
    case muted(Bool)
    /// Microseconds by which what came before was late at most; the first item, where anything came.
    case lateness(Int64)
    /// The track is gone.
    case ended
  }

  /// 400 ms of pictures at 30 a second, and some.
  private static let mostPictures = 16
  /// 2 s of sound.
  private static let mostBlocks = 100

  private struct State {
    var items: [Item] = []
    var dropped = 0
  }

  private let isVideo: Bool
  private let state = Mutex(State())

  /// An empty one.
  public init(isVideo: Bool) { self.isVideo = isVideo }

  /// Items that found the queue full so far.
  public var dropped: Int { state.withLock { $0.dropped } }

  func put(_ item: Item) {
    state.withLock { state in
      if state.items.count >= (isVideo ? Self.mostPictures : Self.mostBlocks) {
        state.items.removeFirst()
        state.dropped += 1
      }
      state.items.append(item)
    }
  }

  /// Everything that has come since the last call.
  public func take() -> [Item] {
    state.withLock { state in
      guard !state.items.isEmpty else { return [] }
      defer { state.items = [] }
      return state.items
    }
  }
}
