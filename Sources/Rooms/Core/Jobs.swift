import Foundation
import RoomLiveOrigin
import Logging
import RoomRelay
import RoomProtocol
import RoomSFU

// Relay jobs: what a room sends to other servers, to the origin and to files.

extension RoomCore {
  private static let ownJob = "auto"
  /// Delay before one of the room's own jobs is retried after a failure.
  private static let ownJobPause = Duration.seconds(10)

  /// All jobs, in start order.
  var orderedJobs: [Job] { jobs.values.sorted { ($0.info.startedAt ?? 0, $0.id) < ($1.info.startedAt ?? 0, $1.id) } }

  /// The states of all jobs, in start order.
  package var jobList: [JobInfo] { orderedJobs.map(\.info) }

  // MARK: Forward jobs

  /// Starts a forward job.
  /// - Parameter caller: the publisher of the tracks if the parameters name none; nil for the API.
  /// - Returns: nil: the answer follows when the broadcast has started.
  mutating func startForward(
    _ params: ForwardParams, by caller: Participant?, _ requester: Requester
  ) throws(RoomError) -> (any Codable & Sendable)? {
    try checkMayRelay(caller)
    if params.tracks != nil {
      try startTracks(params, by: caller, requester)
      return nil
    }
    try startForward(
      params, by: caller?.user ?? "", defaultUser: caller?.user, claim: claim(of: caller, naming: params.publishUrl), requester)
    return nil
  }

  private mutating func startForward(
    _ params: ForwardParams, by caller: UserID, defaultUser: UserID?, claim: BroadcastClaim, _ requester: Requester
  ) throws(RoomError) {
    try checkNewJob(params.jobId)
    guard params.tag == nil else { throw RoomError(.cdnParameters, "tag: only a job with tracks has one") }
    let namesTrack = params.audioTrackId != nil || params.videoTrackId != nil
    let follow = params.follow ?? (namesTrack || params.userId != nil ? .anchor : settings.push.effectiveFollow)
    guard follow == .anchor || !namesTrack else {
      throw RoomError(.cdnParameters, "follow: a job that names a track can't follow the stage")
    }
    // The stage may be empty.
    let defaultUser = defaultUser ?? (follow == .stage ? state.allSeats.lazy.compactMap(\.userId).first ?? "" : nil)
    let url = try publishURL(params.publishUrl, params.userId ?? defaultUser)
    let kinds = Set(params.kinds ?? [.audio, .video])
    guard !kinds.isEmpty else { throw RoomError(.cdnParameters, "kinds: audio, video or both") }
    let audio = try choice(.audio, params.audioTrackId, params, kinds, defaultUser)
    let video = try choice(.video, params.videoTrackId, params, kinds, defaultUser)
    let job = NewJob(
      id: params.jobId, program: .forward(audio: audio, video: video, follow), url: url, claim: claim, requester: requester,
      startedAt: nil, by: caller)
    begin(job, recording: try recordingName(params.record))
  }

  private func choice(
    _ kind: TrackKind, _ trackId: TrackID?, _ params: ForwardParams, _ kinds: Set<TrackKind>, _ defaultUser: UserID?
  ) throws(RoomError) -> Job.Choice? {
    guard let trackId else {
      // If only a track of the other kind was named, the job has no track of this kind.
      let isOther = kind == .audio ? params.videoTrackId != nil : params.audioTrackId != nil
      guard kinds.contains(kind), !(isOther && params.userId == nil && params.kinds == nil) else { return nil }
      guard let user = params.userId ?? defaultUser else {
        throw RoomError(.cdnParameters, "userId: missing; name the publisher of the tracks")
      }
      return Job.Choice(user: user, tag: nil)
    }
    guard let owner = roster.owner(of: trackId), let track = owner.track(trackId), track.info.kind == kind else {
      throw RoomError(.subscribeFailed, "\(kind)TrackId: there is no \(kind) track \"\(trackId.brief)\"")
    }
    return Job.Choice(user: owner.user, tag: track.info.tag)
  }

  // MARK: Starting

  func checkMayRelay(_ caller: Participant?) throws(RoomError) {
    guard let caller, !caller.grants.contains(.relay) else { return }
    throw RoomError(.noPermission, "the token has no grant to relay")
  }

  /// Returns the caller's authority over broadcasts. A guest of a PK by move has that of its own room.
  /// - Parameter url: the URL in the request; nil if it comes from the room's settings.
  func claim(of caller: Participant?, naming url: String?) -> BroadcastClaim {
    guard let caller else { return .trusted(name) }
    guard let guestOf = caller.token.pk else { return url == nil ? .trusted(name) : .token(of: name) }
    return .token(of: pk?.info.pkId == guestOf ? pk?.info.room : nil)
  }

