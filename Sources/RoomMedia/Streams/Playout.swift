import RoomRTP

/// Decides when the samples of a live stream are decoded and shown. The playout has no clock and no decoder.
///
/// The playout starts when ``Settings/buffer`` of the stream has arrived, shows everything at the stream's own speed, and
/// pauses to fill the buffer again if nothing is left. If more than ``Settings/latencyLimit`` waits, it continues with the
/// newest: pictures up to the newest suitable key frame are not even decoded.
struct Playout: Sendable {
  struct Settings: Sendable, Hashable {
    /// The part of the stream that is waited for, in µs.
    var buffer: Int64 = 500_000
    /// The largest part of the stream that waits, in µs.
    var latencyLimit: Int64 = 3_000_000
    /// The largest number of bytes that wait.
    var bytes = 32 << 20
  }

  /// A sample to decode now.
  struct Step: Sendable, Hashable {
    var sample: StreamSample
    /// Whether it is only needed to decode later ones.
    var isHidden: Bool
  }

  struct Counters: Sendable, Hashable {
    /// Pauses because nothing was left.
    var stalls = 0
    /// Jumps to the newest part of the stream.
    var jumps = 0
    /// Samples that were dropped undecoded.
    var dropped = 0
  }

  /// How long before it is shown a sample is decoded, in µs.
  private static let lead: Int64 = 100_000
  /// How far the newest sample may be exceeded before playing pauses, in µs: more than the distance of two samples.
  private static let patience: Int64 = 120_000
  /// The lateness of a sample that is not corrected, in µs.
  private static let tolerance: Int64 = 30_000

  let settings: Settings
  private(set) var counters = Counters()
  private var video: [StreamSample] = []
  private var audio: [StreamSample] = []
  private var bytes = 0
  private var needsKeyFrame = true
  /// The time of the stream that is shown at an instant; nil while playing is paused.
  private var anchor: (time: MediaTime, at: Instant)?
  /// Whether something of this connection was shown.
  private var hasPlayed = false
  /// What precedes it is not shown.
  private var shownFrom = MediaTime(microseconds: .min)
  private var newest: MediaTime?
  /// When the first sample since the start or the pause arrived.
  private var fillingSince: Instant?

  init(settings: Settings = Settings()) { self.settings = settings }

  var isPlaying: Bool { anchor != nil }
  /// The bytes of the samples that wait.
  var waitingBytes: Int { bytes }

  /// Returns the part of the stream that is received and not yet shown, in µs.
  func delay(now: Instant) -> Int64 {
    guard let newest, let position = position(now) else { return 0 }
    return max(0, newest - position)
  }

  /// Returns the instant at which a time of the stream is due; nil while playing is paused.
  func due(_ time: MediaTime) -> Instant? { anchor.map { $0.at.advanced(microseconds: time - $0.time) } }

  /// Returns whether a picture of this time is shown.
  func shows(_ time: MediaTime) -> Bool { time >= shownFrom }

  // MARK: In

  /// Accepts the next sample.
  mutating func add(_ sample: StreamSample, now: Instant) {
    if sample.codec.isVideo {
      guard !needsKeyFrame || sample.isKeyFrame else { return counters.dropped += 1 }
      needsKeyFrame = false
      video.append(sample)
    } else {
      audio.append(sample)
    }
    bytes += sample.data.count
    newest = max(newest ?? sample.decodingTime, sample.decodingTime)
    fillingSince = fillingSince ?? now
    if let position = position(now) {
      if delay(now: now) > settings.latencyLimit {
        jump(now: now)
      } else if sample.time < position.advanced(microseconds: -Self.tolerance), sample.time >= shownFrom {
        wait(for: sample, now: now)
      }
    }
    if bytes > settings.bytes { shrink() }
  }

  /// Forgets the samples, before those of another connection.
  mutating func restart() {
    counters.dropped += video.count + audio.count
    (video, audio, bytes, needsKeyFrame) = ([], [], 0, true)
    (anchor, hasPlayed, newest, fillingSince) = (nil, false, nil, nil)
    shownFrom = MediaTime(microseconds: .min)
  }

