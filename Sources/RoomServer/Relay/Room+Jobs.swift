import Foundation
import Logging
import Relay
import RoomProtocol
import SFU

// Relay jobs: what a room sends to other servers.

extension Room {
  /// Begins a forward job for a participant.
  func startForward(_ params: ForwardParams, by participant: Participant) throws(RoomError) -> (JobInfo, announce: () -> Void) {
    guard participant.grants.contains(.relay) else { throw RoomError(.noPermission, "the token has no grant to relay") }
    return try startForward(
      params, by: participant.userId, defaultUser: participant.userId, claim: claim(of: participant, naming: params.publishUrl))
  }

  /// Begins a forward job.
  /// - Parameters:
  ///   - defaultUser: whose tracks are sent where the parameters name nobody's.
  ///   - claim: the authority behind it; nil for that of an API token.
  func startForward(
    _ params: ForwardParams, by caller: UserID, defaultUser: UserID?, claim: BroadcastClaim? = nil
  ) throws(RoomError) -> (JobInfo, announce: () -> Void) {
    try checkNewJob(params.jobId)
    let url = try publishURL(params.publishUrl, params.userId ?? defaultUser)
    let kinds = Set(params.kinds ?? [.audio, .video])
    guard !kinds.isEmpty else { throw RoomError(.cdnParameters, "kinds: audio, video or both") }
    let audio = try choice(.audio, params.audioTrackId, params, kinds, defaultUser)
    let video = try choice(.video, params.videoTrackId, params, kinds, defaultUser)

    return try forward(
      audio, video, as: params.jobId, to: url, record: params.record, by: caller, claim: claim ?? .trusted(name))
  }

  /// Begins a forward job of what is chosen.
  func forward(
    _ audio: RelayJob.Choice?, _ video: RelayJob.Choice?, as id: JobID, to url: PublishURL, record: String?, by caller: UserID,
    claim: BroadcastClaim, isRestored: Bool = false
  ) throws(RoomError) -> (JobInfo, announce: () -> Void) {
    let place = try place(url, for: id, claim: claim, record: record, isRestored: isRestored)
    var forward = RelayJob.Forward(audio: audio, video: video)
    chooseTracks(of: &forward)
    let job = RelayJob(
      id: id, place: place, url: url, owner: claim.room, program: .forward(forward),
      info: newInfo(id, "forward", place, url, by: caller))
    let announce = begin(job)
    let (audioSource, videoSource) = (forward.audioSource, forward.videoSource)
    job.run {
      await place.broadcast.begin(
        place.program, audio: audioSource, video: videoSource, carriesAudio: audio != nil, carriesVideo: video != nil)
    }
    enterPK(job)
    return announce
  }

  /// Whether the room can have a job of this name.
  func checkNewJob(_ id: JobID) throws(RoomError) {
    guard !isClosed else { throw RoomError(.notInRoom, "the room is closed") }
    guard (1...64).contains(id.rawValue.utf8.count) else { throw RoomError(.cdnParameters, "jobId: 1 to 64 bytes") }
    guard jobs[id] == nil else { throw RoomError(.publishFailed, "jobId: the room has a job \"\(id)\" already") }
    guard jobs.count < surroundings.relay.jobsPerRoom else {
      surroundings.counters.count(limit: .jobs)
      throw RoomError(.publishFailed, "a room has at most \(surroundings.relay.jobsPerRoom) jobs")
    }
  }

  /// The place of a new job at its URL's broadcast.
  /// - Parameter record: a file that the broadcast is recorded into in addition.
  func place(
    _ url: PublishURL, for id: JobID, claim: BroadcastClaim, record: String?, isRestored: Bool
  ) throws(RoomError) -> BroadcastDirectory.Place {
    try surroundings.broadcasts.place(
      url, claim: claim, recording: try recordingName(record), isRestored: isRestored, recorded: recordingListener
    ) { [inbox] event in inbox.post(.job(event, id: id)) }
  }

  /// What is told of a job that begins.
  func newInfo(
    _ id: JobID, _ kind: String, _ place: BroadcastDirectory.Place?, _ url: PublishURL?, by caller: UserID
  ) -> JobInfo {
    JobInfo(
      jobId: id, kind: kind, state: (place?.isDirect == false ? PushState.unknown : .connected).rawValue,
      target: url.map { "\($0)" }, stream: place?.isDirect == true ? url?.stream : nil, record: place?.recording?.description,
      by: caller, startedAt: Int64(Date().timeIntervalSince1970 * 1000), onAir: false)
  }

