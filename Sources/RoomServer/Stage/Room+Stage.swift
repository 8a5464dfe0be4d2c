import RoomProtocol
import RoomState

// The room's own mix: who sits on a seat is seen and heard in it, and who does not gets it instead of their tracks.

extension Room {
  /// The job of the room's own mix.
  static let stageJob: JobID = "@mix"
  /// The participant that the room's own mix is.
  static let stageUser: UserID = "@mix"

  /// Brings the room's mix to who sits where now.
  func renewRoomMix() {
    guard settings.audience != .separate, !isClosed else { return }
    let layouts = stageLayouts()
    let isWanted = layouts.count >= (settings.audience == .voice ? 1 : 2) && hasAudience
    let job = jobs[Self.stageJob]
    guard isWanted ? job?.mix?.key.layouts.map(\.layout) != layouts : job != nil else { return }
    switch (job, isWanted) {
    case (nil, true):
      let params = stageParams(layouts)
      do throws(RoomError) {
        let (_, announce) = try startMerge(params, by: "")
        announce()
      } catch {
        log.warning("no mix for the audience", metadata: ["reason": "\(error)"])
      }
    case (let job?, false): stop(job)
    case (.some, true):
      do throws(RoomError) { try setLayouts(layouts, of: Self.stageJob) } catch {
        log.warning("the mix stays as it was", metadata: ["reason": "\(error)"])
      }
    case (nil, false): break
    }
    for participant in participants.values { renewSubscriptions(of: participant) }
  }

  /// Whether somebody is here to whom the mix would go.
  private var hasAudience: Bool {
    !viewers.isEmpty
      || participants.values.contains { participant in
        !participant.isOurs && participant.grants.contains(.subscribe)
          && (settings.audience == .voice || state.seat(of: participant.userId) == nil)
      }
  }

  private func stageParams(_ layouts: [TrackLayout]) -> MergeParams {
    let picture = settings.stage
    let isVoice = settings.audience == .voice
    return MergeParams(
      jobId: Self.stageJob, publishAs: Self.stageUser, width: isVoice ? nil : picture.width,
      height: isVoice ? nil : picture.height,
      fps: isVoice ? nil : picture.fps, videoKbps: isVoice ? nil : picture.videoKbps, preset: isVoice ? nil : picture.preset,
      layouts: layouts)
  }

  private func stageLayouts() -> [TrackLayout] {
    // During a PK the audience sees what viewers of the broadcast see.
    if let stage = pkStage, let guest = stage.guest {
      let layouts = settings.pk.merge("", own: stage.info.host, peer: guest, hearsPeer: !stage.info.peerMuted).layouts
      return settings.audience == .voice ? layouts.map { TrackLayout(userId: $0.userId, gain: $0.gain) } : layouts
    }
    let frames = state.layout.pixelFrames(width: settings.stage.width, height: settings.stage.height)
    return state.allSeats.compactMap { seat in
      guard let user = seat.userId else { return nil }
      var layout = TrackLayout(userId: user, gain: seat.muted || !seat.audio ? 0 : nil)
      guard settings.audience == .mixed, frames.indices.contains(seat.index) else { return layout }
      let frame = frames[seat.index]
      guard frame.width > 0, frame.height > 0 else { return layout }
      (layout.x, layout.y, layout.width, layout.height) = (frame.x, frame.y, frame.width, frame.height)
      layout.zIndex = state.layout.frames[seat.index].zIndex
      layout.placeholder = user.rawValue.count <= 64 ? user.rawValue : nil
      return layout
    }
  }

  /// Whether a participant gets a track that it said nothing about.
  func isMeant(_ track: PublishedTrack, of owner: Participant, for participant: Participant) -> Bool {
    guard settings.audience != .separate, jobs[Self.stageJob] != nil else { return true }
    let isOnStage = state.seat(of: participant.userId) != nil
    let isMix = owner.mixed?.job == Self.stageJob
    if isMix { return !isOnStage || settings.audience == .voice }
    // What is in the mix, the audience gets by it.
    let inMix = jobs[Self.stageJob]?.mix?.key.layouts.contains { item in
      (track.info.kind == .audio ? item.audio : item.video)?.user == owner.userId
    }
    guard inMix == true else { return true }
    return isOnStage && settings.audience == .mixed
  }
}
