import NIOConcurrencyHelpers
import RTP
import RoomProtocol

/// What local tracks of both kinds share: the way of their frames into the rooms that hold them, and what comes back.
///
/// One room holds a track, on a ``TrackLine``; two while an anchor moves from the one to the other.
public final class TrackFeed: Sendable {
  private struct State {
    /// In the order in which rooms took hold of the track.
    var lines: [TrackLine] = []
    var target: Int?
    var dropped: UInt64 = 0
  }

  /// The old room and the new one.
  private static let lineLimit = 2

  let kind: TrackKind
  let keyFrameRequests = Fan<Void>()
  private let targets = Fan<Int>()
  private let state = NIOLockedValueBox(State())

  init(kind: TrackKind) { self.kind = kind }

  /// The newest that was given.
  ///
  /// Not lazily: a lazy `compactMap` reads each value twice, and another thread may clear it in between.
  var trackId: TrackID? { lines.reversed().compactMap(\.trackId).first }
  /// In the newest room.
  var isMuted: Bool { lines.last?.isMuted ?? false }
  /// Frames that no room took, though there was a way.
  var dropped: UInt64 { state.withLockedValue { $0.dropped } }
  var targetBitrates: AsyncStream<Int> { targets.stream(backlog: 1, first: state.withLockedValue { $0.target }) }

  private var lines: [TrackLine] { state.withLockedValue { $0.lines } }

  /// True where a room took the frame.
  func send(_ frame: EncodedFrame, level: Int?) -> Bool {
    var (isSent, isDropped, asks) = (false, false, false)
    for line in lines {
      switch line.send(frame, level: level) {
      case .sent: isSent = true
      case .noWay: break
      case .dropped(let needsKeyFrame):
        isDropped = true
        asks = asks || needsKeyFrame
      }
    }
    if isDropped { state.withLockedValue { $0.dropped &+= 1 } }
    if asks { keyFrameRequests.say(()) }
    return isSent
  }

  /// Gives a room hold of the track; nil where another room, or the same one, has it.
  /// - Parameter sharing: takes hold of it beside the room that has it, muted as it is there.
  func claim(sharing: Bool = false) -> TrackLine? {
    state.withLockedValue { state in
      guard state.lines.count < (sharing ? Self.lineLimit : 1) else { return nil }
      let line = TrackLine(self, muted: state.lines.last?.isMuted ?? false)
      state.lines.append(line)
      return line
    }
  }

  /// The room that had the line holds the track no more.
  func remove(_ line: TrackLine) {
    state.withLockedValue { $0.lines.removeAll { $0 === line } }
    spreadTarget()
  }

  /// What every way takes.
  func spreadTarget() {
    let new: Int? = state.withLockedValue { state in
      guard let least = state.lines.compactMap(\.target).min() else { return nil }
      state.target = least
      return least
    }
    if let new { targets.say(new) }
  }
}
