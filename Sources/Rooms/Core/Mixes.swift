import RoomCodecs
import RoomMixing
import RoomRTP
import RoomRelay
import RoomProtocol
import RoomToken
import RoomSFU
import RoomWebRTC

// Merge jobs: a mix is broadcast, published into the room as a participant, or both.

/// The step that follows when a mix is made or changed.
enum MixStep: Sendable {
  /// A job switches to these parameters.
  case arrange(JobID, MergeParams, plan: MixPlan, Requester)
  /// The stage is shown by this mix, or by this plan.
  case stage(StageProgram.Rendition, MixPlan)
  /// The mix that shows everybody is shown by this plan, with these layouts.
  case everybody([TrackLayout], MixPlan)
}

extension RoomCore {
  // MARK: Jobs

  /// Starts a merge job.
  /// - Parameter caller: nil for the API.
  /// - Returns: nil: the answer follows when the mix and the broadcast have started.
  mutating func startMerge(
    _ params: MergeParams, by caller: Participant?, _ requester: Requester
  ) throws(RoomError) -> (any Codable & Sendable)? {
    try checkMayRelay(caller)
    try startMerge(params, by: caller?.user ?? "", claim: claim(of: caller, naming: params.publishUrl), requester)
    return nil
  }

  /// - Parameter arrangement: how to show everybody; nil for the layouts of the parameters.
  mutating func startMerge(
    _ params: MergeParams, by caller: UserID, claim: BroadcastClaim, _ requester: Requester,
    _ arrangement: RoomArrangement? = nil
  ) throws(RoomError) {
    let params = arrangement.map { arranged(params, $0) } ?? params
    if let validationError = params.validationError { throw RoomError(.cdnParameters, validationError) }
    try checkNewJob(params.jobId)
    let goesOut = params.publishUrl != nil || settings.push.mode != .own
    guard goesOut || params.publishAs != nil else {
      throw RoomError(.cdnParameters, "publishUrl: missing; give a publishUrl or publishAs")
    }
    guard goesOut || params.record == nil else {
      throw RoomError(.cdnParameters, "record: needs a publishUrl; to record only, use file:NAME.mp4 as the publishUrl")
    }
    let url = goesOut ? try publishURL(params.publishUrl, caller == "" ? nil : caller) : nil
    if let user = params.publishAs { try checkName(user) }
    let items = try items(params)
    try checkImages(params)
    merge(
      params, items, arrangement, to: url, by: caller, claim: claim, recording: try recordingName(params.record),
      requester: requester)
  }

  /// Starts a merge job whose caller has been checked.
  mutating func merge(
    _ params: MergeParams, _ items: [MixPlan.Item], _ arrangement: RoomArrangement?, to url: PublishURL?, by caller: UserID,
    claim: BroadcastClaim, recording: RecordingName?, requester: Requester, startedAt: Int64? = nil
  ) {
    let plan = plan(params, items, arrangement)
    let (mix, isNew) = use(plan)
    let job = NewJob(
      id: params.jobId, program: .merge(mix, params), arrangement: arrangement, url: url, claim: claim, requester: requester,
      startedAt: startedAt, by: caller)
    begin(job, recording: recording, plan: isNew ? plan : nil, isRestored: startedAt != nil)
  }

  private mutating func checkName(_ user: UserID) throws(RoomError) {
    guard NameRule.allows(user.rawValue) else { throw RoomError(.cdnParameters, "publishAs: \(NameRule.text)") }
    guard roster[user] == nil else {
      throw RoomError(.publishFailed, "publishAs: a participant \"\(user)\" already exists in the room")
    }
    if let full = capacityError(for: nil, publishes: true) {
      count(.limit(.participants))
      throw RoomError(.publishFailed, "publishAs: \(full)")
    }
  }

  /// Changes the layout of a job's tracks, from the next frame on.
  /// - Parameter caller: nil for the API and for the room itself.
  /// - Returns: nil if the answer follows when the mix is changed.
  mutating func setLayouts(
    _ layouts: [TrackLayout], of id: JobID, by caller: Participant?, _ requester: Requester
  ) throws(RoomError) -> (any Codable & Sendable)? {
    try checkMayRelay(caller)
    guard let job = jobs[id] else { throw RoomError(.cdnParameters, "the room has no job \"\(id.brief)\"") }
    try checkControl(of: job, by: caller)
    guard case .merge(_, var params) = job.program, job.arrangement == nil else {
      throw RoomError(.cdnParameters, "the job \"\(id)\" is not a merge job with layouts of its own")
    }
    if let validationError = MergeParams.validationError(about: layouts, hasPictures: params.width != nil) {
      throw RoomError(.cdnParameters, validationError)
    }
    params.layouts = layouts
    return try arrange(id, params, requester)
  }

