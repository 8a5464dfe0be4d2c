import Foundation
import Relay
import RoomProtocol
import SFU

// Relay jobs: what a room sends to other servers.

extension Room {
  /// Begins a forward job for a participant.
  func startForward(_ params: ForwardParams, by participant: Participant) throws(RoomError) -> (JobInfo, announce: () -> Void) {
    guard participant.grants.contains(.relay) else { throw RoomError(.noPermission, "the token has no grant to relay") }
    return try startForward(params, by: participant.userId, defaultUser: participant.userId)
  }

  /// Begins a forward job.
  /// - Parameter defaultUser: whose tracks are sent where the parameters name nobody's.
  func startForward(
    _ params: ForwardParams, by caller: String, defaultUser: String?
  ) throws(RoomError) -> (JobInfo, announce: () -> Void) {
    guard !isClosed else { throw RoomError(.notInRoom, "the room is closed") }
    guard (1...64).contains(params.jobId.utf8.count) else { throw RoomError(.cdnParameters, "jobId: 1 to 64 bytes") }
    guard jobs[params.jobId] == nil else {
      throw RoomError(.publishFailed, "jobId: the room has a job \"\(params.jobId)\" already")
    }
    let url = try publishURL(params, defaultUser)
    guard jobs.count < surroundings.relay.jobsPerRoom else {
      surroundings.counters.count(limit: .jobs)
      throw RoomError(.publishFailed, "a room has at most \(surroundings.relay.jobsPerRoom) jobs")
    }
    let kinds = Set(params.kinds ?? [.audio, .video])
    guard !kinds.isEmpty else { throw RoomError(.cdnParameters, "kinds: audio, video or both") }
    let audio = try choice(.audio, params.audioTrackId, params, kinds, defaultUser)
    let video = try choice(.video, params.videoTrackId, params, kinds, defaultUser)

    let id = params.jobId
    let place = try surroundings.broadcasts.place(url) { [weak self] event in
      Task { await self?.heard(event, of: id) }
    }
    let info = JobInfo(
      jobId: id, kind: "forward", state: (place.isDirect ? PushState.connected : .unknown).rawValue, target: "\(url)",
      by: caller,
      startedAt: Int64(Date().timeIntervalSince1970 * 1000), onAir: false)
    let job = RelayJob(id: id, place: place, audio: audio, video: video, info: info)
    jobs[id] = job
    chooseTracks(of: job)
    log.info("job begins", metadata: ["job": "\(id)", "user": "\(caller)", "target": "\(url)"])
    let (audioSource, videoSource) = (job.audioSource, job.videoSource)
    Task { [weak self] in
      do {
        try await place.broadcast.begin(
          place.program, audio: audioSource, video: videoSource, carriesAudio: audio != nil, carriesVideo: video != nil)
      } catch {
        await self?.heard(.ended(place.program, .stopped), of: id)
      }
    }
    watchJobs()
    return (info, { self.tell(.jobChanged(info), besides: nil) })
  }

  /// Begins a forward job for the API.
  func startForward(_ params: ForwardParams) throws(RoomError) -> JobInfo {
    let (job, announce) = try startForward(params, by: "", defaultUser: nil)
    announce()
    return job
  }

  private func publishURL(_ params: ForwardParams, _ defaultUser: String?) throws(RoomError) -> PublishURL {
    let policy = settings.push
    let user = params.userId ?? defaultUser
    guard user != nil || !policy.isPerUser else {
      throw RoomError(.cdnParameters, "userId: whose tracks are to be sent? The room's URL has a place for it")
    }
    let own = policy.url(room: name, user: user ?? "")
    guard own == nil || params.publishUrl == nil else {
      throw RoomError(.publishFailed, "publishUrl: this room's jobs go to its own URL; leave it out")
    }
    guard let text = own ?? params.publishUrl else {
      throw RoomError(.publishFailed, "publishUrl: this room has no URL of its own; name one")
    }
    guard let url = PublishURL(text) else {
      throw RoomError(
        .cdnParameters, "publishUrl: rtmp://host/app/stream is needed, or rtmps://, and serialnum has to be a number")
    }
    return url
  }

