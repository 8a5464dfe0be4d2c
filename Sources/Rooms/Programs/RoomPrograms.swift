import RoomLinux
import NIOCore
import RoomRTP
import RoomRelay
import RoomProtocol
import RoomSFU
import RoomWebRTC

/// The running programs of one room: its jobs' broadcasts, its mixes, and its links to other rooms. Performs the room's orders.
/// Only its `Room` may access it.
final class RoomPrograms {
  /// The result of an order that can fail.
  enum Answer {
    case began(JobID, Result<BroadcastGrant?, RoomError>)
    case made(MixID, RoomError?)
    case arranged(MixID, RoomError?)
    case none
  }

  private struct RunningJob {
    let registration: BroadcastDirectory.Registration
    /// The mix that the job sends, and whether with pictures.
    var mix: (id: MixID, hasVideo: Bool)?
    /// Commands to the broadcast, run in order.
    var work = OrderedWork()
  }

  private struct Listener: Hashable {
    var mix: MixID
    var session: SessionID
  }

  private let media: MediaRoom
  private let broadcasts: BroadcastDirectory
  private let directory: MixDirectory
  private let font: String?
  private let onEvent: @Sendable (BroadcastEvent, JobID) -> Void
  private let renditionFailed: @Sendable (MediaTrackID, String) -> Void
  private let sharingEnded: @Sendable (MixID) -> Void
  private let recorder: @Sendable (JobID) -> BroadcastDirectory.Recorder
  private var jobs: [JobID: RunningJob] = [:]
  private var mixes: [MixID: RunningMix] = [:]
  private var sinks: [MixID: MixedTrackSink] = [:]
  private var listeners: [Listener: SharedClock] = [:]
  /// Decoded tracks, shared by all jobs.
  private var decoded: [MediaTrackID: DecodedTrack] = [:]
  /// The clocks that synchronize the tracks of each session.
  private var clocks: [SessionID: SharedClock] = [:]
  /// The sizes in which mixes show the tracks.
  private var shown = ShownSizes()
  /// The recordings of single tracks, by job.
  private var recorded: [JobID: [MediaTrackID: TrackRecorder]] = [:]
  private var links: [MediaTrackID: (end: @Sendable () -> Void, decoded: DecodedTrack?)] = [:]
  private var injections: [MediaTrackID: TrackInjection] = [:]
  private var renditions: [MediaTrackID: LiveRendition] = [:]
  private var borrowers: [Borrower: (lending: Int, send: @Sendable ([LentTrack]) -> Void)] = [:]
  private var lastLending = 0
  /// The images that mixes may show.
  var images = RoomImages()

  init(
    media: MediaRoom, broadcasts: BroadcastDirectory, mixes: MixDirectory, font: String?,
    recorder: @escaping @Sendable (JobID) -> BroadcastDirectory.Recorder,
    onEvent: @escaping @Sendable (BroadcastEvent, JobID) -> Void,
    renditionFailed: @escaping @Sendable (MediaTrackID, String) -> Void,
    sharingEnded: @escaping @Sendable (MixID) -> Void
  ) {
    self.renditionFailed = renditionFailed
    self.sharingEnded = sharingEnded
    self.media = media
    self.broadcasts = broadcasts
    directory = mixes
    self.font = font
    self.onEvent = onEvent
    self.recorder = recorder
  }

  // MARK: Orders

