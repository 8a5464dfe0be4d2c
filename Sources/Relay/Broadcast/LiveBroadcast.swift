public import RoomCodecs
public import NIOCore
import NIOPosix
public import RoomPush
import RoomRTMP
import RoomRTP

/// One running broadcast: its programs, its timeline and its outputs on one thread. The thread is an event loop that the
/// connection shares, so no data crosses threads.
public actor LiveBroadcast {
  /// Settings for the broadcasts of a server.
  public struct Settings: Sendable {
    public var broadcast: Broadcast.Settings
    public var forward: ForwardProgram.Settings
    public var push: PushLink.Options
    /// The hosts that broadcasts may connect to.
    public var targets: RelayTargets
    /// How long a program may have no track, in µs.
    public var patience: Int64
    /// The time without a key frame after which the source is asked for one, in µs; nil for never. Browsers send none unless
    /// asked, and viewers cannot start without one.
    public var keyFrameInterval: Int64? = 2_000_000
    /// The PEM file of CA certificates trusted for RTMPS servers; nil for the system's.
    public var trustedCertificates: String?

    /// Creates settings. The defaults allow pushes to public hosts.
    public init(
      broadcast: Broadcast.Settings = .init(), forward: ForwardProgram.Settings = .init(), push: PushLink.Options = .init(),
      targets: RelayTargets = .init(), patience: Int64 = 30_000_000, trustedCertificates: String? = nil
    ) {
      self.broadcast = broadcast
      self.forward = forward
      self.push = push
      self.targets = targets
      self.patience = patience
      self.trustedCertificates = trustedCertificates
    }
  }

  /// The status reported by a status callback.
  public struct Status: Sendable, Hashable {
    public var state: PushState
    public var failure: PushFailure?
    public var onAir: ProgramID?
    /// The frame rate over the last whole second.
    public var fps: Int
    public var kilobits: Int
    /// Media waiting for the server, in ms.
    public var queued: Int
    /// Pictures dropped because the server is too slow.
    public var dropped: UInt64
    /// The number of connections that started publishing.
    public var connections: Int
    public var takeovers: UInt64
    public var bytes: UInt64
  }

  /// The interval between two steps.
  private static let step = TimeAmount.milliseconds(10)

  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

  private struct Running {
    let program: any Program
    /// The ID of the program that this one continues; nil if it is the original.
    var owner: ProgramID?
    /// The place of the original in the order of their beginnings.
    let turn: UInt64
    let hasAudio: Bool
    let hasVideo: Bool
    var audioBitrate: Int?
    var audio: (track: DecodedTrack, inbox: DecodedInbox)?
    var video: TrackSource?

    /// Releases the sources the program reads.
    func release() {
      if let audio { audio.track.detach(audio.inbox) }
      video?.release()
      if let feed = program as? MixFeed { feed.mix.remove(feed) }
    }
  }

  /// What the continuation of a program keeps of the program.
  private struct Origin {
    let id: ProgramID
    let turn: UInt64
    let audioBitrate: Int?
  }

  private let loop: any EventLoop
  private let settings: Settings
  private let events: @Sendable (BroadcastEvent) -> Void
  private let broadcast: Broadcast
  private let push: PushBox?
  private var outlets: [any BroadcastOutlet]
  private var programs: [ProgramID: Running] = [:]
  private var ticking: Metronome?
  private var isOver = false
  private var rate = SecondRate()
  /// When the last key frame was sent, or requested because none was sent.
  private var lastKeyFrame: Instant?
  private var uplinkReportedAt: Instant?
  private var successors: UInt64 = 0
  private var turns: UInt64 = 0
  /// The program that is reported as on air once the server accepts the broadcast.
  private var unannounced: ProgramID?

  /// Creates a broadcast that pushes to `address`, unless that is nil, and sends its messages to the outlets.
  /// - Parameters:
  ///   - age: The age of a resumed broadcast's timeline in µs; nil for a new broadcast.
  ///   - encoders: The audio encoders of broadcasts that may send the same audio; nil for an encoder of its own.
  /// - Throws: ``CodecError`` if the audio settings are invalid.
  public init(
    to address: PushAddress?, outlets: [any BroadcastOutlet] = [], settings: Settings, age: Int64? = nil,
    encoders: AACEncoderPool? = nil, loop: any EventLoop, events: @escaping @Sendable (BroadcastEvent) -> Void
  ) throws(CodecError) {
    self.loop = loop
    self.settings = settings
    self.events = events
    self.outlets = outlets
    broadcast = try Broadcast(
      settings.broadcast, began: age.map { RTMPPush.now().advanced(microseconds: -$0) }, encoders: encoders)
    push = address.map { PushBox(address: $0) }
  }

  /// Puts a participant's tracks on air, or lets them take over.
  public func begin(
    _ id: ProgramID, audio: DecodedTrack?, video: TrackSource?, carriesAudio: Bool, carriesVideo: Bool
  ) {
    guard !isOver, programs[id] == nil else {
      video?.release()
      return
    }
    forward(id, for: nil, audio, video, carriesAudio: carriesAudio, carriesVideo: carriesVideo)
  }

  /// Puts a mix on air, or lets it take over.
  /// - Parameters:
  ///   - hasVideo: Whether the mix has video.
  ///   - audioBitrate: The AAC bitrate in bps while the mix is on air; nil for the broadcast's default.
  public func begin(_ id: ProgramID, mix: LiveMix, hasVideo: Bool, audioBitrate: Int?) {
    guard !isOver, programs[id] == nil else { return }
    merge(id, for: nil, mix, hasVideo: hasVideo, audioBitrate: audioBitrate)
  }

  /// Continues a program as a mix, once the mix has a key frame and audio. Observers see the same program.
  public func `continue`(_ id: ProgramID, as mix: LiveMix, hasVideo: Bool) {
    guard let (successor, origin) = successor(of: id) else { return }
    merge(successor, for: origin, mix, hasVideo: hasVideo, audioBitrate: origin.audioBitrate)
  }

  /// Continues a program as a participant's tracks, once they have a key frame and audio.
  public func `continue`(
    _ id: ProgramID, audio: DecodedTrack?, video: TrackSource?, carriesAudio: Bool, carriesVideo: Bool
  ) {
    guard let (successor, origin) = successor(of: id) else {
      video?.release()
      return
    }
    forward(successor, for: origin, audio, video, carriesAudio: carriesAudio, carriesVideo: carriesVideo)
  }

  /// Returns an ID for the continuation of a program, or nil if the program no longer exists.
  private func successor(of id: ProgramID) -> (ProgramID, Origin)? {
    let parts = programs.filter { ($0.value.owner ?? $0.key) == id }
    guard !isOver, let any = parts.first else { return nil }
    // A pending continuation is outdated by this one.
    for (part, running) in parts where part != broadcast.onAir && parts.count > 1 {
      programs[part] = nil
      running.release()
      broadcast.end(part, now: RTMPPush.now())
    }
    successors += 1
    // Far from all IDs assigned by callers.
    return (ProgramID(.max - successors), Origin(id: id, turn: any.value.turn, audioBitrate: any.value.audioBitrate))
  }

  private func forward(
    _ id: ProgramID, for origin: Origin?, _ audio: DecodedTrack?, _ video: TrackSource?, carriesAudio: Bool,
    carriesVideo: Bool
  ) {
    let program = ForwardProgram(
      carriesAudio: carriesAudio, carriesVideo: carriesVideo, settings: settings.forward, now: RTMPPush.now())
    programs[id] = Running(
      program: program, owner: origin?.id, turn: origin?.turn ?? nextTurn(), hasAudio: carriesAudio, hasVideo: carriesVideo)
    setTracks(of: id, audio: audio, video: video)
    put(id)
  }

  private func merge(_ id: ProgramID, for origin: Origin?, _ mix: LiveMix, hasVideo: Bool, audioBitrate: Int?) {
    let feed = MixFeed(mix)
    programs[id] = Running(
      program: feed, owner: origin?.id, turn: origin?.turn ?? nextTurn(), hasAudio: true, hasVideo: hasVideo,
      audioBitrate: audioBitrate)
    mix.add(feed)
    put(id)
  }

  private func nextTurn() -> UInt64 {
    turns += 1
    return turns
  }

  /// Puts a program on air, or lets it take over. The continuation of a program waits while a newer program takes over.
  private func put(_ id: ProgramID) {
    guard let program = programs[id], program.turn == programs.values.map(\.turn).max() else { return }
    let now = RTMPPush.now()
    broadcast.begin(
      id, hasAudio: program.hasAudio, hasVideo: program.hasVideo, audioBitrate: program.audioBitrate, now: now)
    start()
    drain(now)
  }

  /// Lets the newest program take over that waits for that, because a newer one has ended.
  private func putNext() {
    guard broadcast.upcoming == nil else { return }
    let waiting = programs.filter { $0.key != broadcast.onAir }
    // The IDs of continuations descend.
    guard let next = waiting.max(by: { ($0.value.turn, $1.key.rawValue) < ($1.value.turn, $0.key.rawValue) }) else { return }
    if next.value.turn >= broadcast.onAir.flatMap({ programs[$0]?.turn }) ?? 0 { put(next.key) }
  }

  /// Continues a forward program with other tracks, or without a track that was removed. Releases the previous tracks.
  public func setTracks(of id: ProgramID, audio: DecodedTrack?, video: TrackSource?) {
    let part = programs.first { ($0.key == id || $0.value.owner == id) && $0.value.program is ForwardProgram }?.key
    guard let part, var running = programs[part], let program = running.program as? ForwardProgram else {
      video?.release()
      return
    }
    let now = RTMPPush.now()
    if running.audio?.track !== audio {
      if let old = running.audio { old.track.detach(old.inbox) }
      running.audio = audio.map { ($0, DecodedInbox(isVideo: false)) }
      if let new = running.audio { new.track.attach(new.inbox) }
      program.setAudio(running.audio?.inbox, now: now)
    }
    if running.video?.tap !== video?.tap {
      running.video?.release()
      program.setVideo(video.map { TrackReader($0.tap, participant: $0.clock) }, now: now)
      video?.requestKeyFrame()
      running.video = video
    }
    programs[part] = running
  }

  /// Ends a program. The broadcast ends with its last program.
  public func stop(_ id: ProgramID) { end(id, .stopped) }

  private func tookOver(_ id: ProgramID, from old: ProgramID?) {
    let running = programs[id]
    let owner = running?.owner ?? id
    let continued = BroadcastEvent.continued(owner, as: (running?.program as? MixFeed)?.mix)
    if let old, (programs[old]?.owner ?? old) == owner {
      // The same program continues; its previous source is no longer needed.
      programs.removeValue(forKey: old)?.release()
      return events(continued)
    }
    announce(owner)
    if owner != id { events(continued) }
    let turn = running?.turn ?? 0
    let older = programs.filter { $0.value.turn < turn }.map { $0.value.owner ?? $0.key }
    for owner in Set(older) { end(owner, .takenOver(by: running?.owner ?? id)) }
  }

  /// Reports that a program is on air, as soon as the server of the push has accepted the broadcast.
  private func announce(_ id: ProgramID) {
    let isAccepted = push.map { $0.push?.report.state == .connected } ?? true
    unannounced = isAccepted ? nil : id
    if isAccepted { events(.onAir(id)) }
  }

  /// Ends all programs, and so the broadcast, because an output failed.
  public func fail(_ failure: PushFailure) {
    for id in Set(programs.map { $0.value.owner ?? $0.key }) { end(id, .push(failure)) }
  }

  /// Adds an output. The output starts with the headers that decoders need and a key frame, which is requested. Closes the
  /// output if the broadcast is over.
  public func add(_ outlet: any BroadcastOutlet) {
    guard !isOver else { return outlet.close() }
    for message in broadcast.preamble { outlet.send(message) }
    outlets.append(outlet)
    wantKeyFrame()
  }

  /// Returns the current status.
  public func status() -> Status {
    let report = push?.push?.report
    return Status(
      state: report?.state ?? (programs.isEmpty ? .unknown : .connected), failure: report?.failure, onAir: broadcast.onAir,
      fps: rate.pictures, kilobits: rate.bytes * 8 / 1000, queued: report?.queued ?? 0, dropped: report?.dropped ?? 0,
      connections: report?.connections ?? 0, takeovers: broadcast.counters.takeovers, bytes: report?.bytes ?? 0)
  }

  /// Returns when the connection of a broadcast that is over is closed: after 4 s at most.
  public func closed() async {
    let closing = push?.push?.closing
    await closing?.value
  }

  // MARK: Inside

  private func start() {
    guard ticking == nil else { return }
    push?.start(
      settings.push, to: settings.targets, trust: settings.trustedCertificates.map { .file($0) } ?? .system, loop: loop,
      changed: { [weak self] state, failure in self?.assumeIsolated { $0.changed(state, failure) } },
      keyFrameNeeded: { [weak self] in self?.assumeIsolated { $0.wantKeyFrame() } })
    ticking = Metronome(every: Self.step, on: loop) { [weak self] in
      self?.assumeIsolated { $0.advance() }
      return self != nil
    }
  }

  private func advance() {
    let now = RTMPPush.now()
    var idle: [ProgramID] = []
    for (id, running) in programs {
      running.program.advance(to: now) { output in
        switch output {
        case .picture(let picture): broadcast.take(picture, from: id, now: now)
        case .sound(let samples, let position): broadcast.take(samples, at: position, from: id, now: now)
        case .keyFrameNeeded: running.video?.requestKeyFrame()
        }
      }
      if let since = running.program.emptySince, now - since >= settings.patience { idle.append(running.owner ?? id) }
    }
    broadcast.advance(to: now)
    drain(now)
    reportUplink(now)
    if let interval = settings.keyFrameInterval, let last = lastKeyFrame, now - last >= interval, isForwarding {
      lastKeyFrame = now
      wantKeyFrame()
    }
    for id in idle { end(id, .noTracks) }
  }

  /// Whether the program on air is encoded elsewhere. A mix produces key frames at its own interval.
  private var isForwarding: Bool { broadcast.onAir.flatMap { programs[$0]?.program } is ForwardProgram }

  /// Reports the connection's state to the program on air once a second.
  private func reportUplink(_ now: Instant) {
    guard now - (uplinkReportedAt ?? Instant(microseconds: 0)) >= 1_000_000 else { return }
    uplinkReportedAt = now
    guard let report = push?.push?.report, let id = broadcast.onAir else { return }
    let (queued, dropped) = (report.queued, report.dropped)
    switch programs[id]?.program {
    case let feed as MixFeed: feed.mix.sinkReported(feed, queued: queued, dropped: dropped)
    case let forward as ForwardProgram: forward.uplinkReported(queued: queued, dropped: dropped)
    default: break
    }
  }

  private func drain(_ now: Instant) {
    while let output = broadcast.next() {
      switch output {
      case .media(let message):
        rate.count(message, now: now)
        if message.kind == .video, message.payload.withUnsafeBytes({ VideoTag(parsing: $0)?.isKeyFrame }) == true {
          lastKeyFrame = now
        }
        push?.push?.send(message)
        for outlet in outlets { outlet.send(message) }
      case .keyFrameNeeded(let id, let moment): wantKeyFrame(of: id, after: moment)
      case .tookOver(let id, let old): tookOver(id, from: old)
      }
    }
  }

  private func wantKeyFrame() {
    if let id = broadcast.onAir { wantKeyFrame(of: id, after: nil) }
  }

  private func wantKeyFrame(of id: ProgramID, after moment: MediaTime?) {
    guard let running = programs[id] else { return }
    running.program.wantKeyFrame(after: moment) { output in
      if case .keyFrameNeeded = output { running.video?.requestKeyFrame() }
    }
  }

  private func changed(_ state: PushState, _ failure: PushFailure?) {
    events(.state(state, failure))
    if state == .connected, let unannounced { announce(unannounced) }
    if state == .error, let failure { fail(failure) }
  }

  private func end(_ id: ProgramID, _ reason: ProgramEnd) {
    let now = RTMPPush.now()
    let all = programs.filter { ($0.value.owner ?? $0.key) == id }
    guard !all.isEmpty else { return }
    for (part, running) in all {
      programs[part] = nil
      running.release()
      broadcast.end(part, now: now)
    }
    events(.ended(id, reason))
    guard programs.isEmpty, !isOver else { return putNext() }
    isOver = true
    drain(now)
    ticking?.stop()
    push?.push?.stop()
    for outlet in outlets { outlet.close() }
    events(.over(status()))
  }
}

/// Pictures and bytes sent in the last whole second.
private struct SecondRate {
  private(set) var pictures = 0
  private(set) var bytes = 0
  private var nextPictures = 0
  private var nextBytes = 0
  private var began: Instant?

  mutating func count(_ message: MediaMessage, now: Instant) {
    if let began, now - began >= 1_000_000 {
      pictures = nextPictures
      bytes = nextBytes
      nextPictures = 0
      nextBytes = 0
      self.began = now
    }
    began = began ?? now
    nextBytes += message.payload.count
    if message.kind == .video { nextPictures += 1 }
  }
}
