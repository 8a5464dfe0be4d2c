import RoomCFFmpeg
import RoomRTP

/// Reads any file that libavformat supports, as I420 pictures and PCM. One owner at a time.
///
/// Samples are returned in file order, so that neither stream runs far ahead. Corrupt packets are skipped and counted.
public final class MediaFile {
  /// The file's best video stream.
  public struct VideoStream: Sendable, Hashable {
    /// FFmpeg's name of the codec: "h264", "vp9".
    public let codec: String
    /// The width in pixels, from the container.
    public let width: Int
    /// The height in pixels, from the container.
    public let height: Int
    /// The frame rate in frames per second; 25 if the container has none.
    public let frameRate: Double
  }

  /// The file's best audio stream.
  public struct AudioStream: Sendable, Hashable {
    /// FFmpeg's name of the codec: "aac", "opus".
    public let codec: String
    /// The sample rate in the file in Hz. Samples are returned in the requested format.
    public let sampleRate: Int
  }

  /// A picture, or a block of PCM. Times start at the beginning of the file and keep increasing when it loops.
  public enum Sample: Sendable {
    case video(VideoFrame)
    case audio(AudioFrame)
  }

  /// The path of the file.
  public let path: String
  /// The video stream; nil if the file has none.
  public let video: VideoStream?
  /// The audio stream; nil if the file has none.
  public let audio: AudioStream?
  /// The format of the returned audio.
  public let audioFormat: AudioFormat
  /// Whether the file restarts at its end.
  public let loops: Bool
  /// The number of packets that could not be decoded.
  public private(set) var brokenPackets = 0

  private var container: UnsafeMutablePointer<AVFormatContext>?
  private var packet: UnsafeMutablePointer<AVPacket>?
  private var videoTrack: FileVideoTrack?
  private var audioTrack: FileAudioTrack?
  private var ready: [Sample] = []
  /// The start time of the current pass.
  private var passStart = MediaTime.zero
  /// The end time of the latest sample.
  private var end = MediaTime.zero
  private var samplesInPass = 0
  private var isAtEnd = false

  /// - Throws: ``CodecError/file(path:reason:)`` if the file cannot be read, or has neither audio nor video that can be
  ///   decoded.
  public init(path: String, audioFormat: AudioFormat = .mono48k, loops: Bool = false) throws(CodecError) {
    Libav.silence()
    try audioFormat.check()
    self.path = path
    self.audioFormat = audioFormat
    self.loops = loops
    var container: UnsafeMutablePointer<AVFormatContext>?
    let opened = avformat_open_input(&container, path, nil, nil)
    guard opened >= 0, let container else { throw .file(path: path, reason: Libav.message(opened)) }
    var found: (FileVideoTrack?, FileAudioTrack?)
    do throws(CodecError) {
      let result = avformat_find_stream_info(container, nil)
      guard result >= 0 else { throw .file(path: path, reason: Libav.message(result)) }
      found.0 = try FileVideoTrack(in: container)
      found.1 = try FileAudioTrack(in: container, output: audioFormat)
      guard found.0 != nil || found.1 != nil else {
        throw .file(path: path, reason: "the file has neither audio nor video")
      }
    } catch {
      var closing: UnsafeMutablePointer<AVFormatContext>? = container
      avformat_close_input(&closing)
      throw error
    }
    self.container = container
    (videoTrack, audioTrack) = found
    video = found.0?.description
    audio = found.1?.description
    packet = av_packet_alloc()
  }

  deinit {
    av_packet_free(&packet)
    avformat_close_input(&container)
  }

  /// Returns the next picture or PCM block; nil at the end, unless the file loops.
  public func next() throws(CodecError) -> Sample? {
    while ready.isEmpty {
      if isAtEnd {
        // A pass without samples would loop forever.
        guard loops, samplesInPass > 0 else { return nil }
        try rewind()
      }
      try readPacket()
    }
    let sample = ready.removeFirst()
    samplesInPass += 1
    return sample
  }

  private func readPacket() throws(CodecError) {
    guard let container, let packet else { return }
    let result = av_read_frame(container, packet)
    guard result >= 0 else {
      // Data after a read error cannot be reached: treat it as the end of the file.
      isAtEnd = true
      feed(videoTrack, nil)
      feed(audioTrack, nil)
      return
    }
    defer { av_packet_unref(packet) }
    if packet.pointee.stream_index == videoTrack?.index { feed(videoTrack, packet) }
    if packet.pointee.stream_index == audioTrack?.index { feed(audioTrack, packet) }
  }

  private func feed(_ track: (any FileTrack)?, _ packet: UnsafeMutablePointer<AVPacket>?) {
    guard let track else { return }
    do throws(CodecError) {
      try track.decode(packet) { sample, duration in
        let (shifted, start) = shift(sample)
        end = max(end, start.advanced(microseconds: duration))
        ready.append(shifted)
      }
    } catch {
      brokenPackets += 1
    }
  }

  private func shift(_ sample: Sample) -> (Sample, MediaTime) {
    switch sample {
    case .video(var frame):
      frame.timestamp = frame.timestamp.advanced(microseconds: passStart - .zero)
      return (.video(frame), frame.timestamp)
    case .audio(var frame):
      frame.timestamp = frame.timestamp.advanced(microseconds: passStart - .zero)
      return (.audio(frame), frame.timestamp)
    }
  }

  private func rewind() throws(CodecError) {
    let start = container?.pointee.start_time ?? av_no_pts
    let result = av_seek_frame(container, -1, start == av_no_pts ? 0 : start, AVSEEK_FLAG_BACKWARD)
    guard result >= 0 else { throw .file(path: path, reason: "cannot restart: \(Libav.message(result))") }
    videoTrack?.restart()
    audioTrack?.restart()
    passStart = end
    samplesInPass = 0
    isAtEnd = false
  }
}
