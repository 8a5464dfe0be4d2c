public import RoomCodecs
import RoomMixing
import RoomPush
public import RoomRTMP
public import RoomRTP

/// The identifier of a program on a broadcast, chosen by the caller.
public struct ProgramID: Hashable, Sendable, CustomStringConvertible {
  /// A number that is unique among the broadcast's programs.
  public var rawValue: UInt64

  /// Creates an identifier from a number.
  public init(_ rawValue: UInt64) { self.rawValue = rawValue }

  public var description: String { String(rawValue) }
}

/// The outgoing stream for one publish URL: one timeline, fed by one program at a time.
///
/// Programs put audio and video on the media clock. The broadcast turns them into FLV messages in timestamp order. Timestamps
/// never decrease and the audio has no gaps. A program that starts while another is on air **takes over**:
///
/// 1. The broadcast buffers the new program until its first key frame. If the new program lags more than the old one, viewers
///    have already seen the moment of that key frame. The old program's video then stops a little later, and the new program is
///    asked for a key frame of that moment.
/// 2. The old program's video continues up to the moment of that key frame. The program's audio continues up to the same
///    sample, or up to the new program's first sample. The new program follows, with a sequence header if the codec parameters
///    differ. The audio of both is cross-faded for 10 ms (``SoundSeam``).
/// 3. ``Output/tookOver(_:from:)`` reports that the old program is no longer needed.
///
/// Sans-I/O: after each call, drain ``next()`` until it returns nil. Not thread-safe; one owner at a time.
public final class Broadcast {
  /// Settings that are fixed for the lifetime of a broadcast.
  public struct Settings: Sendable, Hashable {
    /// The audio encoder settings.
    public var audio: AACEncoderSettings
    /// How long video waits for audio, or audio for video, to keep messages in order, in µs.
    public var patience: Int64
    /// How long the new program waits for the rest of the old one, in µs.
    public var overlap: Int64

    /// Creates settings. The defaults suit audio that lags the video by up to 400 ms.
    public init(audio: AACEncoderSettings = .init(), patience: Int64 = 500_000, overlap: Int64 = 1_000_000) {
      self.audio = audio
      self.patience = patience
      self.overlap = overlap
    }
  }

  /// An output of the broadcast.
  public enum Output: Sendable, Equatable {
    /// A message to send.
    case media(MediaMessage)
    /// The program's next picture after this media time, or its next picture if nil, must be a key frame.
    case keyFrameNeeded(ProgramID, after: MediaTime?)
    /// The first program is on air. The second, if any, is no longer needed.
    case tookOver(ProgramID, from: ProgramID?)
  }

  /// Counters since the start of the broadcast.
  public struct Counters: Sendable, Hashable {
    /// Pictures sent.
    public var pictures: UInt64 = 0
    /// AAC frames sent.
    public var soundFrames: UInt64 = 0
    /// Pictures dropped: before a key frame, out of order, or of a moment already shown.
    public var skipped: UInt64 = 0
    /// Changes of the program on air.
    public var takeovers: UInt64 = 0
    /// Codec failures.
    public var failures: UInt64 = 0
  }

  /// The settings.
  public let settings: Settings
  /// Counters since the start.
  public internal(set) var counters = Counters()
  /// The program whose audio and video are sent; nil before the first one.
  public var onAir: ProgramID? { current?.id }
  /// The program that is about to take over.
  public var upcoming: ProgramID? { takeover?.feed.id }

  var current: Feed?
  var takeover: Takeover?
  var outputs: [Output] = []
  private var nextOutput = 0
  let sound: SoundEncoder
  /// The cross-fade from one program's audio to the next, while it lasts. A broadcast's first audio fades in.
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
  /// The timestamp of the newest picture on the outgoing timeline.
  private var lastPictureStamp: MediaTime?
  /// The typical interval between two pictures in µs.
  private(set) var pictureInterval: Int64 = 40_000

