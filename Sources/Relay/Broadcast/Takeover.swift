import RoomCodecs
import RoomMixing
import RoomRTP

/// A program that is about to go on air: its buffered media and the moment at which it starts.
struct Takeover {
  /// At most 5 s of the new program's audio and video are buffered.
  private static let mostPictures = 300
  private static let longestSound = 5 * AudioInput.sampleRate

  let feed: Feed
  let since: Instant
  /// The moment at which the new program's video starts.
  private(set) var cut: MediaTime?
  /// When the cut was determined.
  var cutAt: Instant?
  /// The sample at which the new program's audio starts.
  var soundCut: Int64?
  /// The old program's audio from that sample on, for the cross-fade.
  private(set) var tail: [Int16] = []
  /// The moment from which the old program's pictures are held back, so that the new one can catch up with what viewers have
  /// seen. The time lies slightly in the future, so that the key frame request reaches the new program in time.
  private(set) var freeze: MediaTime?
  var picturesAreDone = false
  /// The old program's pictures that were held back. Pictures before the cut are sent after all.
  private var late: [EncodedPicture] = []

  private(set) var pictures: [EncodedPicture] = []
  private(set) var sound: [(position: Int64, samples: [Int16])] = []

  init(feed: Feed, since: Instant) {
    self.feed = feed
    self.since = since
  }

  /// Returns whether to withhold the old program's picture of this time.
  func stopsPictures(at time: MediaTime) -> Bool {
    picturesAreDone || (cut ?? freeze).map { time >= $0 } == true
  }

  /// Keeps a picture of the old program that is not sent now.
  mutating func holdBack(_ picture: EncodedPicture) {
    if cut == nil, late.count < Self.mostPictures { late.append(picture) }
  }

  mutating func takeLate() -> [EncodedPicture] {
    defer { late = [] }
    return late
  }

  /// Buffers a picture of the new program.
  /// - Parameter shown: The media time of the last picture sent to viewers.
  mutating func hold(_ picture: EncodedPicture, shown: MediaTime?, interval: Int64, outputs: inout [Broadcast.Output]) {
    guard cut == nil else {
      if pictures.count < Self.mostPictures { pictures.append(picture) }
      return
    }
    guard picture.isKeyFrame else { return }
    // A key frame that lags by less than half a picture interval is accepted.
    if let shown, shown - picture.timestamp >= interval / 2 {
      let moment = freeze ?? shown.advanced(microseconds: interval * 5 / 2)
      freeze = moment
      outputs.append(.keyFrameNeeded(feed.id, after: moment))
      return
    }
    cut = shown.map { max(picture.timestamp, $0.advanced(microseconds: 1)) } ?? picture.timestamp
    pictures = [picture]
  }

  mutating func hold(_ samples: [Int16], at position: Int64) {
    sound.append((position, samples))
    while let first = sound.first, position - first.position > Self.longestSound { sound.removeFirst() }
  }

  /// Keeps the old program's audio after the cut.
  mutating func keepTail(_ samples: ArraySlice<Int16>, at position: Int64) {
    guard let soundCut, position == soundCut + Int64(tail.count / AudioInput.channels), !hasTail else { return }
    tail += samples.prefix(SoundSeam.length * AudioInput.channels - tail.count)
  }

  /// Whether the old program's audio covers the whole cross-fade.
  var hasTail: Bool { tail.count >= SoundSeam.length * AudioInput.channels }

  mutating func takePictures() -> [EncodedPicture] {
    defer { pictures = [] }
    return pictures
  }

  /// Sets the cut for a program without video.
  mutating func cutNow(at time: MediaTime) { cut = time }
}

extension Broadcast {
  /// Advances the takeover as far as possible.
  func advanceTakeover(_ now: Instant) {
    guard var takeover, let current else { return }
    defer {
      if self.takeover != nil { self.takeover = takeover }
    }
    if takeover.cut == nil, !takeover.feed.hasVideo, let first = takeover.sound.first {
      let start = AudioInput.time(of: first.position)
      takeover.cutNow(at: lastPicture.map { max(start, $0.advanced(microseconds: 1)) } ?? start)
    }
    guard let cut = takeover.cut else { return }
    let cutAt = takeover.cutAt ?? now
    takeover.cutAt = cutAt
    let waitedLong = now - cutAt >= settings.overlap

    if !takeover.picturesAreDone {
      for picture in takeover.takeLate() where cut - picture.timestamp > pictureInterval / 2 { send(picture, now: now) }
      let reached = current.progress.map { $0 >= cut } == true
      let seen = lastPicture.map { cut - $0 <= pictureInterval + pictureInterval / 4 } ?? true
      guard !current.hasVideo || current.isOver || reached || seen || waitedLong else { return }
      takeover.picturesAreDone = true
    }
    for picture in takeover.takePictures() { send(picture, now: now) }

    if takeover.soundCut == nil {
      // Audio takes longer to decode than a key frame takes to arrive. The old program's audio bridges the time up to the new
      // program's first.
      guard !takeover.feed.hasAudio || !takeover.sound.isEmpty || waitedLong else { return }
      let position = AudioInput.position(of: cut)
      takeover.soundCut = max(position, soundEnd ?? position, takeover.sound.first?.position ?? position)
    }
    guard let soundCut = takeover.soundCut else { return }
    // The end of the old program's audio, up to the cut.
    let heard = min(soundCut, soundEnd ?? soundCut)
    let isBlendable = heard == soundCut && takeover.hasTail
    if takeover.feed.hasAudio {
      let oldIsDone = !current.hasAudio || current.isOver || waitedLong || isBlendable
      guard oldIsDone, !takeover.sound.isEmpty || waitedLong else { return }
      seam = SoundSeam(tail: takeover.tail, last: lastSample)
      // If the old program's audio ends before the cut, start the new program's audio early.
      for (position, samples) in takeover.sound { send(samples, from: heard, at: position, now: now) }
    } else if current.hasAudio {
      guard current.isOver || waitedLong || isBlendable else { return }
      seam = SoundSeam(tail: takeover.tail, last: lastSample)
    }
    finishTakeover(takeover.feed, from: current.id)
  }

  /// Sends the part of a buffered block after the cut.
  private func send(_ samples: [Int16], from cut: Int64, at position: Int64, now: Instant) {
    let early = max(0, cut - position)
    guard early < Int64(samples.count / AudioInput.channels) else { return }
    send(samples[(Int(early) * AudioInput.channels)...], at: position + early, now: now)
  }

  private func finishTakeover(_ feed: Feed, from old: ProgramID) {
    var feed = feed
    feed.keepOpen()
    current = feed
    sound.setBitrate(feed.audioBitrate)
    takeover = nil
    counters.takeovers += 1
    outputs.append(.tookOver(feed.id, from: old))
  }

  /// Cancels the takeover. The program on air continues unaffected.
  func abandonTakeover() {
    guard let takeover else { return }
    self.takeover = nil
    guard let current else { return }
    if current.isOver {
      self.current = nil
    } else if takeover.freeze != nil || takeover.picturesAreDone {
      // After dropped pictures, the next one must be a key frame.
      self.current?.close()
      outputs.append(.keyFrameNeeded(current.id, after: nil))
    }
  }
}
