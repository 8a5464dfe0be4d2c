import RoomProtocol

// Jobs that record single tracks, each into a file of its own, as it is published.

extension RoomCore {
  /// Starts a job that records tracks. The answer follows.
  /// - Throws: 10003 for a guest of a PK; 80204 for parameters of another kind of job, and if recording is disabled.
  mutating func startTracks(
    _ params: ForwardParams, by caller: Participant?, _ requester: Requester
  ) throws(RoomError) {
    guard params.tracks == .separate else { throw RoomError(.cdnParameters, "tracks: separate") }
    guard caller?.token.pk == nil else {
      throw RoomError(.noPermission, "a guest of a PK can't record the tracks of the room")
    }
    for (name, value) in [
      ("publishUrl", params.publishUrl), ("audioTrackId", params.audioTrackId?.rawValue),
      ("videoTrackId", params.videoTrackId?.rawValue), ("follow", params.follow?.rawValue), ("record", params.record),
    ] where value != nil {
      throw RoomError(.cdnParameters, "\(name): a job that records tracks has none; userId, tag and kinds select tracks")
    }
    let kinds = Set(params.kinds ?? [.audio, .video])
    guard !kinds.isEmpty else { throw RoomError(.cdnParameters, "kinds: audio, video or both") }
    let choice = Job.TrackChoice(user: params.userId, tag: params.tag, kinds: kinds)
    try beginTracks(params.jobId, choice, by: caller?.user ?? "", requester, startedAt: nil)
  }

  /// - Parameter startedAt: milliseconds since 1970; nil for now.
  mutating func beginTracks(
    _ id: JobID, _ choice: Job.TrackChoice, by user: UserID, _ requester: Requester, startedAt: Int64?
  ) throws(RoomError) {
    try checkNewJob(id)
    guard settings.records else { throw .recordingDisabled("tracks") }
    let job = NewJob(
      id: id, program: .tracks(choice), url: nil, claim: .trusted(name), requester: requester, startedAt: startedAt, by: user)
    begin(job, recording: nil)
  }

  /// Updates the tracks that a job records to what is published now. Mixes and anchors of other rooms are not recorded.
  mutating func recordTracks(of id: JobID) {
    guard let job = jobs[id], case .tracks(let choice) = job.program, !job.isStopping else { return }
    let users = choice.user.map { [$0] } ?? roster.order
    let tracks = users.compactMap { roster[$0] }.filter { !$0.isVirtual }.flatMap { owner in
      owner.tracks.filter { choice.kinds.contains($0.info.kind) && (choice.tag == nil || $0.info.tag == choice.tag) }
        .map { track in
          let source = TrackSourceID(track: track.id, isVideo: track.info.kind == .video, session: owner.session)
          return RecordedTrack(source: source, user: owner.user, tag: track.info.tag)
        }
    }
    guard tracks != job.recorded else { return }
    jobs[id]?.recorded = tracks
    order(.recordTracks(id, tracks))
  }
}