  /// The room has a job more.
  func begin(_ job: RelayJob) -> (JobInfo, announce: () -> Void) {
    jobs[job.id] = job
    storeLater()
    // Nobody where the app's server began it, no target where it goes into the room alone.
    var told: Logger.Metadata = ["job": "\(job.id)", "kind": "\(job.info.kind)"]
    if let user = job.info.by, !user.isEmpty { told["user"] = "\(user)" }
    if let target = job.info.target { told["target"] = "\(target)" }
    log.info("job begins", metadata: told)
    report(.jobStarted, job.info)
    watchJobs()
    let info = job.info
    return (info, { self.tell(.jobChanged(info), besides: nil) })
  }

  /// Begins a forward job for the API.
  func startForward(_ params: ForwardParams) throws(RoomError) -> JobInfo {
    let (job, announce) = try startForward(params, by: "", defaultUser: nil)
    announce()
    return job
  }

  /// Where a job goes, by its own word or by the room's policy.
  func publishURL(_ named: String?, _ user: UserID?) throws(RoomError) -> PublishURL {
    let policy = settings.push
    guard user != nil || !policy.isPerUser else {
      throw RoomError(.cdnParameters, "userId: whose tracks are to be sent? The room's URL has a place for it")
    }
    let own = policy.url(room: name, user: user ?? "")
    guard own == nil || named == nil else {
      throw RoomError(.publishFailed, "publishUrl: this room's jobs go to its own URL; leave it out")
    }
    guard let text = own ?? named else {
      throw RoomError(.publishFailed, "publishUrl: this room has no URL of its own; name one")
    }
    guard let url = PublishURL(text) else {
      throw RoomError(
        .cdnParameters,
        text.hasPrefix("file:")
          ? "publishUrl: file: and a name are needed, \(Self.recordingNames), and serialnum has to be a number"
          : "publishUrl: rtmp://host/app/stream is needed, or rtmps://, or file:NAME.mp4, and serialnum has to be a number")
    }
    return url
  }

  private static let recordingNames =
    "NAME.mp4 or NAME.flv, of letters, digits, '.', '_' and '-', at most 128 bytes, with no dot in front"

  /// What a job is recorded as.
  private func recordingName(_ text: String?) throws(RoomError) -> RecordingName? {
    guard let text else { return nil }
    guard let name = RecordingName(text) else { throw RoomError(.cdnParameters, "record: \(Self.recordingNames)") }
    return name
  }

  private func choice(
    _ kind: TrackKind, _ trackId: TrackID?, _ params: ForwardParams, _ kinds: Set<TrackKind>, _ defaultUser: UserID?
  ) throws(RoomError) -> RelayJob.Choice? {
    guard let trackId else {
      // A track of the other kind alone was named: that is all.
      let isOther = kind == .audio ? params.videoTrackId != nil : params.audioTrackId != nil
      guard kinds.contains(kind), !(isOther && params.userId == nil && params.kinds == nil) else { return nil }
      guard let user = params.userId ?? defaultUser else {
        throw RoomError(.cdnParameters, "userId: whose tracks are to be sent?")
      }
      return RelayJob.Choice(user: user, tag: nil)
    }
    guard let (owner, index) = publication(trackId), owner.tracks[index].info.kind == kind else {
      throw RoomError(.subscribeFailed, "\(kind)TrackId: there is no \(kind) track \"\(trackId.brief)\"")
    }
    return RelayJob.Choice(user: owner.userId, tag: owner.tracks[index].info.tag)
  }

  /// Ends a job for a participant.
  func stopJob(_ id: JobID, by participant: Participant) throws(RoomError) {
    guard participant.grants.contains(.relay) else { throw RoomError(.noPermission, "the token has no grant to relay") }
    if let job = jobs[id] { try checkControl(of: job, by: participant) }
    try stopJob(id)
  }

  /// Ends a job.
  func stopJob(_ id: JobID) throws(RoomError) {
    guard let job = jobs[id] else { throw RoomError(.cdnParameters, "the room has no job \"\(id.brief)\"") }
    stop(job)
  }

