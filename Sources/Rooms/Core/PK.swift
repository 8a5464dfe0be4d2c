import Foundation
import RoomRelay
import RoomProtocol
import RoomState
import RoomToken
import RoomSFU
import RoomWebRTC

// The effects of a PK on a room's media: the room receives the other anchor's tracks, and broadcasts of the anchor show both.

extension RoomCore {
  /// How long the stage waits for another anchor's tracks before it shows that anchor.
  private static let guestTime = Duration.seconds(1)

  // MARK: Start and end

  /// Starts a PK.
  mutating func beginPK(_ info: PKInfo) {
    endPK()
    pk = PKStage(info, in: name)
    changes.stage = true
    guard info.mode == .bridge else { return showPK() }
    for guest in pk?.guests ?? [] { awaitGuest(guest) }
  }

  private mutating func awaitGuest(_ guest: PKStage.Guest) {
    guard let info = pk?.info else { return }
    emit(.peer(.borrow(guest.anchor, from: guest.room, info.pkId)))
    timers.set(.guest(guest.user), at: time(in: Self.guestTime))
  }

  /// Lets the stage show a guest beside the anchor.
  /// - Parameter user: nil for all guests.
  mutating func showPK(_ user: UserID? = nil) {
    guard var stage = pk else { return }
    for index in stage.guests.indices
    where !stage.guests[index].isShown && user ?? stage.guests[index].user == stage.guests[index].user {
      stage.guests[index].isShown = true
      timers.cancel(.guest(stage.guests[index].user))
      changes.stage = true
    }
    pk = stage
  }

  /// Applies a change of the PK, such as another anchor being muted, joining or leaving.
  mutating func changePK(_ info: PKInfo) {
    guard let old = pk else { return }
    var new = PKStage(info, in: name)
    for (index, guest) in new.guests.enumerated() {
      guard var known = old[guest.user] else { continue }
      known.isMuted = guest.isMuted
      new.guests[index] = known
    }
    pk = new
    changes.stage = true
    for guest in old.guests where new[guest.user] == nil { dismiss(guest, info.mode) }
    for guest in new.guests {
      guard let known = old[guest.user] else {
        awaitGuest(guest)
        continue
      }
      guard known.isMuted != guest.isMuted, let participant = roster[guest.user], participant.presence.isGuest else { continue }
      for track in participant.tracks where track.info.kind == .audio {
        setMuted(guest.isMuted, track, of: guest.user, by: nil)
      }
    }
  }

  /// Resumes the PK of an anchor that joined again without signalling, and so can't call `resumePK`.
  mutating func resumePK(of user: UserID) {
    guard let participant = roster[user], !participant.presence.isClient, pk?.info.host == user else { return }
    // Throws if the PK was not interrupted, or another user took the host's seat; the PK then stays as it is.
    changeState { state in _ = try? state.resumePK(by: user) }
  }

  /// Ends the PK: each anchor is shown alone again.
  mutating func endPK() {
    guard let stage = pk else { return }
    pk = nil
    changes.stage = true
    for id in jobs.keys { jobs[id]?.showsPK = false }
    for guest in stage.guests { dismiss(guest, stage.info.mode) }
  }

  /// Removes a guest and its tracks.
  private mutating func dismiss(_ guest: PKStage.Guest, _ mode: PKMode) {
    timers.cancel(.guest(guest.user))
    guard mode == .bridge else { return }
    if roster[guest.user]?.presence.isGuest == true { end(guest.user, EndedData(reason: .left)) }
    emit(.peer(.endBorrowing(guest.room)))
  }

  /// Sends the inviting anchor its token for the other room, if it is the one to move; also after a lost connection.
  mutating func sendPKToken(to user: UserID) {
    guard let info = pk?.info, info.mode == .move, info.inviter, info.host == user, let host = roster[user],
      host.presence.isClient, let connection = host.connection
    else { return }
    let token = RoomToken(
      room: info.room, user: info.host, grants: host.grants.subtracting([.admin]).union([.publish, .subscribe]),
      expires: Date(timeIntervalSince1970: Double(now.unix) / 1000 + 3600), id: entropy.uuid(), pk: info.pkId)
    emit(.sendPKToken(token, info.pkId, to: connection))
  }