  /// Throws if the room can't have another job with this id.
  mutating func checkNewJob(_ id: JobID) throws(RoomError) {
    guard !isClosed else { throw RoomError(.notInRoom, "the room is closed") }
    guard (1...64).contains(id.rawValue.utf8.count) else { throw RoomError(.cdnParameters, "jobId: 1 to 64 bytes") }
    guard jobs[id] == nil, newJobs[id] == nil else {
      throw RoomError(.publishFailed, "jobId: the room already has a job \"\(id)\"")
    }
    guard jobs.count + newJobs.count < settings.jobs else {
      count(.limit(.jobs))
      throw RoomError(.publishFailed, "a room has at most \(settings.jobs) jobs")
    }
  }

  /// Returns the URL of a job, from its own parameters or from the room's policy.
  func publishURL(_ named: String?, _ user: UserID?) throws(RoomError) -> PublishURL {
    let policy = settings.push
    let own = policy.url(room: name, user: user ?? "")
    // Checked first: a named URL must be well-formed whatever the room's policy is.
    guard own == nil || named == nil else {
      throw RoomError(.publishFailed, "publishUrl: this room's jobs use the room's own URL; omit it")
    }
    guard user != nil || !policy.isPerUser else {
      throw RoomError(.cdnParameters, "userId: missing; the room's publish URL contains the user")
    }
    guard let text = own ?? named else {
      throw RoomError(.publishFailed, "publishUrl: missing; this room has no URL of its own")
    }
    guard let url = PublishURL(text) else {
      throw RoomError(
        .cdnParameters,
        text.hasPrefix("file:")
          ? "publishUrl: must be file: and a name, \(Self.recordingNames), and serialnum must be a number"
          : "publishUrl: must be rtmp://host/app/stream, rtmps://, srt://host:port?streamid=… or file:NAME.mp4; "
            + "serialnum must be a number, latency 20 to 10000 ms, a passphrase 10 to 79 bytes")
    }
    return url
  }

  private static let recordingNames =
    "NAME.mp4 or NAME.flv, of letters, digits, '.', '_' and '-', at most 128 bytes, without a leading dot"

  func recordingName(_ text: String?) throws(RoomError) -> RecordingName? {
    guard let text else { return nil }
    guard let name = RecordingName(text) else { throw RoomError(.cdnParameters, "record: \(Self.recordingNames)") }
    return name
  }

  /// Requests the job's broadcast and mix from the programs.
  /// - Parameters:
  ///   - plan: the plan of the job's mix if it is a new one.
  ///   - isRestored: whether the job was running when the server stopped.
  mutating func begin(_ job: NewJob, recording: RecordingName?, plan: MixPlan? = nil, isRestored: Bool = false) {
    newJobs[job.id] = job
    let broadcast = job.url.map { url in
      BroadcastRequest(url: url, claim: job.claim, recording: recording, isRestored: isRestored)
    }
    var mix: (id: MixID, plan: MixPlan)?
    if let plan, case .merge(let id, _) = job.program { mix = (id, plan) }
    orderLast(.begin(job.id, broadcast, mix: mix))
  }

  /// Handles the result of ``ProgramOrder/begin(_:_:mix:)``.
  mutating func began(_ id: JobID, _ result: Result<BroadcastGrant?, RoomError>) {
    guard let new = newJobs.removeValue(forKey: id), !isClosed else { return }
    do throws(RoomError) {
      run(new, try result.get())
    } catch {
      switch new.program {
      case .merge(let mix, _), .stage(let mix): release(mix)
      case .forward, .tracks: break
      }
      refused(new, error)
    }
  }

  private mutating func refused(_ job: NewJob, _ error: RoomError) {
    if case .client(let user, _, _) = job.requester { _ = roster.change(user) { $0.changes?.putBack(1) } }
    answer(job.requester, .failure(error))
    guard case .room = job.requester else { return }
    if job.startedAt != nil {
      notResumed(job.id, error)
    } else if job.id == Self.stageJob {
      log(.warning, "the mix for the audience failed", ["reason": "\(error)"])
    } else {
      log(.warning, "job refused", ["job": "\(job.id)", "reason": "\(error)"])
    }
  }