  /// Applies parameters to a job's mix.
  mutating func arrange(
    _ id: JobID, _ params: MergeParams, _ requester: Requester
  ) throws(RoomError) -> (any Codable & Sendable)? {
    guard let mix = jobs[id]?.mix else { return Empty() }
    let plan = try plan(params, jobs[id]?.arrangement)
    guard plan != mixes[mix]?.plan else { return Empty() }
    if mixes[mix]?.uses == 1 {
      mixSteps[mix] = .arrange(id, params, plan: plan, requester)
      orderLast(.arrange(mix, plan))
      return nil
    }
    // Other jobs keep the mix that they share.
    let (next, isNew) = use(plan)
    guard isNew else {
      show(next, params, of: id)
      return Empty()
    }
    mixSteps[next] = .arrange(id, params, plan: plan, requester)
    orderLast(.makeMix(next, plan))
    return nil
  }

  /// Switches a job's broadcast to another mix.
  private mutating func show(_ mix: MixID, _ params: MergeParams, of id: JobID) {
    guard let job = jobs[id], let old = job.mix else { return release(mix) }
    jobs[id]?.program = .merge(mix, params)
    setTracks(of: mix)
    if job.broadcast != nil { order(.continue(id, .mix(mix, hasVideo: params.width != nil, audioBitrate: nil))) }
    release(old)
    emit(.store)
    changes.mixes = true
  }

  /// Handles the result of ``ProgramOrder/makeMix(_:_:)``.
  mutating func made(_ mix: MixID, _ failure: RoomError?) {
    guard let step = mixSteps.removeValue(forKey: mix), !isClosed else { return }
    mixes[mix]?.isMade = failure == nil
    if failure != nil { release(mix) }
    switch step {
    case .arrange(let job, let params, _, let requester):
      if failure == nil { show(mix, params, of: job) }
      answerArranged(requester, failure)
    case .stage(let rendition, let plan): madeStage(mix, rendition, plan, failure)
    case .everybody: break
    }
  }

  /// Handles the result of ``ProgramOrder/arrange(_:_:)``.
  mutating func arranged(_ mix: MixID, _ failure: RoomError?) {
    guard let step = mixSteps.removeValue(forKey: mix), !isClosed else { return }
    switch step {
    case .stage(let rendition, let plan): arrangedStage(mix, rendition, plan, failure)
    case .everybody(let layouts, let plan): arrangedEverybody(mix, layouts, plan, failure)
    case .arrange(let job, let params, let plan, let requester):
      if failure == nil {
        mixes[mix]?.plan = plan
        jobs[job]?.program = .merge(mix, params)
        setTracks(of: mix)
        emit(.store)
        changes.mixes = true
      }
      answerArranged(requester, failure)
    }
  }

  private mutating func answerArranged(_ requester: Requester, _ failure: RoomError?) {
    answer(requester, failure.map { .failure($0) } ?? .success(Empty()))
  }

  // MARK: Plans

  private func items(_ params: MergeParams) throws(RoomError) -> [MixPlan.Item] {
    var items: [MixPlan.Item] = []
    for (index, layout) in params.layouts.enumerated() {
      items.append(try item(layout, "layouts[\(index)]", publishAs: params.publishAs))
    }
    return items
  }

  private func item(_ layout: TrackLayout, _ field: String, publishAs: UserID?) throws(RoomError) -> MixPlan.Item {
    let hasFrame = layout.width != nil
    if let user = layout.userId {
      guard NameRule.allows(user.rawValue) else { throw RoomError(.cdnParameters, "\(field).userId: \(NameRule.text)") }
      guard user != publishAs, roster[user]?.presence.mixJob == nil else {
        throw RoomError(.subscribeFailed, "\(field).userId: a mix can't contain another mix")
      }
      let choice = Job.Choice(user: user, tag: nil)
      return MixPlan.Item(layout: layout, audio: choice, video: hasFrame ? choice : nil)
    }
    let trackId = layout.trackId ?? ""
    guard let owner = roster.owner(of: trackId), let track = owner.track(trackId), owner.presence.mixJob == nil else {
      throw RoomError(.subscribeFailed, "\(field).trackId: nobody publishes a track \"\(trackId.brief)\"")
    }
    let info = track.info
    let choice = Job.Choice(user: owner.user, tag: info.tag)
    guard info.kind == .audio || hasFrame else {
      throw RoomError(.cdnParameters, "\(field): a video track needs a frame: x, y, width and height")
    }
    // The item must not depend on the present track id, so that it stays the same for any track.
    var place = layout
    if info.kind == .audio { (place.x, place.y, place.width, place.height) = (nil, nil, nil, nil) }
    return MixPlan.Item(layout: place, audio: info.kind == .audio ? choice : nil, video: info.kind == .video ? choice : nil)
  }

