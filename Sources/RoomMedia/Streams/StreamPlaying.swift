import RoomClient
import RoomCodecs
import RoomRTMP
import RoomRTP

/// Runs a player: its connections one after the other, and its decoders by the clock of its ``Playout``.
actor StreamPlaying {
  /// The longest sleep: a new sample may be due at once.
  private static let tick: Int64 = 20_000
  /// The largest number of decoded pictures that wait.
  private static let mostPictures = 32
  /// A smaller deviation of a frame of sound from the end of the one before is a rounding of its timestamp, in µs.
  private static let rounding: Int64 = 30_000

  private let options: StreamPlayer.Options
  private let shared: StreamPlayer.Shared
  private let showing: AsyncStream<VideoFrame>.Continuation
  private let hearing: AsyncStream<AudioFrame>.Continuation

  private let began = Instant.now
  private var samples = StreamSamples()
  private var playout: Playout
  private let decoders = StreamDecoders()
  /// Decoded pictures and sound that are not due yet.
  private var pictures: [VideoFrame] = []
  private var sounds: [AudioFrame] = []
  private var soundEnd: MediaTime?
  private var lastPicture: MediaTime?

  private var retries: StreamRetries
  private var isConnected = false
  /// When the current connection began to play.
  private var playingSince: Instant?
  private var received = RateMeter()
  private var shown = RateMeter()
  private var statistics = StreamPlayer.Statistics()

  init(
    _ options: StreamPlayer.Options, _ shared: StreamPlayer.Shared, _ showing: AsyncStream<VideoFrame>.Continuation,
    _ hearing: AsyncStream<AudioFrame>.Continuation
  ) {
    self.options = options
    self.shared = shared
    self.showing = showing
    self.hearing = hearing
    playout = Playout(settings: options.playout)
    retries = StreamRetries(options.reconnect)
  }

  /// Plays until the stream cannot be played any more, or the task is cancelled.
  func run(_ url: @escaping @Sendable () async throws(StreamFailure) -> String) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.connect(url) }
      group.addTask { await self.play() }
      await group.next()
      group.cancelAll()
    }
  }

  // MARK: Connections

  private func connect(_ url: @Sendable () async throws(StreamFailure) -> String) async {
    var generator = SystemRandomNumberGenerator()
    while !Task.isCancelled {
      let failure = await stream(url)
      guard !Task.isCancelled else { return }
      let played = playingSince.map { Duration.microseconds(Instant.now - $0) }
      isConnected = false
      switch retries.lost(failure, played: played, using: &generator) {
      case .failed(let failure): return shared.enter(.failed(failure))
      case .ended: return shared.enter(.ended)
      case .wait(let wait, let attempt):
        shared.enter(.reconnecting(attempt: attempt))
        do { try await Task.sleep(for: wait) } catch { return }
        statistics.reconnections += 1
      }
    }
  }

  /// Plays one connection. Returns why it is over; nil if the stream ended.
  private func stream(_ url: @Sendable () async throws(StreamFailure) -> String) async -> StreamFailure? {
    playingSince = nil
    samples = StreamSamples()
    let address: String
    do { address = try await url() } catch { return error }
    let end = await StreamConnection.play(address, trust: options.trust) { [self] message, bytes throws(StreamFailure) in
      try await take(message, bytes)
    }
    return switch end {
    case .ended: nil
    case .failed(let failure): failure
    }
  }

  private func take(_ message: MediaMessage, _ bytes: Int) throws(StreamFailure) {
    let now = Instant.now
    received.add(bytes, now: now)
    guard let sample = try samples.read(message) else { return }
    if !isConnected {
      isConnected = true
      restart()
      shared.enter(.buffering)
    }
    playout.add(sample, now: now)
  }

  /// Forgets what the last connection left.
  private func restart() {
    playout.restart()
    decoders.restart()
    pictures = []
    sounds = []
  }

  // MARK: Playing

  private func play() async {
    while !Task.isCancelled {
      let wait = step(now: .now)
      do { try await Task.sleep(for: .microseconds(wait), tolerance: .zero) } catch { return }
    }
  }

  /// Decodes and delivers what is due. Returns the time until the next step in µs.
  private func step(now: Instant) -> Int64 {
    while pictures.count < Self.mostPictures, let step = playout.next(now: now) { decode(step) }
    deliver(now: now)
    measure(now: now)
    if isConnected { shared.enter(playout.isPlaying ? .playing : .buffering) }
    if isConnected, playout.isPlaying { playingSince = playingSince ?? now }
    guard playout.isPlaying else { return Self.tick }
    let next = [
      playout.deadline, pictures.first.flatMap { playout.due($0.timestamp) },
      sounds.first.flatMap { playout.due($0.timestamp) },
    ]
    return next.compactMap { $0 }.map { max(1000, $0 - now) }.min().map { min($0, Self.tick) } ?? Self.tick
  }

  private func decode(_ step: Playout.Step) {
    let sample = step.sample
    do throws(CodecError) {
      guard sample.codec.isVideo else {
        statistics.audioCodec = sample.codec.rawValue
        let decoded = try decoders.samples(sample)
        if !decoded.isEmpty {
          sounds.append(AudioFrame(samples: decoded, format: StreamDecoders.format, timestamp: sample.time))
        }
        return
      }
      statistics.videoCodec = sample.codec.rawValue
      let decoded = try decoders.pictures(sample)
      // A hidden sample may complete a picture that is shown, and the reverse.
      pictures += decoded.filter { playout.shows($0.timestamp) }
    } catch {
      statistics.failed += 1
      guard sample.codec.isVideo else { return }
      decoders.restart()
      playout.skipToKeyFrame()
    }
  }

  private func deliver(now: Instant) {
    while let sound = sounds.first, let due = playout.due(sound.timestamp), due <= now {
      sounds.removeFirst()
      play(sound, due: due)
    }
    while let picture = pictures.first, let due = playout.due(picture.timestamp), due <= now {
      pictures.removeFirst()
      // A later one is due as well.
      if let next = pictures.first, let due = playout.due(next.timestamp), due <= now {
        statistics.late += 1
      } else {
        show(picture, due: due, now: now)
      }
    }
  }

  /// Timestamps are those of the player's clock, on which picture and sound stay together over all connections.
  private func show(_ picture: VideoFrame, due: Instant, now: Instant) {
    var picture = picture
    let time = MediaTime(microseconds: due - began)
    picture.timestamp = max(time, lastPicture?.advanced(microseconds: 1) ?? time)
    lastPicture = picture.timestamp
    shown.add(1, now: now)
    statistics.shown += 1
    (statistics.width, statistics.height) = (picture.width, picture.height)
    showing.yield(picture)
  }

  private func play(_ sound: AudioFrame, due: Instant) {
    var sound = sound
    sound.timestamp = MediaTime(microseconds: due - began)
    if let soundEnd, abs(sound.timestamp - soundEnd) < Self.rounding { sound.timestamp = soundEnd }
    soundEnd = sound.end
    hearing.yield(sound)
  }

  private func measure(now: Instant) {
    statistics.delay = .microseconds(playout.delay(now: now))
    statistics.bitrate = Int(received.rate(now: now) * 8)
    statistics.fps = shown.rate(now: now)
    statistics.stalls = playout.counters.stalls
    statistics.jumps = playout.counters.jumps
    shared.statistics.withLock { $0 = statistics }
  }
}
