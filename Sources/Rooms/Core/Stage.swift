import RoomMixing
import RoomProtocol
import RoomState
import RoomSFU

// The room's own mix: it contains the users on seats, and the others receive it instead of their tracks.

extension RoomCore {
  /// Updates the room's mix to the seats and the PK.
  mutating func reconcileStage() {
    guard settings.audience != .separate, newJobs[Self.stageJob] == nil else { return }
    let layouts = stageLayouts()
    let isWanted = layouts.count >= (settings.audience == .voice ? 1 : 2) && hasAudience
    let job = jobs[Self.stageJob]
    guard let job, !job.isStopping else {
      if isWanted, job == nil { startStage(layouts) }
      return
    }
    guard isWanted, case .merge(_, let params) = job.program, params.width == stageParams(layouts).width,
      params.height == stageParams(layouts).height
    else { return stop(Self.stageJob) }
    guard params.layouts != layouts else { return }
    do throws(RoomError) { _ = try setLayouts(layouts, of: Self.stageJob, by: nil, .room) } catch {
      log(.warning, "the mix is unchanged", ["reason": "\(error)"])
    }
  }

  private mutating func startStage(_ layouts: [TrackLayout]) {
    do throws(RoomError) { try startMerge(stageParams(layouts), by: "", claim: .trusted(name), .room) } catch {
      log(.warning, "the mix for the audience failed", ["reason": "\(error)"])
    }
  }

  /// Whether any participant would receive the mix.
  private var hasAudience: Bool {
    viewers.count > 0
      || roster.all.contains { participant in
        !participant.isVirtual && participant.grants.contains(.subscribe)
          && (settings.audience == .voice || state.seat(of: participant.user) == nil)
      }
  }

  private func stageParams(_ layouts: [TrackLayout]) -> MergeParams {
    let picture = settings.stage
    var params = MergeParams(jobId: Self.stageJob, publishAs: Self.stageUser, layouts: layouts)
    guard settings.audience != .voice else { return params }
    let canvas = stageCanvas
    (params.width, params.height) = (canvas.width, canvas.height)
    (params.fps, params.videoKbps, params.preset) = (picture.fps, picture.videoKbps, picture.preset)
    return params
  }

  /// The size of the mixed picture: the layout's canvas if it has one, otherwise the size in the room's settings.
  private var stageCanvas: CanvasSize {
    if state.layout.type == .custom || state.layout.canvas != .portrait { return state.layout.canvas }
    return CanvasSize(width: settings.stage.width, height: settings.stage.height)
  }

  private func stageLayouts() -> [TrackLayout] {
    // During a PK the audience sees what viewers of the broadcast see.
    if let pk, let guest = pk.guest {
      let layouts = settings.pk.merge("", own: pk.info.host, peer: guest, includesPeerAudio: !pk.info.peerMuted).layouts
      if settings.audience == .voice { return layouts.map { TrackLayout(userId: $0.userId, gain: $0.gain) } }
      return settings.pk.fitted(layouts, into: stageCanvas)
    }
    let canvas = stageCanvas
    let frames = state.layout.pixelFrames(width: canvas.width, height: canvas.height)
    return state.allSeats.compactMap { seat in
      guard let user = seat.userId else { return nil }
      var layout = TrackLayout(userId: user, gain: seat.muted || !seat.audio ? 0 : nil)
      guard settings.audience == .mixed, frames.indices.contains(seat.index) else { return layout }
      let frame = frames[seat.index]
      guard frame.width > 0, frame.height > 0 else { return layout }
      (layout.x, layout.y, layout.width, layout.height) = (frame.x, frame.y, frame.width, frame.height)
      let place = state.layout.frames[seat.index]
      layout.zIndex = place.zIndex
      if place.cornerRadius > 0 {
        layout.cornerRadius = Int((place.cornerRadius * Double(min(frame.width, frame.height))).rounded())
      }
      layout.placeholder = user.rawValue.count <= 64 ? user.rawValue : nil
      return layout
    }
  }

  /// Returns whether a participant receives a track by default.
  func isMeant(_ track: PublishedTrack, of owner: Participant, for participant: Participant) -> Bool {
    guard settings.audience != .separate, let mix = jobs[Self.stageJob]?.mix, let plan = mixes[mix]?.plan else { return true }
    let isOnStage = state.seat(of: participant.user) != nil
    if owner.presence.mixJob == Self.stageJob { return !isOnStage || settings.audience == .voice }
    // The audience receives what is in the mix as part of the mix.
    let isInMix = plan.layouts.contains { item in
      (track.info.kind == .audio ? item.audio : item.video)?.user == owner.user
    }
    guard isInMix else { return true }
    return isOnStage && settings.audience == .mixed
  }
}

extension PKPicture {
  /// Scales the frames of a PK's picture to another canvas: as large as possible, centred, with the same aspect ratio.
  func fitted(_ layouts: [TrackLayout], into canvas: CanvasSize) -> [TrackLayout] {
    guard canvas.width != width || canvas.height != height else { return layouts }
    let scale = min(Double(canvas.width) / Double(width), Double(canvas.height) / Double(height))
    let left = (Double(canvas.width) - Double(width) * scale) / 2
    let top = (Double(canvas.height) - Double(height) * scale) / 2
    func even(_ value: Double) -> Int { Int((value / 2).rounded()) * 2 }
    return layouts.map { layout in
      guard let x = layout.x, let y = layout.y, let width = layout.width, let height = layout.height else { return layout }
      var fitted = layout
      (fitted.x, fitted.y) = (even(left + Double(x) * scale), even(top + Double(y) * scale))
      fitted.width = max(2, even(left + Double(x + width) * scale) - (fitted.x ?? 0))
      fitted.height = max(2, even(top + Double(y + height) * scale) - (fitted.y ?? 0))
      return fitted
    }
  }
}