  func carryOut(_ order: ProgramOrder) -> Answer {
    switch order {
    case .begin(let job, let broadcast, let mix): return .began(job, begin(job, broadcast, mix))
    case .makeMix(let id, let plan): return .made(id, failure { () throws(RoomError) in try make(id, plan) })
    case .arrange(let id, let plan): return .arranged(id, failure { () throws(RoomError) in try arrange(id, plan) })
    case .start(let job, let program): start(job, program)
    case .setTracks(let job, let audio, let video):
      let (audio, video) = (audio.map(decoded), video.map(source))
      run(job) { await $0.broadcast.setTracks(of: $0.program, audio: audio, video: video) }
    case .continue(let job, let program): `continue`(job, program)
    case .recordTracks(let job, let tracks): record(tracks, for: job)
    case .stop(let job): run(job) { await $0.broadcast.stop($0.program) }
    case .setMixTracks(let id, let tracks, let isWaiting): setTracks(of: id, tracks, isWaiting: isWaiting)
    case .endMix(let id): endMix(id)
    case .shareMix(let id, let content): share(id, content)
    case .separateMix(let id): separate(id)
    case .publishMix(let id, let video, let audio, let bitrate): publish(id, video, audio, bitrate)
    case .unpublishMix(let id): unpublish(id)
    case .addListener(let id, let session, let track, let bitrate): addListener(id, session, track, bitrate)
    case .removeListener(let id, let session):
      if let clock = listeners.removeValue(forKey: Listener(mix: id, session: session)) {
        mixes[id]?.live.setListener(clock, nil)
      }
    case .link(let track, let parameters, let lent): link(track, parameters, lent)
    case .unlink(let track): links.removeValue(forKey: track)?.end()
    case .lend(let items, let borrower): borrowers[borrower]?.send(items.map(lent))
    case .endLending(let borrower): borrowers[borrower] = nil
    case .makeRendition(let track, let source, let codec): makeRendition(track, of: source, codec)
    case .endRendition(let track): renditions.removeValue(forKey: track)?.stop()
    case .forget(let session): clocks[session] = nil
    case .forgetTracks(let tracks):
      for track in tracks {
        (decoded[track], injections[track]) = (nil, nil)
        shown.forget(track)
      }
    case .inject(let track, let parameters, let layers): inject(track, parameters, layers)
    case .closeRoom:
      for rendition in renditions.values { rendition.stop() }
      renditions = [:]
      media.close()
    case .reportStatus: break
    }
    return .none
  }

  func carryOut(_ order: MediaOrder) { media.perform(order) }

  private func failure(_ body: () throws(RoomError) -> Void) -> RoomError? {
    do throws(RoomError) {
      try body()
      return nil
    } catch { return error }
  }

  // MARK: Jobs

  /// Returns the sources of a job's status.
  func probe(_ job: JobID, mix: MixID?) -> JobProbe {
    JobProbe(job: job, broadcast: jobs[job]?.registration.broadcast, mix: mix.flatMap { mixes[$0]?.live })
  }

  func id(of mix: LiveMix) -> MixID? { mixes.first { $0.value.live === mix }?.key }

  private func begin(
    _ job: JobID, _ request: BroadcastRequest?, _ mix: (id: MixID, plan: MixPlan)?
  ) -> Result<BroadcastGrant?, RoomError> {
    do throws(RoomError) {
      if let mix { try make(mix.id, mix.plan) }
    } catch { return .failure(error) }
    guard let request else { return .success(nil) }
    do throws(RoomError) {
      let registration = try broadcasts.register(
        request.url, claim: request.claim, recording: request.recording, isRestored: request.isRestored,
        recorder: recorder(job)
      ) { [onEvent] event in onEvent(event, job) }
      jobs[job] = RunningJob(registration: registration)
      return .success(BroadcastGrant(isDirect: registration.isDirect, recording: registration.recording))
    } catch {
      if let mix { endMix(mix.id) }
      return .failure(error)
    }
  }

  /// Removes a job whose broadcast reported its end.
  func forget(_ job: JobID) { jobs[job] = nil }

  /// The room's broadcasts continue at another server.
  func depart() { for job in jobs.values { broadcasts.depart(job.registration) } }

  private func run(_ job: JobID, _ command: @escaping @Sendable (BroadcastDirectory.Registration) async -> Void) {
    guard let registration = jobs[job]?.registration else { return }
    jobs[job]?.work.add { await command(registration) }
  }

