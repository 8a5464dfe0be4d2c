public import Codecs
import Mixing
public import RTMP
public import RTP

/// Which of the programs that were put on air: chosen by the caller.
public struct ProgramID: Hashable, Sendable, CustomStringConvertible {
  /// Any number that no other program of the broadcast has.
  public var rawValue: UInt64

  /// The program with this number.
  public init(_ rawValue: UInt64) { self.rawValue = rawValue }

  public var description: String { String(rawValue) }
}

/// The outgoing stream behind one publish URL: one timeline, fed by one program after the other.
///
/// Programs put pictures and sound on the media clock; the broadcast makes of them FLV messages whose times never go back and whose
/// sound has no hole, in the order of their times. A program that comes while another is on air **takes over**:
///
/// 1. It is listened to, and its first key frame is waited for. If that shows a moment that the viewers have seen already, because the
///    new program lags more than the old one, the old one's pictures stop a little later, and a key frame of that moment is asked for.
/// 2. The old program's pictures continue up to the moment of that key frame, its sound up to the same sample, or up to the new
///    program's first; from there on the new one's follow, with a sequence header if the codec's parameters differ. The sound of both
///    is blended for 10 ms (``SoundSeam``).
/// 3. ``Output/tookOver(_:from:)`` tells when nothing of the old one is needed any more.
///
/// Sans-I/O: after each call take what ``next()`` gives until it is nil. One owner at a time.
public final class Broadcast {
  /// What does not change while a broadcast lives.
  public struct Settings: Sendable, Hashable {
    /// The sound's codec.
    public var audio: AACEncoderSettings
    /// Microseconds that pictures wait for sound, or sound for pictures, to be sent in order.
    public var patience: Int64
    /// Microseconds that the new program waits for the rest of the old one.
    public var overlap: Int64

    /// The defaults suit sound that lags pictures by up to 400 ms.
    public init(audio: AACEncoderSettings = .init(), patience: Int64 = 500_000, overlap: Int64 = 1_000_000) {
      self.audio = audio
      self.patience = patience
      self.overlap = overlap
    }
  }

  /// What comes out.
  public enum Output: Sendable, Equatable {
    /// To be sent.
    case media(MediaMessage)
    /// The program's next picture after this media time, or any, shall be a key frame.
    case keyFrameNeeded(ProgramID, after: MediaTime?)
    /// The first is on air; the second, where there was one, is needed no more.
    case tookOver(ProgramID, from: ProgramID?)
  }

  /// Since the start.
  public struct Counters: Sendable, Hashable {
    /// Pictures sent.
    public var pictures: UInt64 = 0
    /// AAC frames sent.
    public var soundFrames: UInt64 = 0
    /// Pictures that were left out: before a key frame, out of order, or of a moment already seen.
    public var skipped: UInt64 = 0
    /// Changes of the program on air.
    public var takeovers: UInt64 = 0
    /// Codec failures.
    public var failures: UInt64 = 0
  }

  /// As given.
  public let settings: Settings
  /// Since the start.
  public internal(set) var counters = Counters()
  /// The program whose pictures and sound are sent; nil before the first.
  public var onAir: ProgramID? { current?.id }
  /// The program that is about to take over.
  public var upcoming: ProgramID? { takeover?.feed.id }

  var current: Feed?
  var takeover: Takeover?
  var outputs: [Output] = []
  private var nextOutput = 0
  let sound: SoundEncoder
  /// The blend from one program's sound to the next one's, while it lasts. A broadcast's first sound fades in.
  var seam: SoundSeam? = SoundSeam(last: [])
  /// The last stereo sample that was sent.
  private(set) var lastSample: [Int16] = []
  private var pictures = PictureStream()
  private var interleaver: Interleaver
  /// The media time at which the outgoing timeline starts.
  private var epoch: MediaTime?
  private var sentSoundHeader = false
  private var metadata: MediaMessage?
  /// The media time of the newest picture sent.
  private(set) var lastPicture: MediaTime?
  /// On the outgoing timeline.
  private var lastPictureStamp: MediaTime?
  /// The usual time between two pictures, in microseconds.
  private(set) var pictureInterval: Int64 = 40_000

  /// - Parameter began: the moment whose time is 0, of a broadcast that is taken up again; nil for that of the first picture or sound.
  /// - Throws: ``CodecError`` where the sound's settings are refused.
  public init(_ settings: Settings = .init(), began: Instant? = nil) throws(CodecError) {
    self.settings = settings
    epoch = began?.mediaTime
    sound = try SoundEncoder(settings.audio)
    interleaver = Interleaver(patience: settings.patience)
  }