  func stop(_ job: RelayJob) {
    job.isStopping = true
    storeLater()
    guard let place = job.place else { return ended(job, .stopped) }
    job.run { await place.broadcast.stop(place.program) }
  }

  func hasJob(_ id: JobID) -> Bool { jobs[id] != nil }

  /// All jobs, in the order of their beginning.
  var jobList: [JobInfo] { jobs.values.map(\.info).sorted { ($0.startedAt ?? 0, $0.jobId) < ($1.startedAt ?? 0, $1.jobId) } }

  /// How the jobs go.
  func jobStatus() async -> [JobStatusData] {
    var all: [JobStatusData] = []
    for (id, place, mix) in jobs.values.map({ ($0.id, $0.place, $0.mix?.live) }) {
      let mixed = await mix?.status()
      if let place {
        all.append(JobStatusData(id, await place.broadcast.status(), mixed))
      } else if let mixed {
        all.append(JobStatusData(id, mixed))
      }
    }
    return all.sorted { $0.jobId < $1.jobId }
  }

  // MARK: Tracks

  /// Brings what the jobs send to what is published now, and begins those that the room's policy asks for.
  func renewJobs() {
    beginOwnJobs()
    forgetDecoded()
    for job in jobs.values {
      guard case .forward(var forward) = job.program, let place = job.place, chooseTracks(of: &forward) else { continue }
      job.program = .forward(forward)
      let (audio, video) = (forward.audioSource, forward.videoSource)
      job.run { await place.broadcast.setTracks(of: place.program, audio: audio, video: video) }
    }
    renewMixes()
  }

  private static let ownJob: JobID = "auto"

  /// With policy `auto`: a job for everyone who publishes, or for the first who does.
  private func beginOwnJobs() {
    guard settings.push.mode == .auto, !isClosed else { return }
    let isPerUser = settings.push.isPerUser
    for participant in participants.values.sorted(by: { $0.joinedAt < $1.joinedAt }) where !participant.tracks.isEmpty {
      let id = isPerUser ? "\(Self.ownJob):\(participant.userId)" : Self.ownJob
      guard jobs[id] == nil else {
        if isPerUser { continue }
        return
      }
      do throws(RoomError) {
        let (_, announce) = try startForward(ForwardParams(jobId: id), by: "", defaultUser: participant.userId)
        announce()
      } catch {
        log.warning("job refused", metadata: ["job": "\(id)", "user": "\(participant.userId)", "reason": "\(error)"])
      }
      if !isPerUser { return }
    }
  }

  /// A job of the room's own that failed is tried again while somebody publishes.
  private func beginOwnJobsLater() {
    guard settings.push.mode == .auto else { return }
    Task { [weak self] in
      try? await Task.sleep(for: .seconds(10))
      await self?.renewJobs()
    }
  }

  @discardableResult func chooseTracks(of forward: inout RelayJob.Forward) -> Bool {
    let audio = track(forward.audio, .audio)
    let video = track(forward.video, .video)
    guard audio?.track.id != forward.audioTrack || video?.track.id != forward.videoTrack else { return false }
    if audio?.track.id != forward.audioTrack {
      forward.audioTrack = audio?.track.id
      forward.audioSource = audio.map { decoded($0.track, of: $0.owner) }
    }
    if video?.track.id != forward.videoTrack {
      forward.videoTrack = video?.track.id
      forward.videoSource = video.map { media.source(of: $0.track.id, isVideo: true, clock: $0.owner.clock) }
    }
    return true
  }

  /// What a choice means now.
  func track(_ choice: RelayJob.Choice?, _ kind: TrackKind) -> (track: PublishedTrack, owner: Participant)? {
    guard let choice, let owner = participants[choice.user] else { return nil }
    let all = owner.tracks.filter { $0.info.kind == kind }
    let track =
      if let tag = choice.tag { all.last { $0.info.tag == tag } } else { all.first { $0.info.master } ?? all.first }
    return track.map { ($0, owner) }
  }

