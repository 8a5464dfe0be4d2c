import Relay
import RoomProtocol
import SFU

/// What a PK changes in a room's media. Belongs to its `Room`, which alone touches it.
struct PKStage {
  var info: PKInfo
  /// How the other anchor is called in this room; nil where it is this room's that moved.
  let guest: UserID?
  /// Whether broadcasts show both anchors: from when the other's tracks are here, so that no half is empty at first.
  var isShown = false
}

extension Room {
  /// How long the other room's tracks are waited for.
  private static let patience = Duration.seconds(1)

  /// A PK has begun: the other room's tracks come over, and the anchor's broadcasts become the split screen.
  func beginPK(_ info: PKInfo) {
    endPKStage()
    let guest: UserID? =
      switch info.way {
      case .bridge: "\(info.userId)@\(info.room)"
      case .move: info.inviter ? nil : info.userId
      }
    pkStage = PKStage(info: info, guest: guest)
    guard info.way == .bridge else { return showPK() }
    let (peer, name) = (surroundings.peer, name)
    let borrow: @Sendable ([LentTrack]) -> Void = { [inbox] tracks in
      inbox.post(.lent(LentTracks(pkId: info.pkId, tracks: tracks)))
    }
    peerWork.add { await peer(info.room)?.lend(info.userId, to: name, tell: borrow) }
    Task { [weak self] in
      try? await Task.sleep(for: Self.patience)
      await self?.showPK(info.pkId)
    }
  }

  /// Broadcasts show both anchors from now on.
  /// - Parameter pkId: of the PK that it was waited for; nil for whichever it is.
  func showPK(_ pkId: PKID? = nil) {
    guard let stage = pkStage, !stage.isShown, pkId ?? stage.info.pkId == stage.info.pkId else { return }
    pkStage?.isShown = true
    for job in jobs.values { enterPK(job) }
  }

  /// Somebody is heard no more, or again.
  func changePK(_ info: PKInfo) {
    guard let old = pkStage else { return }
    pkStage?.info = info
    guard old.info.peerMuted != info.peerMuted, let guest = old.guest else { return }
    if let participant = participants[guest], participant.bridged != nil {
      for (index, track) in participant.tracks.enumerated() where track.info.kind == .audio {
        setMuted(info.peerMuted, index, of: participant, by: nil)
      }
    }
    for job in jobs.values where job.resting != nil {
      try? setLayouts(
        settings.pk.merge(job.id, own: info.host, peer: guest, hearsPeer: !info.peerMuted).layouts, of: job.id)
    }
  }

  /// Resumes the PK of an anchor that came in anew without signalling, and so can't ask for it with `resumePK`.
  func resumePK(of participant: Participant) {
    guard participant.resource != nil || participant.ingest != nil, pkStage?.info.host == participant.userId else { return }
    // Throws if the PK was not interrupted, or somebody else took the host's seat; the PK then stays as it is.
    changeState { state in _ = try? state.resumePK(by: participant.userId) }
  }

  /// It is over: each is alone again.
  func endPKStage() {
    guard let stage = pkStage else { return }
    pkStage = nil
    for job in jobs.values { leavePK(job) }
    guard stage.info.way == .bridge, let guest = stage.guest else { return }
    if let participant = participants[guest] { end(participant, EndedData(reason: .left)) }
    let (peer, name) = (surroundings.peer, name)
    peerWork.add { await peer(stage.info.room)?.endLending(to: name) }
  }

  /// A job that sends this room's anchor alone goes on as the split screen.
  func enterPK(_ job: RelayJob) {
    guard let stage = pkStage, stage.isShown, let guest = stage.guest, case .forward(let forward) = job.program,
      let place = job.place,
      forward.video?.user == stage.info.host || (forward.video == nil && forward.audio?.user == stage.info.host)
    else { return }
    var params = settings.pk.merge(
      job.id, own: stage.info.host, peer: guest, hearsPeer: !stage.info.peerMuted)
    if forward.video == nil { params = params.withoutPictures }
    do throws(RoomError) {
      let mix = try enterMix(params)
      job.resting = forward
      job.program = .merge(mix, params)
      setTracks(of: mix)
      let (live, hasVideo) = (mix.live, forward.video != nil)
      job.run { await place.broadcast.continue(place.program, as: live, hasVideo: hasVideo) }
    } catch {
      // The anchor's broadcast goes on as it is.
      log.warning("no split screen", metadata: ["job": "\(job.id)", "reason": "\(error)"])
    }
  }

  private func leavePK(_ job: RelayJob) {
    guard var forward = job.resting, case .merge(let mix, _) = job.program, let place = job.place else { return }
    job.resting = nil
    (forward.audioTrack, forward.videoTrack, forward.audioSource, forward.videoSource) = (nil, nil, nil, nil)
    chooseTracks(of: &forward)
    job.program = .forward(forward)
    leave(mix)
    let (audio, video, hasAudio, hasVideo) = (
      forward.audioSource, forward.videoSource, forward.audio != nil, forward.video != nil
    )
    job.run {
      await place.broadcast.continue(
        place.program, audio: audio, video: video, carriesAudio: hasAudio, carriesVideo: hasVideo)
    }
  }
}

extension MergeParams {
  /// The same for the ear alone.
  fileprivate var withoutPictures: MergeParams {
    var params = self
    (params.width, params.height) = (nil, nil)
    params.layouts = layouts.map { TrackLayout(userId: $0.userId, gain: $0.gain) }
    return params
  }
}