  private func choice(
    _ kind: TrackKind, _ trackId: String?, _ params: ForwardParams, _ kinds: Set<TrackKind>, _ defaultUser: String?
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
      throw RoomError(.subscribeFailed, "\(kind)TrackId: there is no \(kind) track \"\(trackId.prefix(64))\"")
    }
    return RelayJob.Choice(user: owner.userId, tag: owner.tracks[index].info.tag)
  }

  /// Ends a job for a participant.
  func stopJob(_ id: String, by participant: Participant) throws(RoomError) {
    guard participant.grants.contains(.relay) else { throw RoomError(.noPermission, "the token has no grant to relay") }
    try stopJob(id)
  }

  /// Ends a job.
  func stopJob(_ id: String) throws(RoomError) {
    guard let job = jobs[id] else { throw RoomError(.cdnParameters, "the room has no job \"\(id.prefix(64))\"") }
    let place = job.place
    Task { await place.broadcast.stop(place.program) }
  }

  /// All jobs, in the order of their beginning.
  var jobList: [JobInfo] { jobs.values.map(\.info).sorted { ($0.startedAt ?? 0, $0.jobId) < ($1.startedAt ?? 0, $1.jobId) } }

  /// How the jobs go.
  func jobStatus() async -> [JobStatusData] {
    var all: [JobStatusData] = []
    for (id, place) in jobs.values.map({ ($0.id, $0.place) }) { all.append(JobStatusData(id, await place.broadcast.status())) }
    return all.sorted { $0.jobId < $1.jobId }
  }

  // MARK: Tracks

  /// Brings what the jobs send to what is published now, and begins those that the room's policy asks for.
  func renewJobs() {
    beginOwnJobs()
    for job in jobs.values where chooseTracks(of: job) {
      let (place, audio, video) = (job.place, job.audioSource, job.videoSource)
      Task { await place.broadcast.setTracks(of: place.program, audio: audio, video: video) }
    }
  }

  private static let ownJob = "auto"

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

  @discardableResult private func chooseTracks(of job: RelayJob) -> Bool {
    let audio = track(job.audio, .audio)
    let video = track(job.video, .video)
    guard audio?.id != job.audioTrack || video?.id != job.videoTrack else { return false }
    if audio?.id != job.audioTrack {
      job.audioTrack = audio?.id
      job.audioSource = audio.map { source($0, of: job.audio?.user ?? "") }
    }
    if video?.id != job.videoTrack {
      job.videoTrack = video?.id
      job.videoSource = video.map { source($0, of: job.video?.user ?? "") }
    }
    return true
  }

  private func track(_ choice: RelayJob.Choice?, _ kind: TrackKind) -> PublishedTrack? {
    guard let choice, let owner = participants[choice.user] else { return nil }
    let all = owner.tracks.filter { $0.info.kind == kind }
    guard let tag = choice.tag else { return all.first { $0.info.master } ?? all.first }
    return all.last { $0.info.tag == tag }
  }

  private func source(_ track: PublishedTrack, of user: String) -> TrackSource {
    let tap = TrackTap(capacity: track.info.kind == .video ? TrackTap.videoBytes : TrackTap.audioBytes)
    media.tap(track.id, with: tap)
    let (media, id) = (media, track.id)
    return TrackSource(
      tap: tap, participant: user, requestKeyFrame: { media.requestKeyFrame(id) }, release: { media.untap(id, tap) })
  }

  // MARK: What the broadcasts say

  private func heard(_ event: BroadcastEvent, of id: String) {
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
  }

  private func ended(_ job: RelayJob, _ reason: ProgramEnd) {
    jobs[job.id] = nil
    let told: JobEndedData =
      switch reason {
      case .takenOver: JobEndedData(jobId: job.id, reason: .takenOver)
      case .stopped: JobEndedData(jobId: job.id, reason: isClosed ? .roomClosed : .stopped)
      case .noTracks: JobEndedData(jobId: job.id, reason: .noTracks)
      case .push(let failure): JobEndedData(jobId: job.id, reason: .failed, failure: JobFailure(failure))
      }
    log.info("job over", metadata: ["job": "\(job.id)", "reason": "\(told.reason)"])
    tell(.jobEnded(told), besides: nil)
    if told.reason == .failed { beginOwnJobsLater() }
  }

  /// Ends all jobs, as the room closes.
  func stopJobs() {
    for job in jobs.values {
      let place = job.place
      Task { await place.broadcast.stop(place.program) }
    }
    jobWatch?.cancel()
    jobWatch = nil
  }

  private func watchJobs() {
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
  init(_ id: String, _ status: LiveBroadcast.Status) {
    self.init(
      jobId: id, state: status.state.rawValue, fps: status.fps, kbps: status.kilobits, queue: status.queued,
      dropped: Int(clamping: status.dropped), connections: status.connections)
  }
}
