import RoomProtocol
import RoomState

// What entry points ask a room. The answers change nothing.

extension RoomCore {
  /// All participants, including hidden ones, in the order of joining.
  package var participants: [ParticipantInfo] { roster.order.compactMap { roster[$0]?.info } }
  package func participant(_ user: UserID) -> ParticipantInfo? { roster[user]?.info }
  package func hasJob(_ id: JobID) -> Bool { jobs[id] != nil }

  /// The numbers of participants, tracks and viewers.
  package var counts: (participants: Int, tracks: Int, viewers: Int) { (roster.countedCount, roster.trackCount, audience) }

  /// The numbers of connected participants that joined by themselves, and of viewers.
  package var people: (participants: Int, viewers: Int) {
    (roster.all.count { !$0.isVirtual && $0.isConnected }, viewers.audience)
  }

  /// The messages that a viewer may read: the last ones to all, without likes.
  package var publicMessages: [RoomMessage] { state.snapshot(for: nil).messages }

  /// Returns what a user may see of the room; all for nil.
  func snapshot(for user: UserID?) -> RoomSnapshot {
    var snapshot = state.snapshot(for: user)
    snapshot.jobs = jobList
    snapshot.players = playerList
    snapshot.stage = settings.stage
    return snapshot
  }
}
