public import Codecs
public import NIOCore
import NIOPosix
import NIOSSL
public import RTMP
import RTP
public import SFU

/// A track that a job sends out.
public struct TrackSource: Sendable {
  /// What its worker writes to.
  public let tap: TrackTap
  /// Whose tracks share a clock: the participant.
  public let participant: String
  /// Asks the publisher for a key frame.
  public let requestKeyFrame: @Sendable () -> Void
  /// Nothing reads the tap any more.
  public let release: @Sendable () -> Void

  /// A track of a participant, with the ways to ask for a key frame and to let go of it.
  public init(
    tap: TrackTap, participant: String, requestKeyFrame: @escaping @Sendable () -> Void, release: @escaping @Sendable () -> Void
  ) {
    self.tap = tap
    self.participant = participant
    self.requestKeyFrame = requestKeyFrame
    self.release = release
  }
}

/// Where a broadcast's messages go, beside or instead of an RTMP server: the origin of this server, a file.
public protocol BroadcastOutlet: AnyObject, Sendable {
  /// Takes the next message; called from one thread, in order.
  func send(_ message: MediaMessage)
  /// Nothing more comes.
  func close()
}

/// Why a program is no longer on air.
public enum ProgramEnd: Sendable, Hashable {
  /// Another job on the same URL took over.
  case takenOver(by: ProgramID)
  /// It was told to stop.
  case stopped
  /// No track of it was there for the time that the settings allow.
  case noTracks
  /// The way to the server is given up.
  case push(PushFailure)
}

/// What happens to a broadcast.
public enum BroadcastEvent: Sendable {
  /// The program's pictures and sound are what goes out.
  case onAir(ProgramID)
  case ended(ProgramID, ProgramEnd)
  case state(PushState, PushFailure?)
  /// The last program has ended, and so has the connection; how it went.
  case over(LiveBroadcast.Status)
}

