import RoomCFFmpeg

/// Writes fragmented MP4 for CMAF and HLS in memory, with libavformat: an initialization section, then fragments as cut by the
/// owner. One owner at a time.
///
/// Times are absolute: each fragment contains its own, so that media after a gap keeps its time.
public final class FragmentedMP4 {
  /// The codec of a track. Samples use MP4 formats: H.264 and HEVC with length prefixes, AAC without ADTS, AV1 as temporal
  /// units, VP9 as superframes.
  public enum Codec: Sendable, Hashable {
    case h264, hevc, av1, vp8, vp9, aac, opus

    /// Whether the pictures themselves configure the decoder.
    var isVPX: Bool { self == .vp8 || self == .vp9 }
  }

  /// A video or audio track.
  public struct Track: Sendable, Hashable {
    public var codec: Codec
    /// The decoder configuration: avcC, hvcC, av1C, vpcC, AudioSpecificConfig or OpusHead.
    public var configuration: [UInt8]
    /// The width in pixels; 0 for audio.
    public var width = 0
    public var height = 0
    /// The sample rate in Hz; 0 for video.
    public var sampleRate = 0
    public var channels = 0

    /// Returns a video track.
    public static func video(_ codec: Codec, configuration: [UInt8], width: Int, height: Int) -> Track {
      Track(codec: codec, configuration: configuration, width: width, height: height)
    }

    /// Returns an audio track.
    public static func audio(_ codec: Codec, configuration: [UInt8], sampleRate: Int, channels: Int) -> Track {
      Track(codec: codec, configuration: configuration, sampleRate: sampleRate, channels: channels)
    }

    /// Time units per second: 90,000 for video, the sample rate for audio.
    public var timescale: Int { sampleRate > 0 ? sampleRate : 90_000 }
  }

  /// One access unit. The unit's times are in units of the track's timescale.
  public struct Sample {
    /// The index of the track.
    public var track: Int
    public var decodingTime: Int64
    /// The composition time offset; never negative.
    public var offset: Int64
    public var duration: Int64
    public var isKeyFrame: Bool

    public init(track: Int, decodingTime: Int64, offset: Int64 = 0, duration: Int64, isKeyFrame: Bool) {
      self.track = track
      self.decodingTime = decodingTime
      self.offset = offset
      self.duration = duration
      self.isKeyFrame = isKeyFrame
    }
  }

  public let tracks: [Track]
  /// The initialization section.
  public private(set) var header: [UInt8] = []
  private var format: UnsafeMutablePointer<AVFormatContext>?
  private var packet: UnsafeMutablePointer<AVPacket>?

  /// - Throws: ``CodecError/unavailable(codec:reason:)`` if libavformat rejects a track or its configuration.
  public init(_ tracks: [Track]) throws(CodecError) {
    Libav.silence()
    self.tracks = tracks
    format = ff_memory_muxer("mp4")
    packet = av_packet_alloc()
    guard let format, packet != nil else { throw .unavailable(codec: "MP4", reason: "libavformat has no MP4 muxer") }
    for track in tracks { try Self.add(track, to: format) }
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    // Absolute times: no edit list, and each fragment follows a discontinuity and contains its own time. The CMAF flag is not
    // set, because it allows presentation before decoding, which libavformat itself misreads.
    av_dict_set(&options, "movflags", "frag_custom+empty_moov+default_base_moof+skip_trailer+frag_discont", 0)
    av_dict_set(&options, "use_editlist", "0", 0)
    av_dict_set(&options, "video_track_timescale", "90000", 0)
    av_dict_set(&options, "fflags", "+bitexact", 0)
    let result = avformat_write_header(format, &options)
    guard result >= 0 else { throw .unavailable(codec: "MP4", reason: Libav.message(result)) }
    format.pointee.avoid_negative_ts = 0
    header = try takeWritten()
  }

  deinit {
    av_packet_free(&packet)
    // No trailer is written, so the muxer's own memory is freed with the context.
    ff_free_memory_muxer(format)
  }

  /// Adds a sample. The sample's decoding time must be later than that of the previous sample on its track.
  public func add(_ sample: Sample, data: some Collection<UInt8>) throws(CodecError) {
    guard let format, let packet, tracks.indices.contains(sample.track), !data.isEmpty, data.count < Int(Int32.max) / 2,
      let stream = ff_stream(format, Int32(sample.track)), av_new_packet(packet, Int32(data.count)) >= 0
    else { throw .corrupt(codec: "MP4", reason: "\(data.count) bytes in one sample") }
    defer { av_packet_unref(packet) }
    if let target = packet.pointee.data {
      _ = UnsafeMutableRawBufferPointer(start: target, count: data.count).initializeMemory(as: UInt8.self, from: data)
    }
    let unit = AVRational(num: 1, den: Int32(clamping: tracks[sample.track].timescale))
    let base = stream.pointee.time_base
    packet.pointee.stream_index = Int32(sample.track)
    packet.pointee.dts = av_rescale_q(sample.decodingTime, unit, base)
    packet.pointee.pts = av_rescale_q(sample.decodingTime + max(0, sample.offset), unit, base)
    packet.pointee.duration = av_rescale_q(sample.duration, unit, base)
    packet.pointee.flags = sample.isKeyFrame ? AV_PKT_FLAG_KEY : 0
    let result = av_write_frame(format, packet)
    guard result >= 0 else { throw .corrupt(codec: "MP4", reason: Libav.message(result)) }
  }