  // MARK: Borrowing

  /// Adds a guest with the tracks that the other room lends.
  mutating func borrow(_ lent: LentTracks) {
    // Tracks of an earlier PK, or of a room that left, may still arrive.
    guard !isClosed, let stage = pk, stage.info.pkId == lent.pkId,
      let guest = stage.guests.first(where: { $0.room == lent.room })
    else { return }
    let user = guest.user
    if roster[user] == nil {
      do throws(RoomError) { try enter(newParticipant(virtualToken(user), .guest(lent.pkId))) } catch { return }
    }
    guard roster[user]?.presence.isGuest == true else { return }
    var carried = guest.carried
    let added = show(lent.tracks, of: user, &carried) { $0.muted || ($0.kind == .audio && guest.isMuted) }
    pk?[user]?.carried = carried
    guard !added.isEmpty else { return }
    announce(added, of: user)
    showPK(user)
  }

  /// Makes the tracks of a participant of another room those that the room lends now. A track with other codecs is published anew.
  /// - Parameter carried: the lent track of each track here.
  /// - Returns: the new tracks, which nobody knows yet.
  mutating func show(
    _ lent: [LentTrack], of user: UserID, _ carried: inout [MediaTrackID: MediaTrackID], isMuted: (TrackInfo) -> Bool
  ) -> [PublishedTrack] {
    let codecs = Dictionary(lent.map { ($0.id, $0.parameters.codecs) }) { first, _ in first }
    let (tracks, known) = (roster[user]?.tracks ?? [], carried)
    let gone = tracks.filter { track in known[track.id].map { codecs[$0] != track.parameters.codecs } ?? true }
    for track in gone { carried[track.id] = nil }
    withdraw(Set(gone.map(\.info.trackId)), of: user)
    var added: [PublishedTrack] = []
    for track in lent {
      if let known = carried.first(where: { $0.value == track.id })?.key,
        let here = roster[user]?.tracks.first(where: { $0.id == known })
      {
        setMuted(isMuted(track.info), here, of: user, by: nil)
      } else {
        let new = link(track, isMuted: isMuted(track.info))
        carried[new.id] = track.id
        added.append(new)
      }
    }
    return added
  }

  /// Publishes a track of another room.
  private mutating func link(_ lent: LentTrack, isMuted: Bool) -> PublishedTrack {
    var parameters = lent.parameters
    parameters.mid = ""
    // The SSRCs and extensions are those of the other room's transport.
    parameters.encodings = []
    parameters.headerExtensions = [:]
    var info = lent.info
    info.trackId = newTrackID()
    info.muted = isMuted
    info.layers = nil
    let track = PublishedTrack(id: ids.track(), info: info, parameters: parameters)
    order(.link(track.id, parameters, lent))
    if isMuted { order(.mute(track.id, true)) }
    return track
  }

  // MARK: Lending

  /// Starts lending a user's tracks to another room.
  mutating func lend(_ user: UserID, to borrower: Borrower) {
    guard !isClosed else { return }
    lending[borrower] = Lending(user: user)
    changes.lending = true
  }

  mutating func endLending(to borrower: Borrower) {
    lending[borrower] = nil
    order(.endLending(borrower))
  }

  /// Sends the borrowing rooms the tracks that are published now.
  mutating func reconcileLending() {
    for (borrower, lent) in lending {
      let owner = roster[lent.user]
      let tracks = owner?.tracks.filter { $0.info.master || borrower.forwarded != nil } ?? []
      let sent = tracks.map { Lending.Sent(track: $0.id, isMuted: $0.info.muted, codecs: $0.parameters.codecs) }
      guard sent != lent.sent else { continue }
      lending[borrower]?.sent = sent
      let items = tracks.map { track in
        var info = track.info
        // The other room can't ask for them.
        info.backups = []
        return LentItem(
          source: TrackSourceID(track: track.id, isVideo: track.info.kind == .video, session: owner?.session ?? ""),
          info: info, parameters: track.parameters)
      }
      order(.lend(items, to: borrower))
    }
  }
}
