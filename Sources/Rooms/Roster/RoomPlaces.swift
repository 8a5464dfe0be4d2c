import RoomToken

/// The places of a room: how many there are, and how many are taken.
///
/// Some places are reserved for participants that may publish, so that viewers alone can't keep a host out.
struct RoomPlaces: Sendable, Hashable {
  let most: Int
  let reserved: Int
  /// Participants whose token has the `publish` grant.
  var publishers = 0
  /// All other participants, and viewers.
  var others = 0

  /// - Parameter share: percent of the places that are reserved, rounded up; all but one at most.
  init(most: Int, publisherShare share: Int) {
    self.most = most
    let places = Double(most) * Double(min(max(share, 0), 100)) / 100
    reserved = max(0, min(Int(places.rounded(.up)), most - 1))
  }

  func hasPlace(publishes: Bool) -> Bool {
    guard publishers + others < most else { return false }
    return publishes || others < most - reserved
  }
}
