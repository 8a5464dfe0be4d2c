import RoomProtocol
import NIOCore
import RoomRelay
import RoomSFU
import Synchronization

/// The reports of media workers, broadcasts and other rooms to a room, in order.
///
/// Posting never blocks, because workers and broadcasts call from threads of their own. Pending audio levels and speakers are
/// replaced by newer ones. Everything else is kept: a transport, a track and a connection attempt of a job each cause only a
/// few events, so their number bounds the queue.
final class RoomInbox: Sendable {
  enum Notice: Sendable {
    case media(MediaEvent)
    case job(BroadcastEvent, id: JobID)
    case lent(LentTracks)
    /// A rendition can't be made, with the reason.
    case renditionFailed(MediaTrackID, String)
    /// The room that encodes a mix for both rooms changes its own.
    case sharingEnded(MixID)
    /// All tracks of a participant of another room, which appears in this one.
    case forwarded(UserID, from: RoomName, [LentTrack])
  }

  private struct State {
    var notices = CircularBuffer<Notice>()
    /// The latest level of each track.
    var levels: [MediaTrackID: Int] = [:]
    var speakers: [MediaTrackID]?
    var isFinished = false
  }

  private let state = Mutex(State())
  private let wake: AsyncStream<Void>.Continuation
  /// Yields an element after notices are posted; one element may stand for several notices.
  let wakeups: AsyncStream<Void>

  init() { (wakeups, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

  func post(_ notice: Notice) {
    state.withLock { state in
      guard !state.isFinished else { return }
      switch notice {
      case .media(.audioLevels(let levels)): for level in levels { state.levels[level.track] = level.level }
      case .media(.activeSpeakers(let speakers)): state.speakers = speakers
      case .media, .job, .lent, .forwarded, .renditionFailed, .sharingEnded: state.notices.append(notice)
      }
    }
    wake.yield()
  }

  /// Removes and returns the oldest notice. Levels come after everything else, and speakers after their levels, as workers
  /// report them.
  func next() -> Notice? {
    state.withLock { state in
      if let notice = state.notices.popFirst() { return notice }
      guard state.levels.isEmpty else {
        let levels = state.levels.map { TrackLevel(track: $0.key, level: $0.value) }
        state.levels.removeAll(keepingCapacity: true)
        return .media(.audioLevels(levels))
      }
      defer { state.speakers = nil }
      return state.speakers.map { .media(.activeSpeakers($0)) }
    }
  }

  /// Rejects further notices; the stream ends after the pending ones are read.
  func finish() {
    state.withLock { $0.isFinished = true }
    wake.finish()
  }
}
