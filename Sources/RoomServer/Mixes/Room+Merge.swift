import Codecs
import Relay
import RoomProtocol
import SFU

// Merge jobs: what a room mixes.

extension Room {
  /// Begins a merge job for a participant.
  func startMerge(_ params: MergeParams, by participant: Participant) throws(RoomError) -> (JobInfo, announce: () -> Void) {
    guard participant.grants.contains(.relay) else { throw RoomError(.noPermission, "the token has no grant to relay") }
    return try startMerge(params, by: participant.userId, claim: claim(of: participant, naming: params.publishUrl))
  }

  /// Begins a merge job for the API.
  func startMerge(_ params: MergeParams) throws(RoomError) -> JobInfo {
    let (job, announce) = try startMerge(params, by: "")
    announce()
    return job
  }

  /// - Parameter claim: the authority behind it; nil for that of an API token.
  func startMerge(
    _ params: MergeParams, by caller: UserID, claim: BroadcastClaim? = nil
  ) throws(RoomError) -> (JobInfo, announce: () -> Void) {
    if let complaint = params.complaint { throw RoomError(.cdnParameters, complaint) }
    try checkNewJob(params.jobId)
    let goesOut = params.publishUrl != nil || settings.push.mode != .own
    guard goesOut || params.publishAs != nil else {
      throw RoomError(.cdnParameters, "publishUrl: where is the mix to go? publishAs sends it into the room")
    }
    guard goesOut || params.record == nil else {
      throw RoomError(.cdnParameters, "record: what goes to a publishUrl is recorded; file:NAME.mp4 is one")
    }
    let url = goesOut ? try publishURL(params.publishUrl, caller.isEmpty ? nil : caller) : nil
    if let user = params.publishAs { try checkName(user) }
    return try merge(params, try items(params), to: url, by: caller, claim: claim ?? .trusted(name))
  }

  /// Begins a merge job of what its layouts mean.
  func merge(
    _ params: MergeParams, _ items: [RoomMix.Item], to url: PublishURL?, by caller: UserID, claim: BroadcastClaim,
    isRestored: Bool = false
  ) throws(RoomError) -> (JobInfo, announce: () -> Void) {
    let mix = try enterMix(key(params, items))
    var place: BroadcastDirectory.Place?
    do throws(RoomError) {
      place = try url.map { url throws(RoomError) in
        try self.place(url, for: params.jobId, claim: claim, record: params.record, isRestored: isRestored)
      }
    } catch {
      leave(mix)
      throw error
    }
    var info = newInfo(params.jobId, "merge", place, url, by: caller)
    info.publishAs = params.publishAs
    let job = RelayJob(
      id: params.jobId, place: place, url: url, owner: claim.room, program: .merge(mix, params), info: info)
    mix.missing = missing(in: mix)
    if !mix.missing.isEmpty { job.info.missing = mix.missing }
    let (told, announce) = begin(job)
    // Before anybody takes what it makes.
    setTracks(of: mix)
    if let place {
      let (live, hasVideo) = (mix.live, params.width != nil)
      job.run {
        await place.broadcast.begin(
          place.program, mix: live, hasVideo: hasVideo, audioBitrate: params.audioKbps.map { $0 * 1000 })
      }
    }
    return (
      told,
      {
        announce()
        if let user = params.publishAs { self.publish(mix, as: user, params) }
        self.renewMixes()
      }
    )
  }

  private func checkName(_ user: UserID) throws(RoomError) {
    guard NameRule.allows(user) else { throw RoomError(.cdnParameters, "publishAs: \(NameRule.text)") }
    guard participants[user] == nil else {
      throw RoomError(.publishFailed, "publishAs: there is a participant \"\(user)\" in the room")
    }
    if let full = fullSentence(for: nil, publishes: true) { throw RoomError(.publishFailed, "publishAs: \(full)") }
  }

  /// Arranges a job's tracks anew for a participant.
  func setLayouts(_ params: LayoutsParams, by participant: Participant) throws(RoomError) {
    guard participant.grants.contains(.relay) else { throw RoomError(.noPermission, "the token has no grant to relay") }
    if let job = jobs[params.jobId] { try checkControl(of: job, by: participant) }
    try setLayouts(params.layouts, of: params.jobId)
  }

  /// Arranges a job's tracks anew, from the next frame on.
  func setLayouts(_ layouts: [TrackLayout], of id: JobID) throws(RoomError) {
    guard let job = jobs[id] else { throw RoomError(.cdnParameters, "the room has no job \"\(id.brief)\"") }
    guard case .merge(let mix, var params) = job.program else {
      throw RoomError(.cdnParameters, "the job \"\(id)\" is no merge job: it has no layouts")
    }
    if let complaint = MergeParams.complaint(about: layouts, hasPictures: params.width != nil) {
      throw RoomError(.cdnParameters, complaint)
    }
    params.layouts = layouts
    let key = key(params, try items(params))
    guard key != mix.key else { return }
    defer { storeLater() }
    if mix.uses == 1 {
      let scene = try key.scene(images, font: surroundings.relay.font)
      mix.key = key
      mix.live.setScene(scene)
      job.program = .merge(mix, params)
    } else {
      // Others go on with what they have.
      let next = try enterMix(key)
      leave(mix)
      job.program = .merge(next, params)
      if let place = job.place {
        let (live, hasVideo) = (next.live, params.width != nil)
        job.run { await place.broadcast.continue(place.program, as: live, hasVideo: hasVideo) }
      }
    }
    renewMixes()
  }

