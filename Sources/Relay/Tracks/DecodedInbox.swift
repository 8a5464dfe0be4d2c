public import RoomCodecs
public import RoomRTP
import Synchronization

/// A bounded queue from a decoded track to one program, shared by two threads. A slow reader misses the oldest items.
public final class DecodedInbox: Sendable {
  /// An item; usually in the order of media time.
  public enum Item: Sendable {
    /// A decoded picture. The picture's timestamp is its media time.
    case picture(VideoFrame, came: Instant)
    /// Stereo samples at 48 kHz; `at` is the first sample's position on the grid of ``AudioInput``.
    case sound([Int16], at: Int64, came: Instant)
    case muted(Bool)
    /// The maximum lateness of the media so far, in µs; the first item if any media has arrived.
    case lateness(Int64)
    /// The track ended.
    case ended
  }

  /// More than 400 ms of pictures at 30 frames per second.
  private static let mostPictures = 16
  /// 2 s of audio.
  private static let mostBlocks = 100
  /// How far a reader may advance past the decoder's last poll, in µs: two of the decoder's ticks.
  private static let grace: Int64 = 20_000
  /// The maximum time that a reader waits for a decoder, in µs.
  private static let maximumStall: Int64 = 500_000

  private struct State {
    var items: [Item] = []
    var dropped = 0
    var polledAt: Instant?
  }

  private let isVideo: Bool
  private let state = Mutex(State())

  /// Creates an empty queue.
  public init(isVideo: Bool) { self.isVideo = isVideo }

  /// The number of items dropped because the queue was full.
  public var dropped: Int { state.withLock { $0.dropped } }

  /// Records that everything that arrived before `now` has been queued.
  func polled(at now: Instant) { state.withLock { $0.polledAt = now } }

  /// Returns the moment up to which a reader may advance. A decoder whose thread stalls for a while does not mean silence: the
  /// reader waits for it. Call it before ``take()``.
  public func reach(_ now: Instant) -> Instant {
    guard let polledAt = state.withLock({ $0.polledAt }) else { return now }
    return max(min(now, polledAt.advanced(microseconds: Self.grace)), now.advanced(microseconds: -Self.maximumStall))
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

  /// Removes and returns everything queued since the last call.
  public func take() -> [Item] {
    state.withLock { state in
      guard !state.items.isEmpty else { return [] }
      defer { state.items = [] }
      return state.items
    }
  }
}