  private mutating func run(_ new: NewJob, _ grant: BroadcastGrant?) {
    let program: Job.Program
    var kind = JobKind.forward
    var publishAs: UserID?
    var base: Job.Forward?
    var follow: JobFollow?
    switch new.program {
    case .forward(let audio, let video, let followed):
      var forward = Job.Forward(audio: audio, video: video)
      base = forward
      follow = followed
      chooseTracks(of: &forward)
      program = .forward(forward)
    case .merge(let mix, let params):
      kind = .merge
      publishAs = params.publishAs
      program = .merge(mix, params)
    case .stage(let mix):
      kind = .merge
      publishAs = Self.stageUser
      program = .stage(mix)
    case .tracks(let choice):
      program = .tracks(choice)
    }
    var info = JobInfo(
      jobId: new.id, kind: kind, state: grant?.isDirect == false ? .unknown : .connected,
      target: new.url.map { "\($0)" }, stream: grant?.isDirect == true ? new.url?.stream : nil,
      record: grant?.recording?.description, by: new.by, startedAt: new.startedAt ?? now.unix, onAir: false)
    info.publishAs = publishAs
    info.follow = follow
    if case .tracks = program { (info.tracks, info.onAir) = (.separate, true) }
    if case .merge(let mix, _) = program {
      mixes[mix]?.isMade = true
      let absent = missing(in: mix)
      mixes[mix]?.missing = absent
      if !absent.isEmpty { info.missing = absent }
    }
    var job = Job(
      id: new.id, broadcast: grant, url: new.url, owner: new.claim.room, program: program, arrangement: new.arrangement,
      info: info)
    job.base = base
    // A resumed job is on air for as long as it was before the server restarted.
    job.onAirAt = new.startedAt
    jobs[new.id] = job
    emit(.store)
    // No user if the app's server started it, no target if it only goes into the room.
    var metadata: Logger.Metadata = ["job": "\(job.id)", "kind": "\(kind)"]
    if let user = info.by, user != "" { metadata["user"] = "\(user)" }
    if let target = info.target { metadata["target"] = "\(target)" }
    log(.info, "job begins", metadata)
    emit(.report(.jobStarted, info))
    if !timers.isSet(.jobStatus) { timers.set(.jobStatus, at: time(in: settings.jobStatusInterval)) }
    answer(new.requester, .success(info))
    broadcast(.jobChanged(info))
    switch program {
    case .forward(let forward): order(.start(job.id, forward.program))
    case .merge(let mix, let params):
      // Set before anything consumes the mix.
      setTracks(of: mix)
      if grant != nil {
        order(
          .start(job.id, .mix(mix, hasVideo: params.width != nil, audioBitrate: params.audioKbps.map { $0 * 1000 })))
      }
      if let user = params.publishAs { publish(mix, as: user, audioKbps: params.audioKbps, job: job.id) }
      changes.mixes = true
    case .stage(let mix):
      publish(mix, as: Self.stageUser, audioKbps: nil, job: job.id)
      changes.allSubscribers = true
    case .tracks: recordTracks(of: job.id)
    }
    changes.stage = true
  }

  // MARK: Ending

  /// Stops a job.
  /// - Parameter caller: nil for the API.
  mutating func stopJob(_ id: JobID, by caller: Participant?) throws(RoomError) {
    try checkMayRelay(caller)
    guard let job = jobs[id] else { throw RoomError(.cdnParameters, "the room has no job \"\(id.brief)\"") }
    try checkControl(of: job, by: caller)
    stop(id)
  }

  /// Throws if a participant may not change and stop a job. A guest of a PK controls only its own jobs.
  func checkControl(of job: Job, by caller: Participant?) throws(RoomError) {
    guard let caller, caller.token.pk != nil, job.info.by != caller.user else { return }
    throw RoomError(.noPermission, "a guest of a PK can change and stop only its own jobs")
  }

  mutating func stop(_ id: JobID) {
    guard let job = jobs[id] else { return }
    jobs[id]?.isStopping = true
    if !isClosed { emit(.store) }
    guard job.broadcast != nil else { return ended(job, .stopped) }
    order(.stop(id))
  }

