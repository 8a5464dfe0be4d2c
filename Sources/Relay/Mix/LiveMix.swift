import CLinux
public import Codecs
import Foundation
import Mixing
public import NIOCore
import RTP
import Synchronization

/// A track in a mix.
public struct MixTrack: Sendable {
  /// What placements and gains call it.
  public var input: String
  public var track: DecodedTrack

  public init(input: String, track: DecodedTrack) {
    self.input = input
    self.track = track
  }
}

/// One mix at work, on one thread; whoever sends it takes what it makes. It works from the first of these on. When the last one goes it
/// goes on, so that one who comes at that moment finds it, until its owner lets go of it too.
public actor LiveMix {
  /// How it goes.
  public struct Status: Sendable, Hashable {
    /// Frames a second that are made now.
    public var fps = 0
    /// Bits a second of pictures that are asked for now.
    public var bitrate = 0
    /// Milliseconds that it lags its sources.
    public var delay = 0
    /// Share of a core over the last second.
    public var load = 0.0
    /// Those who send it.
    public var sinks = 0
    public var frames: UInt64 = 0
    public var skipped: UInt64 = 0
    public var failures: UInt64 = 0
  }

  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

  /// Between two steps.
  private static let step = TimeAmount.milliseconds(10)

  private nonisolated let loop: any EventLoop
  private let program: MergeProgram
  private let share: MixBudget.Share
  private var tracks: [String: (track: DecodedTrack, inbox: DecodedInbox)] = [:]
  private var sinks: [any MixSink] = []
  private var ticking: Metronome?
  private var isLetGo = false
  private var isOver = false
  private var isWaiting = false
  private var uplinks: [ObjectIdentifier: (queued: Int, dropped: UInt64)] = [:]
  private var load = Load()

  /// - Parameters:
  ///   - picture: nil for sound alone.
  ///   - share: of the machine; given back at the end.
  /// - Throws: ``CodecError`` where x264 refuses the settings.
  public init(
    picture: MixPicture?, scene: MixScene, share: MixBudget.Share, loop: any EventLoop
  ) throws(CodecError) {
    self.loop = loop
    self.share = share
    let now = RTMPPush.now()
    program = try MergeProgram(
      picture: picture, scene: scene, now: now,
      wall: Int64(Date().timeIntervalSince1970 * 1_000_000) - now.microseconds, cpu: { linux_thread_cpu_us() })
  }

  // MARK: From everywhere

  /// Hands everything over to this one too; the first one starts the mix.
  public nonisolated func add(_ sink: any MixSink) { run { $0.begin(sink) } }

  /// Hands nothing more over to this one.
  public nonisolated func remove(_ sink: any MixSink) { run { $0.leave(sink) } }

  /// No sink will come any more: with the last one gone the mix is over.
  public nonisolated func end() { run { $0.letGo() } }

  /// Mixes these tracks from now on; those that were in it already go on.
  /// - Parameter isWaiting: tracks are missing that may still come: without any for too long the programs end.
  public nonisolated func setTracks(_ tracks: [MixTrack], isWaiting: Bool) {
    run {
      $0.isWaiting = isWaiting
      $0.change(tracks)
    }
  }

  /// The next frame shows this.
  public nonisolated func setScene(_ scene: MixScene) { run { $0.program.setScene(scene) } }

  /// A key frame is needed, of a moment after this one where it is not nil.
  public nonisolated func wantKeyFrame(after moment: MediaTime?) {
    run { $0.program.wantKeyFrame(after: moment) { _ in } }
  }

  /// Makes a mix without one participant's own sound; nil for none any more.
  public nonisolated func setListener(_ participant: SharedClock, _ sink: (any MixSink)?) {
    run { mix in
      mix.program.setListener(participant, sink.map { sink in { sink.take(.sound($1, at: $2), now: $0) } })
    }
  }

  /// Once a second: how the way out of a sink fares. The mix steps down only where all do badly.
  nonisolated func heard(_ sink: any MixSink, queued: Int, dropped: UInt64) {
    run { $0.uplinks[ObjectIdentifier(sink)] = (queued, dropped) }
  }

  private nonisolated func run(_ work: @escaping @Sendable (isolated LiveMix) -> Void) {
    loop.execute { self.assumeIsolated { work($0) } }
  }

  // MARK: On its thread

  /// How it goes.
  public func status() -> Status {
    Status(
      fps: program.fps, bitrate: program.bitrate, delay: Int(program.delay / 1000), load: load.share, sinks: sinks.count,
      frames: program.counters.frames, skipped: program.counters.skipped, failures: program.counters.failures)
  }

  private func begin(_ sink: any MixSink) {
    guard !isOver, !sinks.contains(where: { $0 === sink }) else { return }
    sinks.append(sink)
    program.wantKeyFrame(after: nil) { _ in }
    guard ticking == nil else { return }
    ticking = Metronome(every: Self.step, on: loop) { [weak self] in
      self?.assumeIsolated { $0.advance() }
      return self != nil
    }
  }

  private func leave(_ sink: any MixSink) {
    sinks.removeAll { $0 === sink }
    uplinks[ObjectIdentifier(sink)] = nil
    finish()
  }

  private func letGo() {
    isLetGo = true
    finish()
  }

  private func finish() {
    guard isLetGo, sinks.isEmpty, !isOver else { return }
    isOver = true
    ticking?.stop()
    ticking = nil
    change([])
    share.release()
  }

  private func change(_ wanted: [MixTrack]) {
    let now = RTMPPush.now()
    let wanted = isOver ? [:] : Dictionary(wanted.map { ($0.input, $0.track) }, uniquingKeysWith: { first, _ in first })
    for (id, old) in tracks where wanted[id] !== old.track {
      old.track.detach(old.inbox)
      tracks[id] = nil
      if wanted[id] == nil { program.removeInput(id, now: now) }
    }
    for (id, track) in wanted where tracks[id] == nil {
      let inbox = DecodedInbox(isVideo: track.isVideo)
      tracks[id] = (track, inbox)
      program.setInput(id, inbox, isVideo: track.isVideo, of: track.clock, now: now)
      track.attach(inbox)
    }
  }

  private func advance() {
    let before = linux_thread_cpu_us()
    let now = RTMPPush.now()
    program.advance(to: now) { output in
      for sink in sinks { sink.take(output, now: now) }
    }
    guard load.add(linux_thread_cpu_us() - before, now: now) else { return }
    // Once a second.
    share.measured(load.share)
    for case let feed as MixFeed in sinks { feed.setEmpty(since: isWaiting ? program.emptySince : nil) }
    if uplinks.count == sinks.count, let best = uplinks.values.min(by: { $0.queued < $1.queued }) {
      program.heard(queued: best.queued, dropped: best.dropped)
    }
  }

  /// Shares of a core, second by second.
  private struct Load {
    private(set) var share = 0.0
    private var used: Int64 = 0
    private var began: Instant?

    /// True when a second is full.
    mutating func add(_ microseconds: Int64, now: Instant) -> Bool {
      let began = began ?? now
      self.began = began
      used += microseconds
      guard now - began >= 1_000_000 else { return false }
      share = Double(used) / Double(now - began)
      used = 0
      self.began = now
      return true
    }
  }
}
