import RoomCLinux
import RoomMixing
public import NIOCore
import RoomPush
import RoomRTP
import Synchronization

/// The total counters of all decoders of a server.
public final class DecodingCounters: Sendable {
  /// A snapshot of the counters.
  public struct Snapshot: Sendable, Hashable {
    /// The number of tracks being decoded.
    public var tracks = 0
    /// The number of programs that use these tracks.
    public var uses = 0
    /// The number of pictures and packets decoded since the start.
    public var decoded: UInt64 = 0
    /// The number of pictures and packets that could not be decoded.
    public var broken: UInt64 = 0
    /// CPU time in µs.
    public var microseconds: UInt64 = 0
    /// The CPU load over the last second, in cores.
    public var load = 0.0
  }

  private struct State {
    var now = Snapshot()
    var second: (began: Instant, microseconds: UInt64)?
  }

  private let state = Mutex(State())

  /// Creates counters with all values zero.
  public init() {}

  /// The current values.
  public var snapshot: Snapshot { state.withLock { $0.now } }

  func note(_ change: (inout Snapshot) -> Void) {
    state.withLock { state in
      change(&state.now)
      if state.now.tracks == 0 {
        state.now.load = 0
        state.second = nil
      }
    }
  }

  /// Updates the load after each full second.
  func measure(_ now: Instant) {
    state.withLock { state in
      guard let second = state.second else {
        state.second = (now, state.now.microseconds)
        return
      }
      guard now - second.began >= 1_000_000 else { return }
      state.now.load = Double(state.now.microseconds &- second.microseconds) / Double(now - second.began)
      state.second = (now, state.now.microseconds)
    }
  }
}

/// A published track that is decoded once, for as long as at least one program uses it.
///
/// The handle is thread-safe; decoding runs on one thread.
public final class DecodedTrack: Sendable {
  /// Whether the track is video.
  public let isVideo: Bool
  /// The clock of the participant, which keeps its tracks in sync.
  public let clock: SharedClock
  private let decoding: TrackDecoding

  /// - Parameters:
  ///   - open: Taps the track. Called on `loop` for the first program, and again after the last one has detached.
  ///   - loop: The event loop that decodes.
  public init(
    isVideo: Bool, clock: SharedClock, loop: any EventLoop, counters: DecodingCounters,
    open: @escaping @Sendable () -> TrackSource
  ) {
    self.isVideo = isVideo
    self.clock = clock
    decoding = TrackDecoding(isVideo: isVideo, loop: loop, counters: counters, open: open)
  }

  /// Starts delivery to `inbox`.
  public func attach(_ inbox: DecodedInbox) {
    decoding.loop.execute { self.decoding.assumeIsolated { $0.attach(inbox) } }
  }

  /// Stops delivery to `inbox`.
  public func detach(_ inbox: DecodedInbox) {
    decoding.loop.execute { self.decoding.assumeIsolated { $0.detach(inbox) } }
  }
}

/// The decoding behind a ``DecodedTrack``.
private actor TrackDecoding {
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

  /// The interval between two polls of the tap.
  private static let step = TimeAmount.milliseconds(10)

  nonisolated let loop: any EventLoop
  private let isVideo: Bool
  private let counters: DecodingCounters
  private let open: @Sendable () -> TrackSource
  private var source: TrackSource?
  private var decoder: TrackDecoder?
  private var ticking: Metronome?
  private var lastReported = TrackDecoder.Counters()

  init(
    isVideo: Bool, loop: any EventLoop, counters: DecodingCounters, open: @escaping @Sendable () -> TrackSource
  ) {
    self.isVideo = isVideo
    self.loop = loop
    self.counters = counters
    self.open = open
  }

  func attach(_ inbox: DecodedInbox) {
    if decoder == nil { begin() }
    decoder?.attach(inbox)
    counters.note { $0.uses += 1 }
  }

  func detach(_ inbox: DecodedInbox) {
    guard let decoder else { return }
    decoder.detach(inbox)
    counters.note { $0.uses -= 1 }
    guard !decoder.isAttached else { return }
    ticking?.stop()
    ticking = nil
    self.decoder = nil
    source?.release()
    source = nil
    counters.note { $0.tracks -= 1 }
  }

  private func begin() {
    let source = open()
    self.source = source
    let reader = TrackReader(source.tap, participant: source.clock, configuration: isVideo ? nil : .mixedSound)
    decoder = TrackDecoder(reader, isVideo: isVideo)
    lastReported = .init()
    counters.note { $0.tracks += 1 }
    if isVideo { source.requestKeyFrame() }
    ticking = Metronome(every: Self.step, on: loop) { [weak self] in
      self?.assumeIsolated { $0.poll() }
      return self != nil
    }
  }

  private func poll() {
    guard let decoder, let source else { return }
    let before = linux_thread_cpu_us()
    let time = RTMPPush.now()
    decoder.poll(now: time, wantKeyFrame: source.requestKeyFrame)
    let (now, lastReported) = (decoder.counters, lastReported)
    guard now != lastReported else { return }
    self.lastReported = now
    counters.measure(time)
    let used = UInt64(max(0, linux_thread_cpu_us() - before))
    counters.note {
      $0.decoded &+= now.decoded &- lastReported.decoded
      $0.broken &+= now.broken &- lastReported.broken
      $0.microseconds &+= used
    }
  }
}

extension JitterBuffer.Configuration {
  /// Missing packets are waited for up to the maximum delay of a program.
  static let mixedSound = JitterBuffer.Configuration(capacity: 256, initialWait: 80_000, wait: 40_000...380_000)
}
