import RoomCLinux
public import RoomCodecs
import Foundation
import RoomMixing
public import NIOCore
import RoomPush
public import RoomRTP
import Synchronization

/// A track in a mix.
public struct MixTrack: Sendable {
  /// The input name that placements and gains refer to.
  public var input: String
  public var track: DecodedTrack

  public init(input: String, track: DecodedTrack) {
    self.input = input
    self.track = track
  }
}

/// One running mix on one thread. Every sink receives its output.
///
/// The mix starts with its first sink. The mix continues after the last sink leaves, so that a sink added at that moment finds
/// it running, until the owner calls ``end()``.
public actor LiveMix {
  /// The current state of a mix.
  public struct Status: Sendable, Hashable {
    /// The current output frame rate in frames per second.
    public var fps = 0
    /// The current target video bitrate in bps.
    public var bitrate = 0
    /// The delay behind the sources in ms.
    public var delay = 0
    /// The share of a core used over the last second.
    public var load = 0.0
    /// The number of sinks that send the mix.
    public var sinks = 0
    public var frames: UInt64 = 0
    public var skipped: UInt64 = 0
    public var failures: UInt64 = 0
  }

  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

  /// The interval between two steps.
  private static let step = TimeAmount.milliseconds(10)

  private nonisolated let loop: any EventLoop
  private let program: MergeProgram
  private let share: MixBudget.Share
  private var tracks: [String: (track: DecodedTrack, inbox: DecodedInbox)] = [:]
  private var sinks: [any MixSink] = []
  private var ticking: Metronome?
  private var isReleased = false
  private var isOver = false
  private var isWaiting = false
  private var uplinks: [ObjectIdentifier: (queued: Int, dropped: UInt64)] = [:]
  private var load = Load()

  /// Creates a mix that starts with its first sink.
  /// - Parameters:
  ///   - picture: The video settings; nil for audio only.
  ///   - share: The mix's share of the machine, released when the mix ends.
  /// - Throws: ``CodecError`` if x264 rejects the settings.
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

  /// Adds a sink. The first sink starts the mix.
  public nonisolated func add(_ sink: any MixSink) { run { $0.begin(sink) } }

  /// Removes a sink.
  public nonisolated func remove(_ sink: any MixSink) { run { $0.leave(sink) } }

  /// Announces that no more sinks will be added. The mix ends when the last sink leaves.
  public nonisolated func end() { run { $0.release() } }

  /// Sets the tracks to mix. Tracks that are already mixed continue.
  /// - Parameter isWaiting: Whether missing tracks may still arrive. In that case the programs end if no track is present for
  ///   too long.
  public nonisolated func setTracks(_ tracks: [MixTrack], isWaiting: Bool) {
    run {
      $0.isWaiting = isWaiting
      $0.change(tracks)
    }
  }

  /// Sets the scene; see ``MergeProgram/setScene(_:now:)``.
  public nonisolated func setScene(_ scene: MixScene) { run { $0.program.setScene(scene, now: RTMPPush.now()) } }

  /// Requests a key frame, for a moment after `moment` unless that is nil.
  public nonisolated func wantKeyFrame(after moment: MediaTime?) {
    run { $0.program.wantKeyFrame(after: moment) { _ in } }
  }

  /// Produces a mix without one participant's own audio for `sink`; nil stops that mix.
  public nonisolated func setListener(_ participant: SharedClock, _ sink: (any MixSink)?) {
    run { mix in
      mix.program.setListener(participant, sink.map { sink in { sink.take(.sound($1, at: $2), now: $0) } })
    }
  }

  /// Encodes the picture at half the width and height as well; nil stops that. `take` is called on the mix's thread and must not
  /// block.
  public nonisolated func setSmaller(_ take: (@Sendable (Instant, EncodedPicture) -> Void)?) {
    run { $0.program.setSmaller(take) }
  }

  /// Requests a key frame of the smaller picture.
  public nonisolated func wantSmallerKeyFrame() { run { $0.program.wantSmallerKeyFrame() } }

  /// Reports the state of a sink's connection; called once a second. The mix reduces its rate only if all connections are
  /// congested.
  nonisolated func sinkReported(_ sink: any MixSink, queued: Int, dropped: UInt64) {
    run { $0.uplinks[ObjectIdentifier(sink)] = (queued, dropped) }
  }

  private nonisolated func run(_ work: @escaping @Sendable (isolated LiveMix) -> Void) {
    loop.execute { self.assumeIsolated { work($0) } }
  }

  // MARK: On its thread

  /// Returns the current state.
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

  private func release() {
    isReleased = true
    finish()
  }

  private func finish() {
    guard isReleased, sinks.isEmpty, !isOver else { return }
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
    // Runs once a second.
    share.measured(load.share)
    for case let feed as MixFeed in sinks { feed.setEmpty(since: isWaiting ? program.emptySince : nil) }
    if uplinks.count == sinks.count, let best = uplinks.values.min(by: { $0.queued < $1.queued }) {
      program.uplinkReported(queued: best.queued, dropped: best.dropped)
    }
  }

  /// Measures the share of a core used in each second.
  private struct Load {
    private(set) var share = 0.0
    private var used: Int64 = 0
    private var began: Instant?

    /// Returns true when a full second has been measured.
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
