import RoomProtocol

/// A room's search for an opponent.
struct PKSearch: Codable, Hashable, Sendable {
  /// The opponent that was found. Both rooms begin the PK by an invitation that only they see.
  struct Match: Codable, Hashable, Sendable {
    var pkId: PKID
    var room: RoomName
    /// Time by which the PK must have begun; milliseconds since 1970.
    var until: Int64
  }

  var ticket: PKTicket
  var match: Match?
  /// Time at which the room confirms its place in the queue, in case the queue or its answer was lost.
  var renewsAt: Int64

  var deadline: Int64 { match?.until ?? min(ticket.expiresAt, renewsAt) }
}