  /// Puts a program on air, or has it take over from the one that is. One that waits to take over is replaced.
  /// - Parameter audioBitrate: bits a second of its sound; nil for that of the settings.
  public func begin(_ program: ProgramID, hasAudio: Bool, hasVideo: Bool, audioBitrate: Int? = nil, now: Instant) {
    let feed = Feed(id: program, hasAudio: hasAudio, hasVideo: hasVideo, audioBitrate: audioBitrate)
    guard current != nil else {
      current = feed
      seam = SoundSeam(last: lastSample)
      sound.setBitrate(audioBitrate)
      outputs.append(.tookOver(program, from: nil))
      if hasVideo { outputs.append(.keyFrameNeeded(program, after: nil)) }
      return
    }
    abandonTakeover()
    takeover = Takeover(feed: feed, since: now)
    if hasVideo { outputs.append(.keyFrameNeeded(program, after: nil)) }
    advanceTakeover(now)
  }

  /// A program makes nothing more. The timeline stays for the next one.
  public func end(_ program: ProgramID, now: Instant) {
    if takeover?.feed.id == program { return abandonTakeover() }
    guard current?.id == program else { return }
    current?.isOver = true
    guard takeover == nil else { return advanceTakeover(now) }
    current = nil
    // The sound that the last pictures wait for; what the coder keeps back of it is 3 frames at most.
    let kept = Int64(3 * AACEncoder.frameCount) * 1_000_000 / Int64(settings.audio.format.sampleRate)
    seam = SoundSeam(last: lastSample)
    if sentSoundHeader, let lastPicture { fillSilence(upTo: lastPicture.advanced(microseconds: kept), now: now) }
    release(now)
  }

  /// Takes an H.264 picture in Annex B form; its timestamp is its media time.
  public func take(_ picture: EncodedPicture, from program: ProgramID, now: Instant) {
    if takeover?.feed.id == program {
      takeover?.hold(picture, shown: lastPicture, interval: pictureInterval, outputs: &outputs)
      advanceTakeover(now)
    } else if current?.id == program {
      guard current?.opens(at: picture) == true else {
        counters.skipped += 1
        return
      }
      if let takeover, takeover.stopsPictures(at: picture.timestamp) {
        current?.reached(picture.timestamp)
        self.takeover?.holdBack(picture)
        advanceTakeover(now)
      } else {
        send(picture, now: now)
      }
    }
    release(now)
  }

  /// Takes stereo samples at 48 kHz whose first is `position` on the grid of ``AudioInput``.
  public func take(_ samples: [Int16], at position: Int64, from program: ProgramID, now: Instant) {
    if takeover?.feed.id == program {
      takeover?.hold(samples, at: position)
      advanceTakeover(now)
    } else if current?.id == program {
      var part = samples[...]
      if let limit = takeover?.soundCut {
        part = part.prefix(Int(max(0, limit - position)) * AudioInput.channels)
        takeover?.keepTail(samples[part.endIndex...], at: max(position, limit))
      }
      send(part, at: position, now: now)
      if takeover != nil { advanceTakeover(now) }
    }
    release(now)
  }

  /// Lets time pass: what waits too long is sent, and a takeover does not wait for ever.
  public func advance(to now: Instant) {
    advanceTakeover(now)
    // Who hears sound must not be left waiting for it by a program that has none.
    if let current, !current.hasAudio, takeover?.soundCut == nil, sentSoundHeader, let lastPicture {
      fillSilence(upTo: lastPicture, now: now)
    }
    release(now)
  }

  /// What is to be done next; nil where nothing is.
  public func next() -> Output? {
    guard nextOutput < outputs.count else {
      outputs.removeAll(keepingCapacity: true)
      nextOutput = 0
      return nil
    }
    defer { nextOutput += 1 }
    return outputs[nextOutput]
  }

  /// What a receiver has to be told before the next key frame: metadata, and the sequence headers so far.
  public var preamble: [MediaMessage] {
    var messages: [MediaMessage] = []
    if let metadata { messages.append(metadata) }
    if let configuration = pictures.configuration {
      messages.append(MediaMessage(.video, timestamp: 0, payload: configuration.sequenceHeader))
    }
    if sentSoundHeader { messages.append(MediaMessage(.audio, timestamp: 0, payload: soundHeader)) }
    return messages
  }

  // MARK: Out

