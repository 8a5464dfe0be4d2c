import Relay
import RoomProtocol
import SFU
import WebRTC

/// A track that a room lends to another for the time of a PK.
struct LentTrack: Sendable {
  var info: TrackInfo
  var parameters: RTPParameters
  /// Decoded once, for both rooms.
  var decoded: DecodedTrack
  /// Taps it in its own room.
  var open: @Sendable () -> TrackSource
}

/// All tracks that a room lends for a PK now.
struct LentTracks: Sendable {
  var pkId: PKID
  var tracks: [LentTrack]
}

/// What a room lends of one user, and to whom. Belongs to its `Room`, which alone touches it.
struct Lending {
  let user: UserID
  /// Sends the borrower all tracks that are lent now. Does not wait, and keeps the order.
  let tell: @Sendable ([LentTrack]) -> Void
  var told: [Told]?

  struct Told: Hashable {
    var track: MediaTrackID
    var isMuted: Bool
  }
}

extension Room {
  /// Lends a user's tracks to another room from now on, whichever it publishes.
  func lend(_ user: UserID, to room: RoomName, tell: @escaping @Sendable ([LentTrack]) -> Void) {
    lending[room] = Lending(user: user, tell: tell)
    renewLending()
  }

  /// Lends nothing to that room any more.
  func endLending(to room: RoomName) { lending[room] = nil }

  /// Tells the borrowers what is published now.
  func renewLending() {
    for (room, var lent) in lending {
      let owner = participants[lent.user]
      let tracks = owner.map { owner in owner.tracks.filter { $0.info.master } } ?? []
      let told = tracks.map { Lending.Told(track: $0.id, isMuted: $0.info.muted) }
      guard told != lent.told else { continue }
      lent.told = told
      lending[room] = lent
      lent.tell(owner.map { owner in tracks.map { self.lent($0, of: owner) } } ?? [])
    }
  }

  private func lent(_ track: PublishedTrack, of owner: Participant) -> LentTrack {
    let (id, isVideo, clock) = (track.id, track.info.kind == .video, owner.clock)
    return LentTrack(
      info: track.info, parameters: track.parameters, decoded: decoded(track, of: owner),
      open: { [media] in media.source(of: id, isVideo: isVideo, clock: clock) })
  }
}
