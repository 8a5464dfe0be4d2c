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

  init(_ viewers: Viewers) {
    total.viewers = viewers.audience
    elsewhere = viewers.audienceElsewhere.mapValues { Count(viewers: $0) }
  }

  /// Adds a participant.
  /// - Parameters:
  ///   - annex: the server that has its media; nil for this one.
  ///   - watches: whether it publishes nothing and has no seat.
  package mutating func add(_ annex: MediaAnnexID?, watches: Bool) {
    let one = Count(participants: 1, viewers: watches ? 1 : 0)
    total = total + one
    if let annex { elsewhere[annex] = (elsewhere[annex] ?? Count()) + one }
  }
}