  private mutating func ended(_ job: Job, _ reason: ProgramEnd) {
    jobs[job.id] = nil
    if !isClosed { emit(.store) }
    if !job.recorded.isEmpty { order(.recordTracks(job.id, [])) }
    if let mix = job.mix {
      if let user = mixes[mix]?.published?.user, roster[user]?.presence.mixJob == job.id { end(user, EndedData(reason: .left)) }
      release(mix)
    }
    let data: JobEndedData =
      switch reason {
      case .takenOver: JobEndedData(jobId: job.id, reason: .takenOver)
      case .stopped: JobEndedData(jobId: job.id, reason: isClosed ? .roomClosed : .stopped)
      case .noTracks: JobEndedData(jobId: job.id, reason: .noTracks)
      case .push(let failure): JobEndedData(jobId: job.id, reason: .failed, failure: JobFailure(failure))
      }
    log(.info, "job over", ["job": "\(job.id)", "reason": "\(data.reason)"])
    broadcast(.jobEnded(data))
    guard !isClosed else {
      // A closed room receives no reports after its last job.
      if jobs.isEmpty { emit(.finished) }
      return
    }
    emit(.report(.jobEnded, data))
    if job.id == Self.stageJob {
      changes.allSubscribers = true
      changes.stage = true
    }
    if data.reason == .failed, settings.push.mode == .auto { timers.set(.ownJobs, at: time(in: Self.ownJobPause)) }
  }

  // MARK: Broadcast reports

  mutating func handle(_ event: BroadcastEvent, of id: JobID) {
    guard let job = jobs[id] else { return }
    switch event {
    case .onAir:
      jobs[id]?.info.onAir = true
      jobs[id]?.onAirAt = job.onAirAt ?? now.unix
    case .state(let state, let failure):
      jobs[id]?.info.state = JobState(state)
      if let failure { jobs[id]?.info.failure = JobFailure(failure) }
      log(.info, "job \(state.rawValue)", ["job": "\(id)", "failure": "\(failure.map { $0.description } ?? "none")"])
    case .ended(_, let reason): return ended(job, reason)
    case .over, .continued: return
    }
    guard let info = jobs[id]?.info else { return }
    broadcast(.jobChanged(info))
    report(event, of: info)
  }

  mutating func askForJobStatus() {
    guard !jobs.isEmpty else { return }
    order(.reportStatus)
    timers.set(.jobStatus, at: time(in: settings.jobStatusInterval))
  }

  /// Handles the result of ``ProgramOrder/reportStatus``.
  mutating func reported(_ status: [JobStatusData]) {
    let listeners = roster.all.filter { !$0.grants.isDisjoint(with: [.relay, .admin]) }.map(\.user)
    for status in status where jobs[status.jobId] != nil { send(.jobStatus(status), to: listeners) }
  }

  // MARK: Tracks

  /// Updates the tracks that forward jobs send to what their users publish now.
  mutating func reconcileForwards(_ owners: Set<UserID>) {
    for id in jobs.keys.sorted() { recordTracks(of: id) }
    for (id, job) in jobs {
      guard case .forward(var forward) = job.program,
        [forward.audio?.user, forward.video?.user].contains(where: { $0.map(owners.contains) == true }),
        chooseTracks(of: &forward)
      else { continue }
      jobs[id]?.program = .forward(forward)
      order(.setTracks(id, audio: forward.audioTrack, video: forward.videoTrack))
    }
  }

  /// Returns true if the tracks to send changed.
  @discardableResult func chooseTracks(of forward: inout Job.Forward) -> Bool {
    let (audio, video) = (source(forward.audio, .audio), source(forward.video, .video))
    guard audio != forward.audioTrack || video != forward.videoTrack else { return false }
    (forward.audioTrack, forward.videoTrack) = (audio, video)
    return true
  }

  /// Returns the track that a choice resolves to now.
  func source(_ choice: Job.Choice?, _ kind: TrackKind) -> TrackSourceID? {
    guard let choice, let owner = roster[choice.user], let track = owner.track(kind, tag: choice.tag) else { return nil }
    return TrackSourceID(track: track.id, isVideo: kind == .video, session: owner.session)
  }

  // MARK: Own jobs

  /// With policy `auto`: starts a job for every publisher, or for the first one.
  mutating func beginOwnJobs() {
    guard settings.push.mode == .auto, !isClosed else { return }
    let isPerUser = settings.push.isPerUser
    for user in roster.order where roster.publishers.contains(user) {
      let id = JobID(isPerUser ? "\(Self.ownJob):\(user)" : Self.ownJob)
      guard jobs[id] == nil, newJobs[id] == nil else {
        if isPerUser { continue }
        return
      }
      do throws(RoomError) {
        try startForward(ForwardParams(jobId: id), by: "", defaultUser: user, claim: .trusted(name), .room)
      } catch {
        log(.warning, "job refused", ["job": "\(id)", "user": "\(user)", "reason": "\(error)"])
      }
      if !isPerUser { return }
    }
  }
}