  private func start(_ job: JobID, _ program: JobProgram) {
    note(program, of: job)
    switch program {
    case .forward(let audio, let video, let carriesAudio, let carriesVideo):
      let (audio, video) = (audio.map(decoded), video.map(source))
      run(job) {
        await $0.broadcast.begin(
          $0.program, audio: audio, video: video, carriesAudio: carriesAudio, carriesVideo: carriesVideo)
      }
    case .mix(let id, let hasVideo, let bitrate):
      guard let live = mixes[id]?.live else { return }
      run(job) { await $0.broadcast.begin($0.program, mix: live, hasVideo: hasVideo, audioBitrate: bitrate) }
    }
  }

  private func note(_ program: JobProgram, of job: JobID) {
    switch program {
    case .forward: jobs[job]?.mix = nil
    case .mix(let id, let hasVideo, _): jobs[job]?.mix = (id, hasVideo)
    }
  }

  private func `continue`(_ job: JobID, _ program: JobProgram) {
    note(program, of: job)
    switch program {
    case .forward(let audio, let video, let carriesAudio, let carriesVideo):
      let (audio, video) = (audio.map(decoded), video.map(source))
      run(job) {
        await $0.broadcast.continue(
          $0.program, audio: audio, video: video, carriesAudio: carriesAudio, carriesVideo: carriesVideo)
      }
    case .mix(let id, let hasVideo, _):
      guard let live = mixes[id]?.live else { return }
      run(job) { await $0.broadcast.continue($0.program, as: live, hasVideo: hasVideo) }
    }
  }

  /// Records these tracks, and completes the files of the others.
  private func record(_ tracks: [RecordedTrack], for job: JobID) {
    guard let recordings = broadcasts.recordings, let owner = recorder(job).owner else { return }
    var running = recorded[job] ?? [:]
    let wanted = Set(tracks.map(\.source.track))
    for (id, recorder) in running where !wanted.contains(id) {
      recorder.stop()
      running[id] = nil
    }
    for track in tracks where running[track.source.track] == nil {
      let (id, isVideo, clock) = (track.source.track, track.source.isVideo, clock(of: track.source.session))
      let source = RecordedTrackSource(user: track.user.rawValue, tag: track.tag, kind: isVideo ? "video" : "audio")
      running[id] = TrackRecorder(
        source, of: owner, in: recordings, loop: directory.loop(),
        open: { [media] in media.source(of: id, isVideo: isVideo, clock: clock) },
        failed: { [broadcasts] failure in broadcasts.trackFailed(source, owner, failure) })
    }
    recorded[job] = running.isEmpty ? nil : running
  }

  // MARK: Mixes

  private func make(_ id: MixID, _ plan: MixPlan) throws(RoomError) {
    let scene = try plan.scene(images, font: font)
    mixes[id] = RunningMix(try directory.make(plan.picture, scene, sources: plan.layouts.count), plan: plan)
    setSizes(of: id, plan)
  }

  private func arrange(_ id: MixID, _ plan: MixPlan) throws(RoomError) {
    guard let mix = mixes[id] else { return }
    let scene = try plan.scene(images, font: font)
    mixes[id]?.plan = plan
    if !mix.isBorrowed { mix.live.setScene(scene) } else if mix.member == nil { reclaim(id) }
    setSizes(of: id, plan)
  }

  private func setTracks(of id: MixID, _ tracks: [MixTrackID], isWaiting: Bool) {
    guard var mix = mixes[id] else { return }
    (mix.tracks, mix.isWaiting) = (tracks, isWaiting)
    mixes[id] = mix
    if !mix.isBorrowed {
      mix.live.setTracks(tracks.map(mixTrack), isWaiting: isWaiting)
    } else if mix.member == nil {
      reclaim(id)
    }
    for track in shown.set(tracks, of: id) { media.setTapSize(shown.size(of: track), of: track) }
  }

  private func mixTrack(_ id: MixTrackID) -> MixTrack { MixTrack(input: id.input, track: decoded(id.source)) }

  private func setSizes(of id: MixID, _ plan: MixPlan) {
    for track in shown.set(plan, of: id) { media.setTapSize(shown.size(of: track), of: track) }
  }