  /// A track, decoded once for all jobs.
  func decoded(_ track: PublishedTrack, of owner: Participant) -> DecodedTrack {
    if let guest = owner.bridged?.carried[track.id] { return guest.decoded }
    if let known = decodedTracks[track.id] { return known }
    let (id, isVideo, clock) = (track.id, track.info.kind == .video, owner.clock)
    let made = DecodedTrack(
      isVideo: isVideo, clock: clock, loop: surroundings.mixes.loop(), counters: surroundings.mixes.decoding
    ) { [media] in media.source(of: id, isVideo: isVideo, clock: clock) }
    decodedTracks[track.id] = made
    return made
  }

  private func forgetDecoded() {
    guard !decodedTracks.isEmpty else { return }
    let live = Set(participants.values.flatMap { $0.tracks.map(\.id) })
    decodedTracks = decodedTracks.filter { live.contains($0.key) }
  }

  // MARK: What the broadcasts say

  func heard(_ event: BroadcastEvent, of id: JobID) {
    guard let job = jobs[id] else { return }
    switch event {
    case .onAir: job.info.onAir = true
    case .state(let state, let failure):
      job.info.state = state.rawValue
      if let failure { job.info.failure = JobFailure(failure) }
      log.info(
        "job \(state.rawValue)", metadata: ["job": "\(id)", "failure": "\(failure.map { $0.description } ?? "none")"])
    case .ended(_, let reason): return ended(job, reason)
    case .over: return
    }
    tell(.jobChanged(job.info), besides: nil)
    report(event, of: job.info)
  }

  private func ended(_ job: RelayJob, _ reason: ProgramEnd) {
    jobs[job.id] = nil
    storeLater()
    leaveMix(of: job)
    let told: JobEndedData =
      switch reason {
      case .takenOver: JobEndedData(jobId: job.id, reason: .takenOver)
      case .stopped: JobEndedData(jobId: job.id, reason: isClosed ? .roomClosed : .stopped)
      case .noTracks: JobEndedData(jobId: job.id, reason: .noTracks)
      case .push(let failure): JobEndedData(jobId: job.id, reason: .failed, failure: JobFailure(failure))
      }
    // Nothing reports to a closed room after its last job.
    if isClosed, jobs.isEmpty { inbox.finish() }
    log.info("job over", metadata: ["job": "\(job.id)", "reason": "\(told.reason)"])
    tell(.jobEnded(told), besides: nil)
    // A room that closes has told it.
    if !isClosed { report(.jobEnded, told) }
    if told.reason == .failed { beginOwnJobsLater() }
  }

  /// Ends all jobs, as the room closes.
  func stopJobs() {
    for job in jobs.values { stop(job) }
    jobWatch?.cancel()
    jobWatch = nil
  }

  func watchJobs() {
    guard jobWatch == nil else { return }
    let interval = surroundings.relay.statusInterval
    jobWatch = Task { [weak self] in
      while (try? await Task.sleep(for: interval)) != nil {
        guard await self?.tellJobStatus() == true else { return }
      }
    }
  }

  /// False where there are no jobs any more.
  private func tellJobStatus() async -> Bool {
    for status in await jobStatus() {
      tell(.jobStatus(status), besides: nil) { !$0.grants.isDisjoint(with: [.relay, .admin]) }
    }
    guard jobs.isEmpty else { return true }
    jobWatch = nil
    return false
  }
}

extension JobStatusData {
  init(_ id: JobID, _ status: LiveBroadcast.Status, _ mix: LiveMix.Status?) {
    self.init(
      jobId: id, state: status.state.rawValue, fps: status.fps, kbps: status.kilobits, queue: status.queued,
      dropped: Int(clamping: status.dropped), connections: status.connections, delay: mix?.delay)
  }

  init(_ id: JobID, _ mix: LiveMix.Status) {
    self.init(
      jobId: id, state: PushState.connected.rawValue, fps: mix.fps, kbps: mix.bitrate / 1000, queue: 0, dropped: 0,
      connections: 0, delay: mix.delay)
  }
}

extension MediaRoom {
  /// A new tap of a track.
  func source(of track: MediaTrackID, isVideo: Bool, clock: SharedClock) -> TrackSource {
    let tap = TrackTap(capacity: isVideo ? TrackTap.videoBytes : TrackTap.audioBytes)
    self.tap(track, with: tap)
    return TrackSource(
      tap: tap, clock: clock, requestKeyFrame: { self.requestKeyFrame(track) }, release: { self.untap(track, tap) })
  }
}
