import RoomProtocol

/// The parameters of a measurement, the same for every server.
struct FirstPicturePlan: Sendable {
  /// Joins per second.
  var rate = 50.0
  /// Time during which people join, in seconds.
  var seconds = 20.0
  /// Time that each person stays after the start of its join, in seconds.
  var stay = 2.0
  /// Time after which a join without a picture has failed, in seconds.
  var patience = 10.0
  var room: RoomName = "first-picture"

  var joins: Int { max(1, Int((rate * seconds).rounded())) }

  /// The most people that may be present at a time.
  var mostPresent: Int { min(joins, Int((rate * (max(stay, patience) + 1)).rounded(.up))) }
}
