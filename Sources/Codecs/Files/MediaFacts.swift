import RoomCFFmpeg

/// What a media file contains, read without decoding it.
public struct MediaFacts: Sendable, Hashable, Codable {
  /// The duration in ms; nil if the file does not give it.
  public var duration: Int64?
  /// FFmpeg's name of the video codec, "h264"; nil without video.
  public var videoCodec: String?
  /// The size of the first picture in pixels; nil without video.
  public var width: Int?
  public var height: Int?
  /// FFmpeg's name of the audio codec, "aac"; nil without audio.
  public var audioCodec: String?

  /// Creates facts of a file without audio and video.
  public init() {}

  /// Reads the facts of a file. The file may still be growing, or be cut.
  /// - Returns: nil if the file has neither audio nor video, or can't be read.
  public init?(path: String) {
    Libav.silence()
    var container: UnsafeMutablePointer<AVFormatContext>?
    guard avformat_open_input(&container, path, nil, nil) >= 0, let container else { return nil }
    defer {
      var closing: UnsafeMutablePointer<AVFormatContext>? = container
      avformat_close_input(&closing)
    }
    guard avformat_find_stream_info(container, nil) >= 0 else { return nil }
    if let video = Self.parameters(of: AVMEDIA_TYPE_VIDEO, in: container) {
      videoCodec = String(cString: avcodec_get_name(video.codec_id))
      if video.width > 0, video.height > 0 { (width, height) = (Int(video.width), Int(video.height)) }
    }
    if let audio = Self.parameters(of: AVMEDIA_TYPE_AUDIO, in: container) {
      audioCodec = String(cString: avcodec_get_name(audio.codec_id))
    }
    guard videoCodec != nil || audioCodec != nil else { return nil }
    let length = container.pointee.duration
    if length != av_no_pts, length >= 0 { duration = length / 1000 }
  }

  private static func parameters(
    of type: AVMediaType, in container: UnsafeMutablePointer<AVFormatContext>
  ) -> AVCodecParameters? {
    ff_stream(container, ff_best_stream(container, type))?.pointee.codecpar?.pointee
  }
}