  /// Drops pictures up to the next key frame, because one could not be decoded.
  mutating func skipToKeyFrame() {
    let index = video.firstIndex(where: \.isKeyFrame)
    dropVideo(index ?? video.count)
    if index == nil { needsKeyFrame = true }
  }

  // MARK: Out

  /// Returns the next sample to decode; nil if none is due.
  mutating func next(now: Instant) -> Step? {
    start(now: now)
    pause(now: now)
    guard let position = position(now) else { return nil }
    let horizon = position.advanced(microseconds: Self.lead)
    while let sample = takeFirst(until: horizon) {
      let isHidden = sample.time < shownFrom
      if sample.codec.isVideo || !isHidden { return Step(sample: sample, isHidden: isHidden) }
    }
    return nil
  }

  /// The instant of the next call of ``next(now:)``; nil if only another sample changes anything.
  var deadline: Instant? {
    guard let newest else { return nil }
    guard anchor != nil else { return fillingSince?.advanced(microseconds: settings.buffer) }
    let first = [video.first, audio.first].compactMap { $0?.decodingTime }.min()
    if let first { return due(first.advanced(microseconds: -Self.lead)) }
    return due(newest.advanced(microseconds: Self.patience))
  }

  // MARK: Inside

  private func position(_ now: Instant) -> MediaTime? {
    anchor.map { $0.time.advanced(microseconds: now - $0.at) }
  }

  /// The server sends the newest group of pictures at once. After the time of the buffer what arrives is live.
  private mutating func start(now: Instant) {
    guard anchor == nil, let newest, let fillingSince, now - fillingSince >= settings.buffer,
      let first = [video.first, audio.first].compactMap({ $0?.decodingTime }).min()
    else { return }
    // After a pause nothing is skipped.
    let begin = hasPlayed ? first : max(first, newest.advanced(microseconds: -settings.buffer))
    guard newest - begin >= settings.buffer || now - fillingSince >= 2 * settings.buffer else { return }
    anchor = (begin, now)
    hasPlayed = true
    shownFrom = max(shownFrom, begin)
    if newest - begin > settings.latencyLimit { jump(now: now) }
  }

  private mutating func pause(now: Instant) {
    guard let newest, let position = position(now), position - newest >= Self.patience, video.isEmpty, audio.isEmpty else {
      return
    }
    counters.stalls += 1
    anchor = nil
    fillingSince = nil
  }

  private mutating func jump(now: Instant) {
    guard let newest else { return }
    let target = newest.advanced(microseconds: -settings.buffer)
    counters.jumps += 1
    anchor = (target, now)
    shownFrom = target
    if let index = video.lastIndex(where: { $0.isKeyFrame && $0.time <= target }) { dropVideo(index) }
    dropAudio(audio.firstIndex { $0.time >= target } ?? audio.count)
  }

  /// Steps back to a late sample, so that it and those after it are shown when they are due.
  private mutating func wait(for sample: StreamSample, now: Instant) {
    guard let newest, newest - sample.time <= settings.latencyLimit else { return }
    anchor = (sample.time.advanced(microseconds: -Self.tolerance), now)
  }

  private mutating func shrink() {
    if let index = video.lastIndex(where: \.isKeyFrame), index > 0 { dropVideo(index) }
    guard bytes > settings.bytes else { return }
    dropVideo(video.count)
    dropAudio(audio.count)
    needsKeyFrame = true
  }

  private mutating func takeFirst(until horizon: MediaTime) -> StreamSample? {
    let isVideo =
      switch (video.first, audio.first) {
      case (let picture?, let sound?): picture.decodingTime <= sound.decodingTime
      case (.some, nil): true
      case (nil, _): false
      }
    guard let first = isVideo ? video.first : audio.first, first.decodingTime <= horizon else { return nil }
    bytes -= first.data.count
    return isVideo ? video.removeFirst() : audio.removeFirst()
  }

  private mutating func dropVideo(_ count: Int) {
    bytes -= video.prefix(count).reduce(0) { $0 + $1.data.count }
    video.removeFirst(count)
    counters.dropped += count
  }

  private mutating func dropAudio(_ count: Int) {
    bytes -= audio.prefix(count).reduce(0) { $0 + $1.data.count }
    audio.removeFirst(count)
    counters.dropped += count
  }
}
