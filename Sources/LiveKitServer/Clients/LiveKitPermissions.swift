import RoomEngine
import RoomLiveKitProtocol
import RoomProtocol
import RoomServer
import RoomToken

extension SubscriptionPermissions {
  /// Which participants a client permits to receive its tracks. Participants are named by identity; by sid, only those that are present.
  /// - Parameter user: returns the participant with a sid.
  init(_ message: LiveKit.SubscriptionPermission, user: (String) -> UserID?) {
    guard !message.allParticipants else {
      self = .everyone
      return
    }
    var users: [UserID: Tracks] = [:]
    for permission in message.trackPermissions {
      let named =
        permission.participantIdentity.isEmpty
        ? user(permission.participantSID) : ForeignName(permission.participantIdentity)?.user
      guard let named else { continue }
      users[named] = permission.allTracks ? .all : .only(Set(permission.trackSIDs.map { TrackID($0) }))
    }
    self.init(only: users)
  }
}

/// The tracks that a client wants and may not receive, until one is offered.
struct LiveKitDenials: Sendable {
  private var tracks: Set<TrackID> = []

  mutating func deny(_ denied: [TrackID]) { tracks.formUnion(denied) }

  /// Returns those of tracks that the room sends: they are permitted now.
  mutating func permit(_ sent: [OfferedTrack]) -> [OfferedTrack] {
    guard !tracks.isEmpty else { return [] }
    return sent.filter { tracks.remove($0.trackId) != nil }
  }

  mutating func forget(_ ended: [TrackID]) { tracks.subtract(ended) }
}

extension LiveKit.SubscriptionPermissionUpdate {
  init(_ track: TrackID, of owner: String, isAllowed: Bool) {
    self.init {
      $0.participantSID = owner
      $0.trackSID = track.rawValue
      $0.allowed = isAllowed
    }
  }
}