/// One broadcast at work: its programs, its timeline and its ways out, on one thread. The thread is an event loop's, which the
/// connection shares, so that nothing here passes between threads.
public actor LiveBroadcast {
  /// How broadcasts of a server behave.
  public struct Settings: Sendable {
    public var broadcast: Broadcast.Settings
    public var forward: ForwardProgram.Settings
    public var push: PushLink.Options
    /// Hosts that may be connected to.
    public var targets: RelayTargets
    /// Microseconds that a program may be without any track.
    public var patience: Int64
    /// Microseconds without a key frame after which the source is asked for one; nil for never. Browsers send none by themselves,
    /// and without one no viewer can begin.
    public var keyFrameInterval: Int64? = 2_000_000
    /// A PEM file of certificates that RTMPS servers may be signed by; nil for the system's.
    public var trustedCertificates: String?

    /// The defaults push to public hosts.
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

  /// What a status callback tells.
  public struct Status: Sendable, Hashable {
    public var state: PushState
    public var failure: PushFailure?
    public var onAir: ProgramID?
    /// Over the last whole second.
    public var fps: Int
    public var kilobits: Int
    /// Milliseconds of media that wait for the server.
    public var queued: Int
    /// Pictures dropped because the server was too slow.
    public var dropped: UInt64
    /// Connections that were published on.
    public var connections: Int
    public var takeovers: UInt64
    public var bytes: UInt64
  }

  /// Microseconds between two steps.
  private static let step: Int64 = 10_000

  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

  private struct Running {
    let program: ForwardProgram
    var audio: TrackSource?
    var video: TrackSource?
    /// A key frame is wanted of a later moment than the last one.
    var keyFrameAfter: Instant?
  }

  private let loop: any EventLoop
  private let settings: Settings
  private let events: @Sendable (BroadcastEvent) -> Void
  private let broadcast: Broadcast
  private let push: PushHolder?
  private let outlets: [any BroadcastOutlet]
  private var programs: [ProgramID: Running] = [:]
  private var ticking: RepeatedTask?
  private var isOver = false
  private var rate = SecondRate()
  /// When the last key frame went out, or was asked for because none did.
  private var lastKeyFrame: Instant?

  /// A broadcast that pushes to `address`, unless that is nil, and hands its messages to the outlets.
  /// - Throws: ``CodecError`` where the audio settings are refused.
  public init(
    to address: RTMPAddress?, outlets: [any BroadcastOutlet] = [], settings: Settings, loop: any EventLoop,
    events: @escaping @Sendable (BroadcastEvent) -> Void
  ) throws(CodecError) {
    self.loop = loop
    self.settings = settings
    self.events = events
    self.outlets = outlets
    broadcast = try Broadcast(settings.broadcast)
    push = address.map { PushHolder(address: $0) }
  }

  /// Puts a program with these tracks on air, or has it take over.
  /// - Throws: ``CodecError`` where there is no memory for its decoders.
  public func begin(
    _ id: ProgramID, audio: TrackSource?, video: TrackSource?, carriesAudio: Bool, carriesVideo: Bool
  ) throws(CodecError) {
    guard !isOver, programs[id] == nil else { return }
    let now = RTMPPush.now()
    let program = try ForwardProgram(
      carriesAudio: carriesAudio, carriesVideo: carriesVideo, settings: settings.forward, now: now)
    programs[id] = Running(program: program)
    setTracks(of: id, audio: audio, video: video)
    broadcast.begin(id, hasAudio: carriesAudio, hasVideo: carriesVideo, now: now)
    start()
    drain(now)
  }

  /// A program goes on with other tracks, or without one that is gone. What it had is let go.
  public func setTracks(of id: ProgramID, audio: TrackSource?, video: TrackSource?) {
    guard var running = programs[id] else {
      audio?.release()
      video?.release()
      return
    }
    let now = RTMPPush.now()
    let clock = SharedClock()
    // Tracks of two participants have clocks of their own.
    let videoClock = audio?.participant == video?.participant ? clock : SharedClock()
    if running.audio?.tap !== audio?.tap {
      running.audio?.release()
      running.program.setAudio(audio.map { TrackReader($0.tap, participant: clock, configuration: .relayedSound) }, now: now)
    }
    if running.video?.tap !== video?.tap {
      running.video?.release()
      running.program.setVideo(video.map { TrackReader($0.tap, participant: videoClock) }, now: now)
      video?.requestKeyFrame()
    }
    running.audio = audio
    running.video = video
    programs[id] = running
  }

  /// Ends a program; with the last one the broadcast ends.
  public func stop(_ id: ProgramID) { end(id, .stopped) }

  /// Ends all programs, and so the broadcast, because a way out takes no more.
  public func fail(_ failure: PushFailure) {
    for id in Array(programs.keys) { end(id, .push(failure)) }
  }

  /// How it goes.
  public func status() -> Status {
    let link = push?.push?.status
    return Status(
      state: link?.state ?? (programs.isEmpty ? .unknown : .connected), failure: link?.lastFailure, onAir: broadcast.onAir,
      fps: rate.pictures, kilobits: rate.bytes * 8 / 1000, queued: link?.queue.duration ?? 0,
      dropped: link?.queue.counters.droppedFrames ?? 0, connections: link?.connections ?? 0,
      takeovers: broadcast.counters.takeovers, bytes: link?.bytesSent ?? 0)
  }

  // MARK: Inside

  private func start() {
    guard ticking == nil else { return }
    if let push, push.push == nil {
      let trust: NIOSSLTrustRoots = settings.trustedCertificates.map { .file($0) } ?? .default
      let made = RTMPPush(
        to: push.address, options: settings.push, targets: settings.targets, trust: trust, loop: loop,
        state: { [weak self] state, failure in self?.assumeIsolated { $0.changed(state, failure) } },
        keyFrameNeeded: { [weak self] in self?.assumeIsolated { $0.wantKeyFrame() } })
      push.push = made
      made.start()
    }
    ticking = loop.scheduleRepeatedTask(initialDelay: .zero, delay: .microseconds(Self.step)) { [weak self] task in
      guard let self else { return task.cancel() }
      self.assumeIsolated { $0.advance() }
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
      if let since = running.program.emptySince, now - since >= settings.patience { idle.append(id) }
    }
    broadcast.advance(to: now)
    drain(now)
    if let interval = settings.keyFrameInterval, let last = lastKeyFrame, now - last >= interval {
      lastKeyFrame = now
      wantKeyFrame()
    }
    for id in idle { end(id, .noTracks) }
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
      case .keyFrameNeeded(let id, _): wantKeyFrame(of: id)
      case .tookOver(let id, let old):
        events(.onAir(id))
        if let old { end(old, .takenOver(by: id)) }
      }
    }
  }

  private func wantKeyFrame() {
    if let id = broadcast.onAir { wantKeyFrame(of: id) }
  }

  private func wantKeyFrame(of id: ProgramID) {
    guard let running = programs[id] else { return }
    running.program.wantKeyFrame { output in
      if case .keyFrameNeeded = output { running.video?.requestKeyFrame() }
    }
  }

  private func changed(_ state: PushState, _ failure: PushFailure?) {
    events(.state(state, failure))
    if state == .error, let failure { fail(failure) }
  }

  private func end(_ id: ProgramID, _ reason: ProgramEnd) {
    guard let running = programs.removeValue(forKey: id) else { return }
    running.audio?.release()
    running.video?.release()
    let now = RTMPPush.now()
    broadcast.end(id, now: now)
    events(.ended(id, reason))
    guard programs.isEmpty, !isOver else { return }
    isOver = true
    drain(now)
    ticking?.cancel()
    push?.push?.stop()
    for outlet in outlets { outlet.close() }
    events(.over(status()))
  }
}

/// The push of a broadcast, which is made on the broadcast's own thread.
private final class PushHolder {
  let address: RTMPAddress
  var push: RTMPPush?

  init(address: RTMPAddress) { self.address = address }
}

/// Pictures and bytes of the last whole second.
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

extension JitterBuffer.Configuration {
  /// Shorter than the delay of a forwarded program's sound: what comes later could not be heard.
  fileprivate static let relayedSound = JitterBuffer.Configuration(
    capacity: 256, initialWait: 80_000, wait: 40_000...130_000)
}