  /// Returns the plan for these parameters.
  func plan(_ params: MergeParams, _ arrangement: RoomArrangement? = nil) throws(RoomError) -> MixPlan {
    plan(params, try items(params), arrangement)
  }

  private func plan(_ params: MergeParams, _ items: [MixPlan.Item], _ arrangement: RoomArrangement?) -> MixPlan {
    let names = [params.background?.image].compactMap { $0 } + (params.watermarks ?? []).map(\.image)
    return MixPlan(
      picture: params.picture(isPublished: params.publishAs != nil), layouts: items, background: params.background,
      watermarks: params.watermarks ?? [], texts: params.texts ?? [],
      images: Dictionary(names.map { ($0, images[$0] ?? 0) }, uniquingKeysWith: { first, _ in first }),
      owner: params.publishAs.map { _ in .job(params.jobId) } ?? arrangement.map { .arrangement($0) })
  }

  /// - Throws: 80204 for an image that the room does not have.
  func checkImages(_ params: MergeParams) throws(RoomError) {
    var named = [params.background?.image].compactMap { name in name.map { ("background.image", $0) } }
    for (index, mark) in (params.watermarks ?? []).enumerated() { named.append(("watermarks[\(index)].image", mark.image)) }
    for (field, name) in named where images[name] == nil { throw RoomImages.missing(name, field) }
  }

  // MARK: Mixes

  /// Returns the mix with this exact plan, shared with one more job, or a new one that has to be made.
  mutating func use(_ plan: MixPlan) -> (MixID, isNew: Bool) {
    if let (id, _) = mixes.first(where: { $0.value.isMade && $0.value.plan == plan }) {
      mixes[id]?.uses += 1
      return (id, false)
    }
    let id = newMixID()
    mixes[id] = Mix(plan: plan)
    return (id, true)
  }

  /// Releases a job's use of the mix.
  mutating func release(_ id: MixID) {
    guard let mix = mixes[id] else { return }
    mixes[id]?.uses = mix.uses - 1
    guard mix.uses == 1 else { return }
    mixes[id] = nil
    timers.cancel(.sharing(id))
    if mix.isMade { order(.endMix(id)) }
  }

  mutating func setTracks(of id: MixID) {
    guard let mix = mixes[id], mix.isMade else { return }
    var tracks: [MixTrackID] = []
    var inputs: Set<String> = []
    for item in mix.plan.layouts {
      for (kind, choice) in [(TrackKind.audio, item.audio), (.video, item.video)] {
        guard let choice, let source = source(choice, kind), roster[choice.user]?.presence.mixJob == nil else { continue }
        let input = MixPlan.Item.input(kind, choice)
        if inputs.insert(input).inserted { tracks.append(MixTrackID(input: input, source: source)) }
      }
    }
    guard tracks != mix.tracks else { return }
    noteContent(of: id, mix.plan, tracks)
    mixes[id]?.tracks = tracks
    order(.setMixTracks(id, tracks, isWaiting: !mix.plan.layouts.isEmpty))
  }

  func missing(in id: MixID) -> [String] {
    (mixes[id]?.plan.layouts ?? []).filter { item in
      item.audio.flatMap { source($0, .audio) } == nil && item.video.flatMap { source($0, .video) } == nil
    }.map(\.name)
  }

