import RoomProtocol

/// Who may receive a participant's tracks, by its own choice. Everybody may at first.
///
/// The choice applies to participants and viewers. Mixes, jobs, recordings and other rooms are the room's own, and receive
/// every track.
package struct SubscriptionPermissions: Sendable, Hashable {
  /// The tracks that one user may receive. These tracks need not be published yet.
  package enum Tracks: Sendable, Hashable {
    case all
    case only(Set<TrackID>)
  }

  /// The users that may be named, and the tracks of one of them.
  package static let maximumUsers = 1000
  package static let maximumTracks = 100

  /// Nil if everybody may receive every track.
  private let users: [UserID: Tracks]?
  /// Whether some were left out, because there are more than the limits allow.
  let isCut: Bool

  package static let everyone = SubscriptionPermissions(users: nil, isCut: false)

  private init(users: [UserID: Tracks]?, isCut: Bool) { (self.users, self.isCut) = (users, isCut) }

  /// Permits these users only. Users beyond the limits are left out, so that they receive nothing.
  package init(only users: [UserID: Tracks]) {
    var isCut = users.count > Self.maximumUsers
    var permitted: [UserID: Tracks] = [:]
    for (user, tracks) in users.sorted(by: { $0.key < $1.key }).prefix(Self.maximumUsers) {
      permitted[user] = tracks
      guard case .only(let ids) = tracks, ids.count > Self.maximumTracks else { continue }
      permitted[user] = .only(Set(ids.sorted { $0.rawValue < $1.rawValue }.prefix(Self.maximumTracks)))
      isCut = true
    }
    self.init(users: permitted, isCut: isCut)
  }

  /// Returns whether a user may receive a track.
  func allows(_ track: TrackID, to user: UserID) -> Bool {
    guard let users else { return true }
    return switch users[user] {
    case .all?: true
    case .only(let tracks)?: tracks.contains(track)
    case nil: false
    }
  }
}