  func send(_ picture: EncodedPicture, now: Instant) {
    if let lastPicture, lastPicture - picture.timestamp >= 1_000_000 {
      counters.skipped += 1
      return
    }
    guard let payloads = pictures.payloads(of: picture) else {
      counters.skipped += 1
      return
    }
    if let lastPicture {
      let interval = picture.timestamp - lastPicture
      if (5_000...500_000).contains(interval) { pictureInterval += (interval - pictureInterval) / 8 }
    }
    let begin = epoch ?? picture.timestamp
    epoch = begin
    // Whole milliseconds, and each after the one before.
    let earliest = lastPictureStamp?.advanced(milliseconds: 1) ?? .zero
    let stamp = max(MediaTime(milliseconds: picture.timestamp.milliseconds(since: begin)), earliest)
    lastPictureStamp = stamp
    let time = lastPicture.map { max(picture.timestamp, $0.advanced(microseconds: 1)) } ?? picture.timestamp
    lastPicture = time
    if let header = payloads.sequenceHeader {
      func insert(_ kind: MediaMessage.Kind, _ payload: [UInt8]) {
        let message = MediaMessage(kind, at: stamp, payload: payload)
        interleaver.insert(message, among: .video, time: time, now: now)
      }
      // Players decide at the first picture which tracks there are: sound that is to come is told of before it.
      let tellsOfSound = current?.hasAudio == true && !sentSoundHeader
      if tellsOfSound { sentSoundHeader = true }
      interleaver.insert(describe(), among: .video, time: time, now: now)
      insert(.video, header)
      if tellsOfSound { insert(.audio, soundHeader) }
    }
    let message = MediaMessage(.video, at: stamp, payload: payloads.picture)
    interleaver.insert(message, among: .video, time: time, now: now)
    counters.pictures += 1
  }

  func send(_ samples: ArraySlice<Int16>, at position: Int64, now: Instant) {
    var samples = samples
    if seam != nil, let end = soundEnd {
      if position > end { sendSilence(min(position - end, Int64(SoundSeam.length)), at: end, now: now) }
      // What was sent already is no part of the blend.
      if position < end { samples = samples.dropFirst(Int(min(end - position, Int64(samples.count))) * AudioInput.channels) }
    }
    guard !samples.isEmpty else { return }
    write(samples, at: max(position, seam == nil ? position : soundEnd ?? position), now: now)
  }

  private func sendSilence(_ count: Int64, at position: Int64, now: Instant) {
    write([Int16](repeating: 0, count: Int(count) * AudioInput.channels)[...], at: position, now: now)
  }

  private func write(_ samples: ArraySlice<Int16>, at position: Int64, now: Instant) {
    var samples = samples
    if let blended = seam?.blend(samples) { samples = blended[...] }
    if seam?.isDone == true { seam = nil }
    lastSample = Array(samples.suffix(AudioInput.channels))
    encode { () throws(CodecError) in
      try sound.write(samples, at: position)
    } send: {
      send($0, now: now)
    }
  }

  private func fillSilence(upTo time: MediaTime, now: Instant) {
    let position = AudioInput.position(of: time)
    if seam != nil, let end = soundEnd, position > end {
      sendSilence(min(position - end, Int64(SoundSeam.length)), at: end, now: now)
    }
    encode { () throws(CodecError) in
      try sound.silence(upTo: position)
    } send: {
      send($0, now: now)
    }
  }

  /// The grid's sample after the last that was sent.
  var soundEnd: Int64? { sound.end }

  private func encode(_ frames: () throws(CodecError) -> [SoundEncoder.Frame], send: (SoundEncoder.Frame) -> Void) {
    do throws(CodecError) {
      for frame in try frames() { send(frame) }
    } catch {
      counters.failures += 1
    }
  }

  private func send(_ frame: SoundEncoder.Frame, now: Instant) {
    let begin = epoch ?? frame.time
    epoch = begin
    // Sound of before the first picture has no place on the timeline.
    guard frame.time >= begin else { return }
    let stamp = frame.time.relative(to: begin)
    func insert(_ payload: [UInt8]) {
      let message = MediaMessage(.audio, at: stamp, payload: payload)
      interleaver.insert(message, among: .audio, time: frame.time, now: now)
    }
    if !sentSoundHeader {
      sentSoundHeader = true
      interleaver.insert(describe(), among: .audio, time: frame.time, now: now)
      insert(soundHeader)
    }
    insert(AudioTag.aacHeader(.codedFrames) + frame.data)
    counters.soundFrames += 1
  }

  private var soundHeader: [UInt8] { AudioTag.aacHeader(.sequenceStart) + sound.audioSpecificConfig }

  private func describe() -> MediaMessage {
    var metadata = StreamMetadata()
    if let size = pictures.size {
      metadata.width = size.width
      metadata.height = size.height
      metadata.frameRate = (1_000_000 / Double(max(1, pictureInterval))).rounded()
      metadata.videoCodec = 7
    }
    if sentSoundHeader {
      metadata.audioCodec = 10
      metadata.sampleRate = settings.audio.format.sampleRate
      metadata.isStereo = settings.audio.format.channels == 2
      metadata.audioKilobits = Double(settings.audio.bitrate) / 1000
    }
    metadata.encoder = "roomserver"
    // At time 0 always: ffmpeg takes metadata of any other time for a subtitle.
    let message = metadata.message(timestamp: 0)
    self.metadata = message
    return message
  }

  private func release(_ now: Instant) {
    let hasAudio = current?.hasAudio == true || sentSoundHeader
    let hasVideo = current?.hasVideo == true
    while let message = interleaver.next(now: now, hasAudio: hasAudio, hasVideo: hasVideo) { outputs.append(.media(message)) }
  }
}
