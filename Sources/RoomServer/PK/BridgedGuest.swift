import Foundation
import Relay
import RoomProtocol
import RoomToken
import SFU
import WebRTC

/// The anchor of another room, as a participant of this one. Belongs to its `Room`, which alone touches it.
final class BridgedGuest {
  /// One track, which is carried here from its own room.
  struct Carried {
    /// In its own room.
    let original: TrackID
    let link: LiveLink
    let decoded: DecodedTrack
  }

  /// By the id of the track here.
  var carried: [MediaTrackID: Carried] = [:]
}

extension Room {
  /// What the other room lends: the guest is here, with these tracks.
  func borrow(_ lent: LentTracks) {
    // Tracks of an earlier PK may still be on their way.
    guard let stage = pkStage, stage.info.pkId == lent.pkId, let user = stage.guest, !isClosed else { return }
    let tracks = lent.tracks
    let participant = participants[user] ?? welcome(user)
    guard let participant, let guest = participant.bridged else { return }
    let ids = Set(tracks.map { ObjectIdentifier($0.decoded) })
    let gone = participant.tracks.filter { track in
      guest.carried[track.id].map { !ids.contains(ObjectIdentifier($0.decoded)) } ?? true
    }
    for track in gone { guest.carried.removeValue(forKey: track.id)?.link.stop() }
    withdraw(gone, of: participant)
    var added: [TrackInfo] = []
    for lent in tracks {
      let known = guest.carried.first { $0.value.decoded === lent.decoded }?.key
      if let known, let index = participant.tracks.firstIndex(where: { $0.id == known }) {
        setMuted(isMuted(lent), index, of: participant, by: nil)
      } else {
        added.append(carry(lent, of: participant, guest))
      }
    }
    guard !added.isEmpty else { return }
    announce(added, of: participant)
    showPK()
  }

  private func welcome(_ user: UserID) -> Participant? {
    let token = RoomToken(room: name, user: user, grants: [.publish], expires: .distantFuture)
    let participant = Participant(token: token, outlet: NoOutlet(), plan: SubscriptionPlan(automatic: false))
    participant.bridged = BridgedGuest()
    admit(participant)
    return participant
  }

  private func carry(_ lent: LentTrack, of participant: Participant, _ guest: BridgedGuest) -> TrackInfo {
    var parameters = lent.parameters
    parameters.mid = ""
    // The SSRCs and extensions are those of the other room's transport.
    parameters.encodings = []
    parameters.headerExtensions = [:]
    var info = lent.info
    info.trackId = TrackInfo.newID()
    info.muted = isMuted(lent)
    let track = PublishedTrack(id: nextTrackID(), info: info, parameters: parameters)
    let link = LiveLink(lent.open, into: media.inject(track.id, parameters: parameters), loop: surroundings.mixes.loop())
    if info.muted { media.setMuted(track.id, true) }
    link.start()
    guest.carried[track.id] = .init(original: lent.info.trackId, link: link, decoded: lent.decoded)
    participant.tracks.append(track)
    return info
  }

  private func isMuted(_ lent: LentTrack) -> Bool {
    lent.info.muted || (lent.info.kind == .audio && pkStage?.info.peerMuted == true)
  }

  /// Ends the links of a participant that leaves.
  func endBridge(of participant: Participant) {
    guard let guest = participant.bridged else { return }
    participant.bridged = nil
    for carried in guest.carried.values { carried.link.stop() }
    for track in participant.tracks { media.unpublish(track.id) }
  }
}