  // MARK: Images

  /// Keeps an image that mixes may show.
  func setImage(_ name: String, _ picture: Picture, file: [UInt8]) throws(RoomError) {
    try images.set(name, picture, bytes: file.count)
    surroundings.store?.note(.image(room: self.name, name: name, file))
  }

  /// False where there is none.
  func removeImage(_ name: String) -> Bool {
    guard images.remove(name) else { return false }
    surroundings.store?.note(.image(room: self.name, name: name, nil))
    return true
  }

  // MARK: Mixes

  private func items(_ params: MergeParams) throws(RoomError) -> [RoomMix.Item] {
    var items: [RoomMix.Item] = []
    for (index, layout) in params.layouts.enumerated() {
      items.append(try item(layout, "layouts[\(index)]", publishAs: params.publishAs))
    }
    return items
  }

  private func key(_ params: MergeParams, _ items: [RoomMix.Item]) -> RoomMix.Key {
    RoomMix.Key(
      picture: params.picture(isPublished: params.publishAs != nil), layouts: items, background: params.background,
      watermarks: params.watermarks ?? [], texts: params.texts ?? [],
      images: RoomMix.Key.versions(params, images), publishedBy: params.publishAs.map { _ in params.jobId })
  }

  private func item(_ layout: TrackLayout, _ name: String, publishAs: UserID?) throws(RoomError) -> RoomMix.Item {
    let hasFrame = layout.width != nil
    if let user = layout.userId {
      guard NameRule.allows(user) else { throw RoomError(.cdnParameters, "\(name).userId: \(NameRule.text)") }
      guard user != publishAs, participants[user]?.mixed == nil else {
        throw RoomError(.subscribeFailed, "\(name).userId: a mix is not mixed again")
      }
      let choice = RelayJob.Choice(user: user, tag: nil)
      return RoomMix.Item(layout: layout, audio: choice, video: hasFrame ? choice : nil)
    }
    let trackId = layout.trackId ?? ""
    guard let (owner, index) = publication(trackId), owner.mixed == nil else {
      throw RoomError(.subscribeFailed, "\(name).trackId: nobody publishes a track \"\(trackId.brief)\"")
    }
    let info = owner.tracks[index].info
    let choice = RelayJob.Choice(user: owner.userId, tag: info.tag)
    guard info.kind == .audio || hasFrame else {
      throw RoomError(.cdnParameters, "\(name): a video track needs a frame: x, y, width and height")
    }
    // The place is the same whichever track is there: the id of today is no part of it.
    var place = layout
    if info.kind == .audio { (place.x, place.y, place.width, place.height) = (nil, nil, nil, nil) }
    return RoomMix.Item(
      layout: place, audio: info.kind == .audio ? choice : nil, video: info.kind == .video ? choice : nil)
  }

  /// The mix of these parameters.
  func enterMix(_ params: MergeParams) throws(RoomError) -> RoomMix {
    try enterMix(key(params, try items(params)))
  }

  /// The mix that is exactly so, or a new one.
  private func enterMix(_ key: RoomMix.Key) throws(RoomError) -> RoomMix {
    if let same = mixes.first(where: { $0.key == key }) {
      same.uses += 1
      return same
    }
    let scene = try key.scene(images, font: surroundings.relay.font)
    let live = try surroundings.mixes.make(key.picture, scene, sources: key.layouts.count)
    let mix = RoomMix(key, live)
    mixes.append(mix)
    return mix
  }

  func leave(_ mix: RoomMix) {
    mix.uses -= 1
    guard mix.uses == 0 else { return }
    mixes.removeAll { $0 === mix }
    mix.live.end()
    surroundings.mixes.ended()
  }

  /// A job is over.
  func leaveMix(of job: RelayJob) {
    guard let mix = job.mix else { return }
    leave(mix)
    if let published = participants.values.first(where: { $0.mixed?.job == job.id }) {
      end(published, EndedData(reason: .left))
    }
  }

  func setTracks(of mix: RoomMix) {
    var tracks: [MixTrack] = []
    var ids: [String: MediaTrackID] = [:]
    for item in mix.key.layouts {
      for (kind, choice) in [(TrackKind.audio, item.audio), (.video, item.video)] {
        guard let choice, let found = track(choice, kind), found.owner.mixed == nil else { continue }
        let input = RoomMix.Item.input(kind, choice)
        guard ids.updateValue(found.track.id, forKey: input) == nil else { continue }
        tracks.append(MixTrack(input: input, track: decoded(found.track, of: found.owner)))
      }
    }
    guard ids != mix.tracks else { return }
    mix.tracks = ids
    mix.live.setTracks(tracks, isWaiting: !mix.key.layouts.isEmpty)
  }

  private func missing(in mix: RoomMix) -> [String] {
    mix.key.layouts.filter { item in
      item.audio.flatMap { track($0, .audio) } == nil && item.video.flatMap { track($0, .video) } == nil
    }.map(\.name)
  }

  /// Brings what is mixed to what is published now.
  func renewMixes() {
    for mix in mixes {
      setTracks(of: mix)
      let missing = missing(in: mix)
      guard missing != mix.missing else { continue }
      mix.missing = missing
      for job in jobs.values where job.mix === mix {
        job.info.missing = missing.isEmpty ? nil : missing
        tell(.jobChanged(job.info), besides: nil)
      }
    }
    for participant in participants.values { renewOwn(of: participant) }
  }
}
