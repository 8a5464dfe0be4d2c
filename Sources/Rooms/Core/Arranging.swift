import RoomProtocol

// Merge jobs that show everybody in the room: the room changes their layouts itself.

extension RoomCore {
  /// Starts a merge job that shows everybody. The answer follows when the mix and the broadcast have started.
  package mutating func startMerge(_ params: MergeParams, _ arrangement: RoomArrangement) throws(RoomError) {
    try startMerge(params, by: "", claim: .trusted(name), .api, arrangement)
  }

  /// Arranges a job that shows everybody in another way.
  /// - Returns: nil if the answer follows when the mix is changed.
  package mutating func setArrangement(
    _ arrangement: RoomArrangement, of id: JobID
  ) throws(RoomError) -> (any Codable & Sendable)? {
    guard let job = jobs[id], case .merge(_, let params) = job.program, job.arrangement != nil else {
      throw RoomError(.cdnParameters, "the job \"\(id.brief)\" does not show everybody in the room")
    }
    jobs[id]?.arrangement = arrangement
    return try arrange(id, arranged(params, arrangement), .api)
  }

  /// Returns parameters with layouts that show everybody now.
  func arranged(_ params: MergeParams, _ arrangement: RoomArrangement) -> MergeParams {
    let people = roster.order.compactMap { roster[$0] }
      .filter { !$0.isHidden && !$0.tracks.isEmpty && $0.presence.mixJob == nil }.map { Self.person($0) }
    var canvas: (width: Int, height: Int)?
    if let width = params.width, let height = params.height { canvas = (width, height) }
    var params = params
    params.layouts = arrangement.layouts(of: people, speaker: stage.user, on: canvas)
    return params
  }

  private static func person(_ participant: Participant) -> RoomArrangement.Person {
    let screens = participant.tracks.filter { $0.info.tag.hasPrefix(screenTag) && !$0.info.muted }
    let cameras = participant.tracks.filter { $0.info.kind == .video && !$0.info.tag.hasPrefix(screenTag) }
    let name = participant.profile.flatMap { $0.name.isEmpty ? nil : $0.name } ?? participant.user.rawValue
    let screen = screens.last { $0.info.kind == .video }?.info.trackId
    return RoomArrangement.Person(
      user: participant.user, name: name, hasFace: screen == nil || !cameras.isEmpty, screen: screen,
      screenSound: screens.last { $0.info.kind == .audio && !$0.info.master }?.info.trackId)
  }

  /// Updates the mixes that show everybody to those who publish now.
  mutating func reconcileArrangements() {
    for (id, mix) in mixes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard case .arrangement(let arrangement)? = mix.plan.owner, mix.isMade, mixSteps[id] == nil,
        let params = jobs.values.lazy.compactMap({ $0.merged(in: id) }).first
      else { continue }
      let next = arranged(params, arrangement)
      guard let plan = try? plan(next, arrangement), plan != mix.plan else { continue }
      mixSteps[id] = .everybody(next.layouts, plan)
      orderLast(.arrange(id, plan))
    }
  }

  /// Handles the changed mix of everybody.
  mutating func arrangedEverybody(_ mix: MixID, _ layouts: [TrackLayout], _ plan: MixPlan, _ failure: RoomError?) {
    if let failure { return log(.warning, "the picture of the room is unchanged", ["reason": "\(failure)"]) }
    mixes[mix]?.plan = plan
    for (id, job) in jobs {
      guard var params = job.merged(in: mix) else { continue }
      params.layouts = layouts
      jobs[id]?.program = .merge(mix, params)
    }
    setTracks(of: mix)
    emit(.store)
    changes.mixes = true
  }
}

extension Job {
  /// The parameters of a merge job that sends a mix.
  fileprivate func merged(in mix: MixID) -> MergeParams? {
    if case .merge(mix, let params) = program { params } else { nil }
  }
}
