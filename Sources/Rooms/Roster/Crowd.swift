import RoomSFU

/// The people of a room, in total and by the server that has their media.
package struct Crowd: Sendable, Hashable {
  package struct Count: Sendable, Hashable {
    /// Participants, without hidden ones and without those that the server itself added.
    package var participants = 0
    /// People who only watch: WHEP sessions, without those of operators, and participants that publish nothing and have no seat.
    package var viewers = 0

    package init(participants: Int = 0, viewers: Int = 0) { (self.participants, self.viewers) = (participants, viewers) }

    package static func + (one: Count, other: Count) -> Count {
      Count(participants: one.participants + other.participants, viewers: one.viewers + other.viewers)
    }

    package static func - (one: Count, other: Count) -> Count {
      Count(participants: one.participants - other.participants, viewers: one.viewers - other.viewers)
    }
  }

  package private(set) var total = Count()
  /// Those whose media another server has.
  package private(set) var elsewhere: [MediaAnnexID: Count] = [:]

  package init() {}

  /// Creates the crowd of a room in which all participants only watch.
  /// - Parameters:
  ///   - participants: the number of participants.
  ///   - annexes: the servers that have the media of some of them, one for each.
  init(_ viewers: Viewers, participants: Int, annexes: some Sequence<MediaAnnexID>) {
    total = Count(participants: participants, viewers: participants + viewers.audience)
    elsewhere = viewers.audienceElsewhere.mapValues { Count(viewers: $0) }
    for annex in annexes { elsewhere[annex, default: Count()] = elsewhere[annex, default: Count()] + Self.watcher }
  }

  private static let watcher = Count(participants: 1, viewers: 1)

  /// Counts a participant no longer as one who only watches.
  /// - Parameter annex: the server that has its media; nil for this one.
  mutating func excludeFromViewers(of annex: MediaAnnexID?) {
    total.viewers -= 1
    if let annex { elsewhere[annex]?.viewers -= 1 }
  }
}
