import Foundation
import RoomRelay
import RoomProtocol
import RoomState
import RoomToken
import RoomSFU
import RoomWebRTC

// The effects of a PK on a room's media: the room receives the other anchor's tracks, and broadcasts of the anchor show both.

extension RoomCore {
  /// How long the stage waits for the other anchor's tracks before it shows both anchors.
  private static let guestTime = Duration.seconds(1)

  // MARK: Start and end

  /// Starts a PK.
  mutating func beginPK(_ info: PKInfo) {
    endPK()
    let guest: UserID? =
      switch info.mode {
      case .bridge: UserID("\(info.userId)@\(info.room)")
      case .move: info.inviter ? nil : info.userId
      }
    pk = PKStage(info: info, guest: guest)
    changes.stage = true
    guard info.mode == .bridge else { return showPK() }
    emit(.peer(.borrow(info.userId, from: info.room, info.pkId)))
    timers.set(.guest(info.pkId), at: time(in: Self.guestTime))
  }

  /// Lets the stage show both anchors.
  /// - Parameter pkId: the PK whose guest was awaited; nil for any.
  mutating func showPK(_ pkId: PKID? = nil) {
    guard let shown = pk, !shown.isShown, pkId ?? shown.info.pkId == shown.info.pkId else { return }
    pk?.isShown = true
    timers.cancel(.guest(shown.info.pkId))
    changes.stage = true
  }

  /// Applies a change of the PK, such as the other anchor being muted or unmuted.
  mutating func changePK(_ info: PKInfo) {
    guard let old = pk else { return }
    pk?.info = info
    guard old.info.peerMuted != info.peerMuted, let guest = old.guest else { return }
    if let participant = roster[guest], participant.presence.isGuest {
      for track in participant.tracks where track.info.kind == .audio { setMuted(info.peerMuted, track, of: guest, by: nil) }
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
    timers.cancel(.guest(stage.info.pkId))
    pk = nil
    changes.stage = true
    for id in jobs.keys { jobs[id]?.showsPK = false }
    guard stage.info.mode == .bridge, let guest = stage.guest else { return }
    if roster[guest]?.presence.isGuest == true { end(guest, EndedData(reason: .left)) }
    emit(.peer(.endBorrowing(stage.info.room)))
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

  /// Adds the guest with the tracks that the other room lends.
  mutating func borrow(_ lent: LentTracks) {
    // Tracks of an earlier PK may still arrive.
    guard !isClosed, let stage = pk, stage.info.pkId == lent.pkId, let guest = stage.guest else { return }
    if roster[guest] == nil {
      do throws(RoomError) { try enter(newParticipant(virtualToken(guest), .guest(lent.pkId))) } catch { return }
    }
    guard roster[guest]?.presence.isGuest == true else { return }
    var carried = stage.carried
    let added = show(lent.tracks, of: guest, &carried) { $0.muted || ($0.kind == .audio && stage.info.peerMuted) }
    pk?.carried = carried
    guard !added.isEmpty else { return }
    announce(added, of: guest)
    showPK()
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
