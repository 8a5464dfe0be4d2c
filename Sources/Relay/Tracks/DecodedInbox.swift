public import Codecs
public import RTP
import Synchronization

/// What a decoded track hands to one program: a bounded queue between two threads. Who is too slow to take misses the oldest.
public final class DecodedInbox: Sendable {
  /// In the order of the media's time, as a rule.
  public enum Item: Sendable {
    /// Its timestamp is its media time.
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
  /// Microseconds after its decoder's last look that a reader may go on to: two of the decoder's beats.
  private static let grace: Int64 = 20_000
  /// Microseconds that a reader waits for a decoder at most.
  private static let longestStandstill: Int64 = 500_000

  private struct State {
    var items: [Item] = []
    var dropped = 0
    var lookedAt: Instant?
  }

  private let isVideo: Bool
  private let state = Mutex(State())

  /// An empty one.
  public init(isVideo: Bool) { self.isVideo = isVideo }

  /// Items that found the queue full so far.
  public var dropped: Int { state.withLock { $0.dropped } }

  /// All that had come by now has been put.
  func looked(at now: Instant) { state.withLock { $0.lookedAt = now } }

  /// The moment that a reader may go on to. A decoder whose thread stands still for a while is no silence: who reads waits for it.
  /// To be asked before ``take()``.
  public func reach(_ now: Instant) -> Instant {
    guard let lookedAt = state.withLock({ $0.lookedAt }) else { return now }
    return max(min(now, lookedAt.advanced(microseconds: Self.grace)), now.advanced(microseconds: -Self.longestStandstill))
  }

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