  private func endMix(_ id: MixID) {
    unpublish(id)
    guard let mix = mixes.removeValue(forKey: id) else { return }
    for track in shown.remove(id) { media.setTapSize(shown.size(of: track), of: track) }
    if let member = mix.member { directory.shared.leave(member) }
    guard !mix.isBorrowed else { return }
    mix.live.end()
    directory.ended()
  }

  /// Offers a mix to the other rooms, or sends the mix of another room from now on.
  private func share(_ id: MixID, _ content: SharedContent) {
    guard let own = mixes[id], own.member == nil else { return }
    let (member, other) = directory.shared.join(content, own.live) { [sharingEnded] in sharingEnded(id) }
    mixes[id]?.member = member
    guard let other else { return }
    mixes[id]?.borrow(other)
    sendAgain(id)
    own.live.end()
    directory.ended()
  }

  /// Makes a mix the room's own again: a room that others follow leaves its mix to them until they have separated, too.
  private func separate(_ id: MixID) {
    guard let mix = mixes[id], let member = mix.member else { return }
    mixes[id]?.member = nil
    defer { directory.shared.leave(member) }
    if mix.isBorrowed || directory.shared.isFollowed(member) { reclaim(id) }
  }

  /// Replaces a mix that other rooms send, too, by one of the room's own. Without an encoder for that the picture stays as it is, until
  /// the next change of the mix tries again.
  private func reclaim(_ id: MixID) {
    guard let mix = mixes[id], let scene = try? mix.plan.scene(images, font: font),
      // The room was admitted with a mix of its own.
      let own = try? directory.make(mix.plan.picture, scene, sources: mix.plan.layouts.count, isAdmitted: true)
    else { return }
    own.setTracks(mix.tracks.map(mixTrack), isWaiting: mix.isWaiting)
    mixes[id]?.own(own)
    sendAgain(id)
    if !mix.isBorrowed { mix.live.end() }
  }

  /// Continues the jobs of a mix with its present source.
  private func sendAgain(_ id: MixID) {
    guard let live = mixes[id]?.live else { return }
    for (job, running) in jobs {
      guard let mix = running.mix, mix.id == id else { continue }
      run(job) { await $0.broadcast.continue($0.program, as: live, hasVideo: mix.hasVideo) }
    }
  }

  private func publish(_ id: MixID, _ video: MediaTrackID?, _ audio: MediaTrackID?, _ bitrate: Int) {
    guard let mix = mixes[id]?.live, let sink = try? MixedTrackSink(mix, audioBitrate: bitrate, now: .now) else { return }
    sink.begin(video: video.flatMap(takeInjection), audio: audio.flatMap(takeInjection))
    sinks[id] = sink
    mix.add(sink)
  }

  private func unpublish(_ id: MixID) {
    guard let sink = sinks.removeValue(forKey: id) else { return }
    sink.stop()
    mixes[id]?.live.remove(sink)
  }

  private func addListener(_ id: MixID, _ session: SessionID, _ track: MediaTrackID, _ bitrate: Int) {
    guard let mix = mixes[id]?.live, let sink = try? MixedTrackSink(mix, audioBitrate: bitrate, now: .now) else { return }
    sink.begin(video: nil, audio: takeInjection(track))
    let clock = clock(of: session)
    listeners[Listener(mix: id, session: session)] = clock
    mix.setListener(clock, sink)
  }

  // MARK: Tracks

  /// Creates a track whose packets this server produces.
  func inject(_ track: MediaTrackID, _ parameters: RTPParameters, _ layers: Int) {
    injections[track] = media.inject(track, parameters: parameters, layers: layers)
  }

  /// Returns the sender of an injected track, once, to its owner.
  func takeInjection(_ track: MediaTrackID) -> TrackInjection? { injections.removeValue(forKey: track) }

  private func clock(of session: SessionID) -> SharedClock {
    if let known = clocks[session] { return known }
    let made = SharedClock()
    clocks[session] = made
    return made
  }

