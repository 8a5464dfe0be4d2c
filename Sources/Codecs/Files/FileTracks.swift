import RoomCFFmpeg
import RoomRTP

/// One stream of a file and its decoder.
protocol FileTrack: AnyObject {
  /// Decodes a packet, or drains the decoder if nil. Passes each output with its duration in µs.
  func decode(
    _ packet: UnsafeMutablePointer<AVPacket>?, _ deliver: (MediaFile.Sample, _ duration: Int64) -> Void
  ) throws(CodecError)
}

/// Converts a stream's timestamps to times since the start of the file.
struct StreamClock {
  let base: AVRational
  /// The start time in µs.
  let start: Int64

  init(_ stream: UnsafeMutablePointer<AVStream>, in container: UnsafeMutablePointer<AVFormatContext>) {
    base = stream.pointee.time_base
    start = container.pointee.start_time == av_no_pts ? 0 : container.pointee.start_time
  }

  /// Returns nil if the timestamp is unknown.
  func time(_ timestamp: Int64) -> MediaTime? {
    guard timestamp != av_no_pts else { return nil }
    let time = av_rescale_q(timestamp, base, AVRational(num: 1, den: 1_000_000))
    // A corrupt file may contain any time; a century is enough for all others.
    let century: Int64 = 3_155_760_000_000_000
    guard (-century...century).contains(time), (-century...century).contains(start) else { return nil }
    return MediaTime(microseconds: max(0, time - start))
  }
}

final class FileVideoTrack: FileTrack {
  let index: Int32
  let description: MediaFile.VideoStream
  private let decoder: LibavDecoder
  private let clock: StreamClock
  private let frameDuration: Int64
  private var nextTime = MediaTime.zero

  init?(in container: UnsafeMutablePointer<AVFormatContext>) throws(CodecError) {
    index = ff_best_stream(container, AVMEDIA_TYPE_VIDEO)
    guard let stream = ff_stream(container, index), let parameters = stream.pointee.codecpar else { return nil }
    let name = String(cString: avcodec_get_name(parameters.pointee.codec_id))
    decoder = try LibavDecoder(parameters, name: name)
    clock = StreamClock(stream, in: container)
    let rate = av_guess_frame_rate(container, stream, nil)
    let fps = rate.num > 0 && rate.den > 0 ? Double(rate.num) / Double(rate.den) : 25
    frameDuration = Int64(1_000_000 / min(max(fps, 0.01), 1000))
    description = MediaFile.VideoStream(
      codec: name, width: Int(parameters.pointee.width), height: Int(parameters.pointee.height), frameRate: fps)
  }

  func decode(
    _ packet: UnsafeMutablePointer<AVPacket>?, _ deliver: (MediaFile.Sample, _ duration: Int64) -> Void
  ) throws(CodecError) {
    try decoder.send(packet)
    while let picture = try decoder.receivePicture({ clock.time($0) ?? nextTime }) {
      nextTime = picture.timestamp.advanced(microseconds: frameDuration)
      deliver(.video(picture), frameDuration)
    }
  }

  func restart() {
    decoder.flush()
    nextTime = .zero
  }
}

final class FileAudioTrack: FileTrack {
  let index: Int32
  let description: MediaFile.AudioStream
  private let output: AudioFormat
  private let decoder: LibavDecoder
  private let clock: StreamClock
  private var converter: SampleConverter
  /// The time of the next sample; nil before the first one.
  private var nextTime: MediaTime?

  init?(in container: UnsafeMutablePointer<AVFormatContext>, output: AudioFormat) throws(CodecError) {
    index = ff_best_stream(container, AVMEDIA_TYPE_AUDIO)
    guard let stream = ff_stream(container, index), let parameters = stream.pointee.codecpar else { return nil }
    let name = String(cString: avcodec_get_name(parameters.pointee.codec_id))
    decoder = try LibavDecoder(parameters, name: name)
    clock = StreamClock(stream, in: container)
    self.output = output
    converter = SampleConverter(output: output)
    description = MediaFile.AudioStream(codec: name, sampleRate: Int(parameters.pointee.sample_rate))
  }

  func decode(
    _ packet: UnsafeMutablePointer<AVPacket>?, _ deliver: (MediaFile.Sample, _ duration: Int64) -> Void
  ) throws(CodecError) {
    try decoder.send(packet)
    while let (time, samples) = try decoder.receive({ (frame) throws(CodecError) in
      (clock.time(frame.pointee.best_effort_timestamp), try converter.convert(frame))
    }) { hand(samples, at: time, deliver) }
    if packet == nil { hand(converter.flush(), at: nil, deliver) }
  }

  func restart() {
    decoder.flush()
    converter.restart()
    nextTime = nil
  }

  private func hand(_ samples: [Int16], at time: MediaTime?, _ deliver: (MediaFile.Sample, _ duration: Int64) -> Void) {
    // Containers round their times, so samples are contiguous unless there is a gap.
    var start = nextTime ?? time ?? .zero
    if let time, abs(time - start) > 50_000 { start = max(start, time) }
    let frame = AudioFrame(samples: samples, format: output, timestamp: start)
    nextTime = frame.end
    if !samples.isEmpty { deliver(.audio(frame), frame.duration) }
  }
}