  /// Returns all samples since the last fragment as one fragment; empty if there are none.
  public func takeFragment() throws(CodecError) -> [UInt8] {
    guard let format else { return [] }
    let result = av_write_frame(format, nil)
    guard result >= 0 else { throw .corrupt(codec: "MP4", reason: Libav.message(result)) }
    // Must be set again for each fragment.
    av_opt_set(format.pointee.priv_data, "movflags", "+frag_discont", 0)
    return try takeWritten()
  }

  private func takeWritten() throws(CodecError) -> [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = ff_take_written(format, &bytes)
    defer { av_free(bytes) }
    guard count >= 0 else { throw .corrupt(codec: "MP4", reason: Libav.message(count)) }
    return Array(UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(count)))
  }

  private static func add(_ track: Track, to format: UnsafeMutablePointer<AVFormatContext>) throws(CodecError) {
    // The muxer makes vpcC itself, of the format of the pixels.
    let extradata = track.codec.isVPX ? [] : track.configuration
    guard let stream = avformat_new_stream(format, nil), let parameters = stream.pointee.codecpar,
      ff_set_stream_extradata(parameters, extradata, Int32(clamping: extradata.count)) >= 0
    else { throw .unavailable(codec: "MP4", reason: "no memory") }
    switch track.codec {
    case .h264: parameters.pointee.codec_id = AV_CODEC_ID_H264
    case .hevc:
      parameters.pointee.codec_id = AV_CODEC_ID_HEVC
      // Apple's players accept only this tag.
      parameters.pointee.codec_tag = ff_tag(0x68, 0x76, 0x63, 0x31)
    case .av1: parameters.pointee.codec_id = AV_CODEC_ID_AV1
    case .vp8: parameters.pointee.codec_id = AV_CODEC_ID_VP8
    case .vp9: parameters.pointee.codec_id = AV_CODEC_ID_VP9
    case .aac: parameters.pointee.codec_id = AV_CODEC_ID_AAC
    case .opus: parameters.pointee.codec_id = AV_CODEC_ID_OPUS
    }
    if track.sampleRate > 0 {
      parameters.pointee.codec_type = AVMEDIA_TYPE_AUDIO
      parameters.pointee.sample_rate = Int32(clamping: track.sampleRate)
      parameters.pointee.frame_size = track.codec == .aac ? 1024 : 0
      ff_set_stream_channels(parameters, Int32(clamping: track.channels))
    } else {
      parameters.pointee.codec_type = AVMEDIA_TYPE_VIDEO
      parameters.pointee.width = Int32(clamping: track.width)
      parameters.pointee.height = Int32(clamping: track.height)
      if track.codec.isVPX, track.configuration.count >= 7 {
        parameters.pointee.profile = Int32(track.configuration[4])
        parameters.pointee.format = Self.pixelFormat(
          depth: track.configuration[6] >> 4, chroma: track.configuration[6] >> 1 & 7)
      }
    }
    stream.pointee.time_base = AVRational(num: 1, den: Int32(clamping: track.timescale))
  }

  /// Returns the format of the pixels that `vpcC` states.
  private static func pixelFormat(depth: UInt8, chroma: UInt8) -> Int32 {
    let formats =
      switch depth {
      case 10: [AV_PIX_FMT_YUV420P10LE, AV_PIX_FMT_YUV422P10LE, AV_PIX_FMT_YUV444P10LE]
      case 12: [AV_PIX_FMT_YUV420P12LE, AV_PIX_FMT_YUV422P12LE, AV_PIX_FMT_YUV444P12LE]
      default: [AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV444P]
      }
    return formats[chroma == 2 ? 1 : chroma == 3 ? 2 : 0].rawValue
  }

  /// Returns the picture size from a decoder configuration; nil if it has none.
  public static func pictureSize(_ codec: Codec, configuration: [UInt8]) -> (width: Int, height: Int)? {
    let id =
      switch codec {
      case .h264: AV_CODEC_ID_H264
      case .hevc: AV_CODEC_ID_HEVC
      case .av1: AV_CODEC_ID_AV1
      case .vp8, .vp9, .aac, .opus: AV_CODEC_ID_NONE
      }
    Libav.silence()
    guard id != AV_CODEC_ID_NONE, configuration.count < 1 << 20, let context = ff_decoder(id) else { return nil }
    var closing: UnsafeMutablePointer<AVCodecContext>? = context
    defer { avcodec_free_context(&closing) }
    context.pointee.thread_count = 1
    guard ff_set_extradata(context, configuration, Int32(configuration.count)) >= 0, ff_open(context) >= 0,
      context.pointee.width > 0, context.pointee.height > 0
    else { return nil }
    return (Int(context.pointee.width), Int(context.pointee.height))
  }
}
