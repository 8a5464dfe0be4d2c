import CFFmpeg
import RTP

/// Reads any file that libavformat knows, as I420 pictures and PCM. One owner at a time.
///
/// Samples come in the file's order, so that neither stream runs far ahead. Broken packets are skipped and counted.
public final class MediaFile {
  /// The file's best video stream.
  public struct VideoStream: Sendable, Hashable {
    /// FFmpeg's name: "h264", "vp9".
    public let codec: String
    /// Pixels, as the container says.
    public let width: Int
    /// Pixels, as the container says.
    public let height: Int
    /// Frames per second; 25 where the container does not say.
    public let frameRate: Double
  }

  /// The file's best audio stream.
  public struct AudioStream: Sendable, Hashable {
    /// FFmpeg's name: "aac", "opus".
    public let codec: String
    /// In the file; the samples come in the format asked for.
    public let sampleRate: Int
  }

  /// One picture, or a run of PCM. Times count from the file's beginning and go on rising over loops.
  public enum Sample: Sendable {
    case video(VideoFrame)
    case audio(AudioFrame)
  }

  /// As given.
  public let path: String
  /// Nil where the file has none.
  public let video: VideoStream?
  /// Nil where the file has none.
  public let audio: AudioStream?
  /// What the audio is turned into.
  public let audioFormat: AudioFormat
  /// Starts again at the end.
  public let loops: Bool
  /// Packets that could not be decoded so far.
  public private(set) var brokenPackets = 0

  private var container: UnsafeMutablePointer<AVFormatContext>?
  private var packet: UnsafeMutablePointer<AVPacket>?
  private var videoTrack: FileVideoTrack?
  private var audioTrack: FileAudioTrack?
  private var ready: [Sample] = []
  /// Where this pass begins.
  private var passStart = MediaTime.zero
  /// Where the latest sample ends.
  private var end = MediaTime.zero
  private var samplesInPass = 0
  private var isAtEnd = false

  /// - Throws: ``CodecError/file(path:reason:)`` if it cannot be read or holds neither audio nor video that can be decoded.
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
        throw .file(path: path, reason: "it holds neither audio nor video")
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

  /// The next picture or PCM; nil at the end, unless the file loops.
  public func next() throws(CodecError) -> Sample? {
    while ready.isEmpty {
      if isAtEnd {
        // A pass without a single sample would loop for ever.
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
      // What lies behind a read error cannot be reached: an end like any other.
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
    guard result >= 0 else { throw .file(path: path, reason: "cannot start again: \(Libav.message(result))") }
    videoTrack?.restart()
    audioTrack?.restart()
    passStart = end
    samplesInPass = 0
    isAtEnd = false
  }
}
