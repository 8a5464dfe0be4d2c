import RoomCFFmpeg
import RoomCYUV

/// Encodes H.264 on a device by VAAPI, with `h264_vaapi` of libavcodec: no B-frames, one picture of delay at most.
///
/// The output is Annex B. Key frames are IDR pictures with SPS and PPS.
public final class VAAPIEncoder: VideoEncoder {
  /// The current settings.
  public private(set) var settings: VideoEncoderSettings
  /// The profile; fixed for the encoder's lifetime.
  public let profile: H264Encoder.Profile
  /// The path of the device.
  public let device: String
  private var session: VAAPISession
  private var clock = EncodingClock()
  /// The settings with which the session was opened.
  private var opened: VideoEncoderSettings

  /// - Parameter device: A path such as `/dev/dri/renderD128`.
  /// - Throws: ``CodecError/invalidSetting(_:)``, ``CodecError/unsupportedSize(width:height:)``,
  ///   ``CodecError/unavailable(codec:reason:)`` without the device, its driver, or the profile.
  public init(
    _ settings: VideoEncoderSettings, profile: H264Encoder.Profile = .baseline, device: String
  ) throws(CodecError) {
    try settings.check()
    self.settings = settings
    self.profile = profile
    self.device = device
    opened = settings
    session = try VAAPISession(settings, profile: profile, device: device)
  }

  /// What encodes the pictures.
  public var kind: EncoderKind { .hardware(device: device) }

  /// Changes the settings. libavcodec sets size, rate and bitrate when it opens an encoder, so their change restarts the stream
  /// with a key frame. A bitrate that grows by less than a quarter, or falls by less than a tenth, is ignored.
  public func reconfigure(_ settings: VideoEncoderSettings) throws(CodecError) {
    try settings.check()
    let isSameStream =
      settings.width == opened.width && settings.height == opened.height && settings.fps == opened.fps
      && settings.bitrate * 4 < opened.bitrate * 5 && settings.bitrate * 10 > opened.bitrate * 9
    if !isSameStream {
      session = try VAAPISession(settings, profile: profile, device: device)
      opened = settings
      clock.restart()
    }
    self.settings = settings
  }

  /// Encodes one picture.
  public func encode(_ frame: VideoFrame, forceKeyFrame: Bool = false) throws(CodecError) -> EncodedPicture? {
    let (time, keyFrame) = clock.advance(
      to: frame.timestamp, interval: settings.keyFrameInterval, forced: forceKeyFrame)
    let source = try frame.scaled(width: settings.width, height: settings.height)
    guard let output = try session.encode(source, time: time, isKeyFrame: keyFrame) else { return nil }
    clock.encoded(isKeyFrame: output.isKeyFrame)
    return EncodedPicture(data: output.data, timestamp: frame.timestamp, isKeyFrame: output.isKeyFrame)
  }
}

/// An open encoder of libavcodec on a device, with the device's pictures.
private final class VAAPISession {
  private static let name = "H.264 by VAAPI"

  private var device: UnsafeMutablePointer<AVBufferRef>?
  private var context: UnsafeMutablePointer<AVCodecContext>?
  private var packet = av_packet_alloc()
  private var picture = av_frame_alloc()
  private var uploaded = av_frame_alloc()

  init(_ settings: VideoEncoderSettings, profile: H264Encoder.Profile, device path: String) throws(CodecError) {
    Libav.silence()
    try Self.check(av_hwdevice_ctx_create(&device, AV_HWDEVICE_TYPE_VAAPI, path, nil, 0), path)
    guard let device, let context = ff_encoder_by_name("h264_vaapi"), packet != nil, uploaded != nil, let picture else {
      throw .unavailable(codec: Self.name, reason: "libavcodec has no h264_vaapi")
    }
    self.context = context
    context.pointee.width = Int32(settings.width)
    context.pointee.height = Int32(settings.height)
    context.pointee.time_base = AVRational(num: 1, den: 1_000_000)
    context.pointee.framerate = AVRational(num: Int32(settings.fps), den: 1)
    context.pointee.pix_fmt = AV_PIX_FMT_VAAPI
    context.pointee.max_b_frames = 0
    // EncodingClock places key frames, so that the interval can change at any time.
    context.pointee.gop_size = Int32.max / 2
    context.pointee.bit_rate = Int64(settings.bitrate)
    context.pointee.rc_max_rate = Int64(settings.bitrate)
    // 0.6 s, as the software encoder's buffer.
    context.pointee.rc_buffer_size = Int32(clamping: settings.bitrate / 10 * 6)
    context.pointee.profile =
      switch profile {
      case .baseline: FF_PROFILE_H264_CONSTRAINED_BASELINE
      case .main: FF_PROFILE_H264_MAIN
      case .high: FF_PROFILE_H264_HIGH
      }
    context.pointee.color_range = AVCOL_RANGE_MPEG
    context.pointee.colorspace = AVCOL_SPC_SMPTE170M
    // Returns each picture at once.
    av_opt_set_int(context.pointee.priv_data, "async_depth", 1, 0)
    try Self.check(ff_use_device_frames(context, device, AV_PIX_FMT_VAAPI, AV_PIX_FMT_NV12), path)
    try Self.check(ff_open(context), path)
    picture.pointee.format = AV_PIX_FMT_NV12.rawValue
    picture.pointee.width = Int32(settings.width)
    picture.pointee.height = Int32(settings.height)
    try Self.check(av_frame_get_buffer(picture, 0), path)
  }

  deinit {
    av_frame_free(&uploaded)
    av_frame_free(&picture)
    av_packet_free(&packet)
    avcodec_free_context(&context)
    av_buffer_unref(&device)
  }

  func encode(
    _ source: VideoFrame, time: Int64, isKeyFrame: Bool
  ) throws(CodecError) -> (data: [UInt8], isKeyFrame: Bool)? {
    guard let context, let packet, let picture, let uploaded else { return nil }
    defer { av_frame_unref(uploaded) }
    try check(av_frame_make_writable(picture))
    source.withPlanes { planes in
      _ = I420ToNV12(
        planes.y, Int32(planes.yStride), planes.u, Int32(planes.chromaStride), planes.v, Int32(planes.chromaStride),
        picture.pointee.data.0, picture.pointee.linesize.0, picture.pointee.data.1, picture.pointee.linesize.1,
        Int32(planes.width), Int32(planes.height))
    }
    try check(av_hwframe_get_buffer(context.pointee.hw_frames_ctx, uploaded, 0))
    try check(av_hwframe_transfer_data(uploaded, picture, 0))
    uploaded.pointee.pts = time
    uploaded.pointee.pict_type = isKeyFrame ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
    try check(avcodec_send_frame(context, uploaded))
    let result = avcodec_receive_packet(context, packet)
    if result == averror_again { return nil }
    try check(result)
    defer { av_packet_unref(packet) }
    let data = [UInt8](UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
    return (data, packet.pointee.flags & AV_PKT_FLAG_KEY != 0)
  }

  private func check(_ result: Int32) throws(CodecError) {
    guard result >= 0 else { throw .encodingFailed(codec: Self.name, reason: Libav.message(result)) }
  }

  private static func check(_ result: Int32, _ device: String) throws(CodecError) {
    guard result >= 0 else { throw .unavailable(codec: name, reason: "\(device): \(Libav.message(result))") }
  }
}