  private func source(_ id: TrackSourceID) -> TrackSource {
    media.source(of: id.track, isVideo: id.isVideo, clock: clock(of: id.session))
  }

  /// Returns a decoded track, shared by all jobs.
  private func decoded(_ id: TrackSourceID) -> DecodedTrack {
    if let shared = links[id.track]?.decoded { return shared }
    if let known = decoded[id.track] { return known }
    let (track, isVideo, clock) = (id.track, id.isVideo, clock(of: id.session))
    let made = DecodedTrack(
      isVideo: isVideo, clock: clock, loop: directory.loop(), counters: directory.decoding
    ) { [media] in media.source(of: track, isVideo: isVideo, clock: clock, isScaled: true) }
    decoded[id.track] = made
    return made
  }

  private func makeRendition(_ track: MediaTrackID, of source: MediaTrackID, _ codec: TrackRendition.Codec) {
    guard let injection = takeInjection(track) else { return }
    let rendition = LiveRendition(
      of: { [media] in media.source(of: source, isVideo: true, clock: SharedClock()) }, in: codec, into: injection,
      budget: directory.budget, on: directory.loop(), failed: { [renditionFailed] in renditionFailed(track, $0) })
    renditions[track] = rendition
    rendition.start()
  }

  // MARK: Other rooms

  /// Sets the callback that sends a room the tracks it borrows.
  /// - Returns: the number of the lending.
  func setBorrower(_ borrower: Borrower, send: @escaping @Sendable ([LentTrack]) -> Void) -> Int {
    lastLending += 1
    borrowers[borrower] = (lastLending, send)
    return lastLending
  }

  /// The number of the current lending to a room; nil if there is none.
  func lending(to borrower: Borrower) -> Int? { borrowers[borrower]?.lending }

  private func lent(_ item: LentItem) -> LentTrack {
    let id = item.source.track
    shown.lend(id)
    media.setTapSize(nil, of: id)
    return LentTrack(
      id: id, info: item.info, parameters: item.parameters, handle: LentMedia(id, of: media, decoded: decoded(item.source)))
  }

  private func link(_ track: MediaTrackID, _ parameters: RTPParameters, _ lent: LentTrack) {
    let injection = media.receive(track, parameters: parameters, layers: lent.handle.layers, isReported: true)
    links[track] = (lent.handle.copy(to: injection), lent.handle.decoded)
  }
}

/// A track of a room of this server: decoded once for both rooms, and linked to the other.
package final class LentMedia: LentHandle {
  private let track: MediaTrackID
  private let media: MediaRoom
  package let decoded: DecodedTrack?
  package let layers: Int

  init(_ track: MediaTrackID, of media: MediaRoom, decoded: DecodedTrack) {
    self.track = track
    self.media = media
    self.decoded = decoded
    layers = media.layers(of: track)
  }

  package func copy(to injection: TrackInjection) -> @Sendable () -> Void {
    media.link(track, to: injection)
    return { [media, track] in media.unlink(track, from: injection) }
  }

  /// Copies the records for another server, as ``MediaRoom/link(_:waking:of:)`` does.
  package func copy(waking descriptor: Int32, of owner: any AnyObject & Sendable) -> TrackInjection? {
    media.link(track, waking: descriptor, of: owner)
  }

  package func end(_ injection: TrackInjection) { media.unlink(track, from: injection) }
}

extension MediaRoom {
  /// Returns a new tap of a track.
  /// - Parameter isScaled: whether its pictures are scaled to the size of `setTapSize`.
  func source(of track: MediaTrackID, isVideo: Bool, clock: SharedClock, isScaled: Bool = false) -> TrackSource {
    let tap = TrackTap(capacity: isVideo ? TrackTap.videoBytes : TrackTap.audioBytes, isScaled: isScaled)
    self.tap(track, with: tap)
    return TrackSource(
      tap: tap, clock: clock, requestKeyFrame: { self.requestKeyFrame(track) }, release: { self.untap(track, tap) })
  }
}
