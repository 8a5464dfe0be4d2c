import RoomRTMP

/// Several seconds of H.264 and AAC that loop seamlessly: what a publisher sends and its viewers should receive.
struct LiveClip: Sendable {
  /// The clip's encoding settings.
  struct Settings: Sendable, Hashable {
    var width = 1280
    var height = 720
    /// Video bitrate, in kbps.
    var kbps = 1000
    /// Duration in whole seconds; even, because key frames are two seconds apart.
    var seconds = 8
  }

  static let framesPerSecond = 25
  /// Audio sampling rate in Hz. One second contains 46.875 AAC frames, so eight seconds contain a whole number of both video
  /// and audio frames.
  static let sampleRate = 48_000
  private static let samplesPerFrame = 1024

  struct Frame: Sendable {
    /// Milliseconds since the start of the loop.
    var time: Int64
    var kind: MediaMessage.Kind
    var payload: [UInt8]
  }

  /// Metadata and decoder configurations.
  let headers: [MediaMessage]
  /// The frames of one loop, by time.
  let frames: [Frame]
  /// Duration of one loop, in milliseconds.
  let duration: Int64
  /// All payloads, to identify received messages.
  let payloads: Set<[UInt8]>
  private let videoTimes: [Int64]
  private let audioTimes: [Int64]

  /// Parses an encoder's FLV output and rebases its timestamps.
  init(flv: [UInt8], _ settings: Settings) throws(LoadtestError) {
    var headers: [MediaMessage] = []
    var video: [[UInt8]] = []
    var audio: [[UInt8]] = []
    for media in try Self.messages(of: flv) {
      if !MediaRole.isHeader(media) {
        if media.kind == .video { video.append(media.payload) } else { audio.append(media.payload) }
      } else if media.kind != .video || media.payload.dropFirst().first == 0 {
        // Keeps all but the tag that ends a stream.
        headers.append(media)
      }
    }
    let pictures = settings.seconds * Self.framesPerSecond
    let sounds = settings.seconds * Self.sampleRate / Self.samplesPerFrame
    guard video.count >= pictures, audio.count >= sounds, headers.count >= 3 else {
      throw .system("the clip has \(video.count) pictures and \(audio.count) audio frames: too few")
    }
    let videoTimes = (0..<pictures).map { Int64($0 * 1000 / Self.framesPerSecond) }
    let audioTimes = (0..<sounds).map { Int64($0 * Self.samplesPerFrame * 1000 / Self.sampleRate) }
    frames =
      (zip(audioTimes, audio).map { Frame(time: $0, kind: .audio, payload: $1) }
      + zip(videoTimes, video).map { Frame(time: $0, kind: .video, payload: $1) }).sorted { $0.time < $1.time }
    self.headers = headers
    self.videoTimes = videoTimes
    self.audioTimes = audioTimes
    duration = Int64(settings.seconds) * 1000
    payloads = Set(frames.map(\.payload))
  }

  private static func messages(of flv: [UInt8]) throws(LoadtestError) -> [MediaMessage] {
    var messages: [MediaMessage] = []
    let failure: FLVError? = flv.withUnsafeBytes { bytes in
      var demuxer = FLVDemuxer()
      var rest = bytes
      do throws(FLVError) {
        while let media = try demuxer.read(&rest) { messages.append(media) }
        return nil
      } catch { return error }
    }
    if let failure { throw .system("the clip is not valid FLV: \(failure)") }
    return messages
  }

  /// Returns the timestamp of the frame with this number, counted over all loops.
  func time(of number: Int) -> Int64 { Int64(number / frames.count) * duration + frames[number % frames.count].time }

  /// Returns the message with this number.
  func message(_ number: Int) -> MediaMessage {
    let frame = frames[number % frames.count]
    return MediaMessage(frame.kind, timestamp: UInt32(truncatingIfNeeded: time(of: number)), payload: frame.payload)
  }

  /// Returns the number of frames of a kind with timestamps up to and including `timestamp`.
  func count(_ kind: MediaMessage.Kind, upTo timestamp: UInt32) -> Int {
    let times = kind == .video ? videoTimes : audioTimes
    let (round, rest) = Int64(timestamp).quotientAndRemainder(dividingBy: duration)
    // The first frame that is later.
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] <= rest { low = middle + 1 } else { high = middle }
    }
    return Int(round) * times.count + low
  }
}