  /// Updates the inputs of mixes to what is published now.
  mutating func reconcileMixes(_ owners: Set<UserID>) {
    for id in mixes.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
      setTracks(of: id)
      let missing = missing(in: id)
      guard missing != mixes[id]?.missing else { continue }
      mixes[id]?.missing = missing
      for (job, _) in jobs.filter({ $0.value.mix == id }) {
        jobs[job]?.info.missing = missing.isEmpty ? nil : missing
        if let info = jobs[job]?.info { broadcast(.jobChanged(info)) }
      }
    }
  }

  // MARK: A mix as a participant

  /// Publishes a mix as a participant's tracks.
  mutating func publish(_ mix: MixID, as user: UserID, audioKbps: Int?, job: JobID) {
    guard roster[user] == nil, let plan = mixes[mix]?.plan else { return }
    let bitrate = min((audioKbps ?? 64) * 1000, 256_000)
    do throws(RoomError) { try enter(newParticipant(virtualToken(user), .mix(job))) } catch { return }
    let cname = entropy.uuid()
    var tracks: [PublishedTrack] = []
    if let picture = plan.picture {
      let level = H264Level.needed(width: picture.width, height: picture.height, fps: picture.fps)
      let new = NewTrack(
        mid: "", kind: .video, tag: "mix", master: true, width: picture.width, height: picture.height, fps: picture.fps)
      let codec = RTPCodec.h264(.constrainedBaseline, level: level)
      tracks.append(inject(new, codec, cname: cname, layers: picture.smaller == nil ? 1 : 2))
    }
    let audio = inject(NewTrack(mid: "", kind: .audio, tag: "mix", master: true), .opus, cname: cname)
    let video = tracks.first
    tracks.append(audio)
    mixes[mix]?.published = Mix.Published(user: user, job: job, audioBitrate: bitrate)
    noteContent(of: mix, plan, mixes[mix]?.tracks ?? [])
    order(.publishMix(mix, video: video?.id, audio: audio.id, audioBitrate: bitrate))
    announce(tracks, of: user)
  }

  func virtualToken(_ user: UserID) -> RoomToken {
    RoomToken(room: name, user: user, grants: [.publish], expires: .distantFuture, id: "")
  }

  /// Removes a participant that is a mix.
  mutating func unpublishMix(of job: JobID) {
    guard let (id, mix) = mixes.first(where: { $0.value.published?.job == job }), let published = mix.published else {
      return
    }
    mixes[id]?.published = nil
    noteContent(of: id, mix.plan, mix.tracks ?? [])
    for (_, own) in published.own { endOwnMix(own, of: id) }
    order(.unpublishMix(id))
  }

  private mutating func endOwnMix(_ own: Mix.Own, of mix: MixID) {
    order(.removeListener(mix, own.session))
    order(.unpublish(own.track.id))
  }

  /// Returns the audio track of a mix without the user's own sound; nil if the user receives the whole mix.
  func ownMix(of owner: Participant, for user: Participant) -> PublishedTrack? {
    guard let job = owner.presence.mixJob, let mix = jobs[job]?.mix, let own = mixes[mix]?.published?.own[user.user],
      own.session == user.session
    else { return nil }
    return own.track
  }

  /// Updates the mixes without own sound to the current speakers.
  mutating func reconcileOwnMixes(_ changes: Changes) {
    for (id, mix) in mixes {
      guard let published = mix.published, let owner = roster[published.user],
        let whole = owner.tracks.first(where: { $0.info.kind == .audio })
      else { continue }
      let speakers = mix.plan.users(.audio)
      for (user, own) in published.own where !(speakers.contains(user) && hears(user, whole, of: owner, session: own.session)) {
        mixes[id]?.published?.own[user] = nil
        endOwnMix(own, of: id)
        self.changes.subscribers.insert(user)
      }
      for user in speakers where mixes[id]?.published?.own[user] == nil {
        guard let speaker = roster[user], speaker.presence.mixJob == nil,
          hears(user, whole, of: owner, session: speaker.session),
          speaker.tracks.contains(where: { $0.info.kind == .audio })
        else { continue }
        let track = PublishedTrack(id: ids.track(), info: whole.info, parameters: whole.parameters)
        mixes[id]?.published?.own[user] = Mix.Own(track: track, session: speaker.session)
        order(.inject(track.id, track.parameters, layers: 1))
        order(.addListener(id, speaker.session, track: track.id, audioBitrate: published.audioBitrate))
        self.changes.subscribers.insert(user)
      }
    }
  }

  private func hears(_ user: UserID, _ track: PublishedTrack, of owner: Participant, session: SessionID) -> Bool {
    guard let speaker = roster[user], speaker.session == session, speaker.subscribes else { return false }
    return wants(track, of: owner, speaker)
  }
}