  /// Creates a broadcast.
  /// - Parameters:
  ///   - began: The moment of timestamp 0 for a resumed broadcast; nil uses the moment of the first picture or sample.
  ///   - encoders: The audio encoders of broadcasts that may send the same audio; nil for an encoder of its own.
  /// - Throws: ``CodecError`` if the audio settings are invalid.
  public init(_ settings: Settings = .init(), began: Instant? = nil, encoders: AACEncoderPool? = nil) throws(CodecError) {
    self.settings = settings
    epoch = began?.mediaTime
    sound = try SoundEncoder(settings.audio, in: encoders)
    interleaver = Interleaver(patience: settings.patience)
  }

  /// Puts a program on air, or lets it take over from the current one. The program replaces a program that is waiting to take
  /// over.
  /// - Parameter audioBitrate: The program's audio bitrate in bps; nil for the one in the settings.
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

  /// Marks a program as finished. The timeline stays for the next program.
  public func end(_ program: ProgramID, now: Instant) {
    if takeover?.feed.id == program { return abandonTakeover() }
    guard current?.id == program else { return }
    current?.isOver = true
    guard takeover == nil else { return advanceTakeover(now) }
    current = nil
    // The last pictures wait for this audio. The encoder delays at most 3 frames of it.
    let kept = Int64(3 * AACEncoder.frameCount) * 1_000_000 / Int64(settings.audio.format.sampleRate)
    seam = SoundSeam(last: lastSample)
    if sentSoundHeader, let lastPicture { fillSilence(upTo: lastPicture.advanced(microseconds: kept), now: now) }
    release(now)
  }

  /// Accepts an H.264 picture in Annex B format. The picture's timestamp is its media time.
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

  /// Accepts stereo samples at 48 kHz. `position` is the first sample's position on the grid of ``AudioInput``.
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

  /// Advances time: sends what has waited too long and times out a takeover.
  public func advance(to now: Instant) {
    advanceTakeover(now)
    // Receivers must not wait for audio from a program that has none.
    if let current, !current.hasAudio, takeover?.soundCut == nil, sentSoundHeader, let lastPicture {
      fillSilence(upTo: lastPicture, now: now)
    }
    release(now)
  }

  /// Returns the next output, or nil if there is none.
  public func next() -> Output? {
    guard nextOutput < outputs.count else {
      outputs.removeAll(keepingCapacity: true)
      nextOutput = 0
      return nil
    }
    defer { nextOutput += 1 }
    return outputs[nextOutput]
  }

  /// The messages that a receiver needs before the next key frame: metadata and the current sequence headers.
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
    guard let payloads = pictures.payloads(of: picture.data, isKeyFrame: picture.isKeyFrame) else {
      counters.skipped += 1
      return
    }
    if let lastPicture {
      let interval = picture.timestamp - lastPicture
      if (5_000...500_000).contains(interval) { pictureInterval += (interval - pictureInterval) / 8 }
    }
    let begin = epoch ?? picture.timestamp
    epoch = begin
    // Timestamps are whole milliseconds and strictly increase.
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
      // Players detect the tracks at the first picture, so upcoming audio is announced before it.
      let announcesAudio = current?.hasAudio == true && !sentSoundHeader
      if announcesAudio { sentSoundHeader = true }
      interleaver.insert(describe(), among: .video, time: time, now: now)
      insert(.video, header)
      if announcesAudio { insert(.audio, soundHeader) }
    }
    let message = MediaMessage(.video, at: stamp, payload: payloads.picture)
    interleaver.insert(message, among: .video, time: time, now: now)
    counters.pictures += 1
  }

  func send(_ samples: ArraySlice<Int16>, at position: Int64, now: Instant) {
    var samples = samples
    if seam != nil, let end = soundEnd {
      if position > end { sendSilence(min(position - end, Int64(SoundSeam.length)), at: end, now: now) }
      // Samples that were already sent are not blended again.
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

  /// The grid position after the last sample sent.
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
    // Audio before the first picture has no time on the timeline.
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
    // Always time 0: ffmpeg treats metadata at any other time as a subtitle.
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
