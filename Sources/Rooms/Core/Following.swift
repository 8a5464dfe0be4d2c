import RoomProtocol

// Forward jobs follow their user or the stage: what each sends now.

extension RoomCore {
  /// What a forward job should send.
  enum JobWish: Sendable {
    case tracks(Job.Forward)
    case composition(StageProgram.Rendition)
  }

  /// Returns what a forward job should send now; nil for another job, or one that ends.
  func wish(of job: Job) -> JobWish? {
    guard let base = job.base, job.broadcast != nil, !job.isStopping else { return nil }
    guard let content = program.content else { return .tracks(base) }
    switch job.follow {
    case .anchor:
      guard let pk, !pk.shown.isEmpty, (base.video ?? base.audio)?.user == pk.info.host else { return .tracks(base) }
      return .composition(base.video == nil ? .sound : .whole)
    case .stage:
      if let single = content.single { return .tracks(base.sending(single)) }
      return .composition(base.video == nil || settings.audience == .voice ? .sound : .whole)
    }
  }

  /// Switches a job to what it should send, once that can be sent.
  mutating func follow(_ id: JobID) {
    guard let job = jobs[id] else { return }
    switch wish(of: job) {
    case nil: return
    case .tracks(var forward):
      if case .forward(let now) = job.program, now.audio == forward.audio, now.video == forward.video { return }
      chooseTracks(of: &forward)
      jobs[id]?.program = .forward(forward)
      order(.continue(id, forward.program))
    case .composition(let rendition):
      guard let mix = program.mixes[rendition], mix != job.mix else { return }
      mixes[mix]?.uses += 1
      jobs[id]?.program = .stage(mix)
      order(.continue(id, .mix(mix, hasVideo: mixes[mix]?.plan.picture != nil, audioBitrate: nil)))
    }
    if let old = job.mix { release(old) }
    changes.mixes = true
  }

  /// Records that a job's broadcast now sends a mix, or tracks if nil.
  mutating func continued(_ id: JobID, as mix: MixID?) {
    jobs[id]?.sentMix = mix
    announcePKOnAir()
  }

  /// Announces each forward job that now shows several anchors of the PK, once per PK.
  mutating func announcePKOnAir() {
    guard let pk, !pk.shown.isEmpty else { return }
    let guests = Set(pk.shown.map(\.user))
    for (id, job) in jobs.sorted(by: { $0.key < $1.key }) where job.base != nil && !job.showsPK {
      guard let mix = job.sentMix, mix == job.mix, mixes[mix]?.plan.users(.audio).contains(where: guests.contains) == true
      else { continue }
      jobs[id]?.showsPK = true
      let data = PKOnAirData(pkId: pk.info.pkId, jobId: id)
      broadcast(.pkOnAir(data))
      emit(.report(.pkOnAir, data))
    }
  }
}

extension Job.Forward {
  /// Returns the main tracks of another user, of the same kinds.
  fileprivate func sending(_ user: UserID) -> Job.Forward {
    let choice = Job.Choice(user: user, tag: nil)
    return Job.Forward(audio: audio.map { _ in choice }, video: video.map { _ in choice })
  }
}
