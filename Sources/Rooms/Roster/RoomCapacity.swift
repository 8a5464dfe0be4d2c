import RoomToken

/// The capacity of a room and its use.
///
/// Part of it is reserved for participants that may publish, so that viewers alone can't keep a host out.
struct RoomCapacity: Sendable, Hashable {
  let most: Int
  let reserved: Int
  /// Participants whose token has the `publish` grant.
  var publishers = 0
  /// All other participants, and viewers.
  var others = 0

  /// - Parameter share: the percentage reserved for publishers, rounded up; at least one participant of the capacity stays
  ///   unreserved.
  init(most: Int, publisherShare share: Int) {
    self.most = most
    let places = Double(most) * Double(min(max(share, 0), 100)) / 100
    reserved = max(0, min(Int(places.rounded(.up)), most - 1))
  }

  func hasCapacity(publishes: Bool) -> Bool {
    guard publishers + others < most else { return false }
    return publishes || others < most - reserved
  }
}
