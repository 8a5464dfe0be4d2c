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

  private let media: MediaRoom
  let tracks: RoomTracks
  let mixes: RoomMixes
  private let broadcasts: BroadcastDirectory
  private let directory: MixDirectory
  private let onEvent: @Sendable (BroadcastEvent, JobID) -> Void
  private let renditionFailed: @Sendable (MediaTrackID, String) -> Void
  private let recorder: @Sendable (JobID) -> BroadcastDirectory.Recorder
  private var jobs: [JobID: RunningJob] = [:]
  /// The recordings of single tracks, by job.
  private var recorded: [JobID: [MediaTrackID: TrackRecorder]] = [:]
  private var renditions: [MediaTrackID: LiveRendition] = [:]
  private var borrowers: [Borrower: (lending: Int, send: @Sendable ([LentTrack]) -> Void)] = [:]
  private var lastLending = 0

  init(
    media: MediaRoom, broadcasts: BroadcastDirectory, mixes: MixDirectory, font: String?,
    recorder: @escaping @Sendable (JobID) -> BroadcastDirectory.Recorder,
    onEvent: @escaping @Sendable (BroadcastEvent, JobID) -> Void,
    renditionFailed: @escaping @Sendable (MediaTrackID, String) -> Void,
    sharingEnded: @escaping @Sendable (MixID) -> Void
  ) {
    self.renditionFailed = renditionFailed
    self.media = media
    self.broadcasts = broadcasts
    directory = mixes
    tracks = RoomTracks(of: media, mixes)
    self.mixes = RoomMixes(of: media, tracks, mixes, font: font, sharingEnded: sharingEnded)
    self.onEvent = onEvent
    self.recorder = recorder
  }

  // MARK: Orders

  func carryOut(_ order: ProgramOrder) -> Answer {
    switch order {
    case .begin(let job, let broadcast, let mix): return .began(job, begin(job, broadcast, mix))
    case .makeMix(let id, let plan): return .made(id, failure { () throws(RoomError) in try mixes.make(id, plan) })
    case .arrange(let id, let plan):
      return .arranged(id, failure { () throws(RoomError) in send(try mixes.arrange(id, plan), as: id) })
    case .start(let job, let program): start(job, program)
    case .setTracks(let job, let audio, let video):
      let (audio, video) = (audio.map(tracks.decoded), video.map(tracks.source))
      run(job) { await $0.broadcast.setTracks(of: $0.program, audio: audio, video: video) }
    case .continue(let job, let program): `continue`(job, program)
    case .recordTracks(let job, let tracks): record(tracks, for: job)
    case .stop(let job): run(job) { await $0.broadcast.stop($0.program) }
    case .setMixTracks(let id, let tracks, let isWaiting): send(mixes.setTracks(of: id, tracks, isWaiting: isWaiting), as: id)
    case .endMix(let id): mixes.end(id)
    case .shareMix(let id, let content): send(mixes.share(id, content), as: id)
    case .separateMix(let id): send(mixes.separate(id), as: id)
    case .publishMix(let id, let video, let audio, let bitrate): mixes.publish(id, video, audio, bitrate)
    case .unpublishMix(let id): mixes.unpublish(id)
    case .addListener(let id, let session, let track, let bitrate): mixes.addListener(id, session, track, bitrate)
    case .removeListener(let id, let session): mixes.removeListener(id, session)
    case .link(let track, let parameters, let lent): tracks.link(track, parameters, lent)
    case .unlink(let track): tracks.unlink(track)
    case .lend(let items, let borrower): borrowers[borrower]?.send(items.map(lent))
    case .endLending(let borrower): borrowers[borrower] = nil
    case .makeRendition(let track, let source, let codec): makeRendition(track, of: source, codec)
    case .endRendition(let track): renditions.removeValue(forKey: track)?.stop()
    case .forget(let session): tracks.forget(session)
    case .forgetTracks(let gone):
      for track in gone { tracks.forget(track) }
    case .inject(let track, let parameters, let layers): tracks.inject(track, parameters, layers)
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
    JobProbe(job: job, broadcast: jobs[job]?.registration.broadcast, mix: mix.flatMap { mixes[$0] })
  }

  func id(of mix: LiveMix) -> MixID? { mixes.id(of: mix) }

  private func begin(
    _ job: JobID, _ request: BroadcastRequest?, _ mix: (id: MixID, plan: MixPlan)?
  ) -> Result<BroadcastGrant?, RoomError> {
    do throws(RoomError) {
      if let mix { try mixes.make(mix.id, mix.plan) }
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
      if let mix { mixes.end(mix.id) }
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
      let (audio, video) = (audio.map(tracks.decoded), video.map(tracks.source))
      run(job) {
        await $0.broadcast.begin(
          $0.program, audio: audio, video: video, carriesAudio: carriesAudio, carriesVideo: carriesVideo)
      }
    case .mix(let id, let hasVideo, let bitrate):
      guard let live = mixes[id] else { return }
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
      let (audio, video) = (audio.map(tracks.decoded), video.map(tracks.source))
      run(job) {
        await $0.broadcast.continue(
          $0.program, audio: audio, video: video, carriesAudio: carriesAudio, carriesVideo: carriesVideo)
      }
    case .mix(let id, let hasVideo, _):
      guard let live = mixes[id] else { return }
      run(job) { await $0.broadcast.continue($0.program, as: live, hasVideo: hasVideo) }
    }
  }

  /// Continues the jobs of a mix with another source.
  private func send(_ live: LiveMix?, as id: MixID) {
    guard let live else { return }
    for (job, running) in jobs {
      guard let mix = running.mix, mix.id == id else { continue }
      run(job) { await $0.broadcast.continue($0.program, as: live, hasVideo: mix.hasVideo) }
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
      let (id, isVideo, clock) = (track.source.track, track.source.isVideo, self.tracks.clock(of: track.source.session))
      let source = RecordedTrackSource(user: track.user.rawValue, tag: track.tag, kind: isVideo ? "video" : "audio")
      running[id] = TrackRecorder(
        source, of: owner, in: recordings, loop: directory.loop(),
        open: { [media] in media.source(of: id, isVideo: isVideo, clock: clock) },
        failed: { [broadcasts] failure in broadcasts.trackFailed(source, owner, failure) })
    }
    recorded[job] = running.isEmpty ? nil : running
  }

  // MARK: Renditions

  private func makeRendition(_ track: MediaTrackID, of source: MediaTrackID, _ codec: TrackRendition.Codec) {
    guard let injection = tracks.takeInjection(track) else { return }
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
    LentTrack(id: item.source.track, info: item.info, parameters: item.parameters, handle: mixes.lend(item.source))
  }
}
