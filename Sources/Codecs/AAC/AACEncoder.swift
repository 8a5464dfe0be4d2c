import RoomCFFmpeg

/// The settings of an AAC encoder.
public struct AACEncoderSettings: Sendable, Hashable {
  /// The format: 8 000…96 000 Hz at one of AAC's rates, 1 or 2 channels.
  public var format: AudioFormat
  /// The bitrate in bps, 16 000…512 000.
  public var bitrate: Int

  /// Creates settings. The defaults are accepted by streaming services.
  public init(format: AudioFormat = AudioFormat(sampleRate: 44_100, channels: 2), bitrate: Int = 128_000) {
    self.format = format
    self.bitrate = bitrate
  }

  /// The bitrate in bps per channel from which libavcodec's fast coder is within 3 dB of its thorough one, at half the cost.
  static let fastCoderBitrate = 48_000

  /// The sample rates of ISO/IEC 14496-3 table 1.18.
  static let sampleRates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000]

  private static let bitrates = 16_000...512_000

  /// Returns the nearest bitrate that is valid.
  static func valid(_ bitrate: Int) -> Int { min(max(bitrate, bitrates.lowerBound), bitrates.upperBound) }

  func check() throws(CodecError) {
    guard Self.sampleRates.contains(format.sampleRate) else {
      throw .invalidSetting("AAC does not support a sample rate of \(format.sampleRate) Hz")
    }
    guard (1...2).contains(format.channels) else { throw .invalidSetting("channels must be 1 or 2, not \(format.channels)") }
    guard Self.bitrates.contains(bitrate) else {
      throw .invalidSetting("bitrate must be 16 000…512 000 bit/s, not \(bitrate)")
    }
  }
}

/// Encodes AAC-LC in raw frames of 1024 samples with libavcodec. One owner at a time.
///
/// The encoder looks ahead by one frame: the first call returns nothing, and each later one returns the previous frame. A
/// decoder outputs ``delay`` extra samples before the first encoded one.
public final class AACEncoder {
  /// The number of samples per channel in a frame (ISO/IEC 14496-3 §4.5.2.1).
  public static let frameCount = 1024

  /// The current settings.
  public private(set) var settings: AACEncoderSettings
  /// The AudioSpecificConfig (ISO/IEC 14496-3 §1.6.2.1) for RTMP and MP4.
  public let audioSpecificConfig: [UInt8]
  /// The number of samples that a decoder outputs before the first encoded one.
  public let delay: Int
  private var context: UnsafeMutablePointer<AVCodecContext>?
  private var packet: UnsafeMutablePointer<AVPacket>?
  private var frame: UnsafeMutablePointer<AVFrame>?
  private var nextTime: Int64 = 0

  /// - Throws: ``CodecError/invalidSetting(_:)``, ``CodecError/unavailable(codec:reason:)``
  public init(_ settings: AACEncoderSettings = .init()) throws(CodecError) {
    try settings.check()
    Libav.silence()
    var context = ff_audio_encoder(
      AV_CODEC_ID_AAC, AV_SAMPLE_FMT_FLTP, Int32(settings.format.sampleRate), Int32(settings.format.channels),
      Int64(settings.bitrate))
    guard let opening = context else { throw .unavailable(codec: "AAC", reason: "libavcodec has no AAC encoder") }
    // Raw frames: the configuration is separate from them.
    opening.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
    opening.pointee.thread_count = 1
    if settings.bitrate >= AACEncoderSettings.fastCoderBitrate * settings.format.channels {
      av_opt_set(opening.pointee.priv_data, "aac_coder", "fast", 0)
    }
    let result = ff_open(opening)
    guard result >= 0, let extradata = opening.pointee.extradata, opening.pointee.extradata_size >= 2 else {
      avcodec_free_context(&context)
      throw .unavailable(codec: "AAC", reason: Libav.message(result))
    }
    self.settings = settings
    // After the two bytes libavcodec adds an extension that AAC-LC does not need.
    audioSpecificConfig = [extradata[0], extradata[1]]
    delay = Int(opening.pointee.initial_padding)
    self.context = context
    packet = av_packet_alloc()
    frame = av_frame_alloc()
  }

  deinit {
    av_frame_free(&frame)
    av_packet_free(&packet)
    avcodec_free_context(&context)
  }

  /// Sets the bitrate in bps from the next frame on, 16 000…512 000, within the same stream. The encoder keeps its initial
  /// bandwidth.
  public func setBitrate(_ bitrate: Int) {
    settings.bitrate = AACEncoderSettings.valid(bitrate)
    context?.pointee.bit_rate = Int64(settings.bitrate)
  }

  /// Encodes one frame. Returns the previous frame; nil on the first call.
  /// - Parameter samples: Exactly ``frameCount`` × channels samples, interleaved.
  public func encode(_ samples: [Int16]) throws(CodecError) -> [UInt8]? {
    let channels = settings.format.channels
    let needed = Self.frameCount * channels
    guard samples.count == needed else { throw .shortBuffer(needed: needed * 2, got: samples.count * 2) }
    guard let context, let frame, ff_audio_frame(frame, context, Int32(Self.frameCount)) >= 0 else {
      throw .encodingFailed(codec: "AAC", reason: "no memory")
    }
    defer { av_frame_unref(frame) }
    for channel in 0..<channels {
      guard let plane = frame.pointee.extended_data[channel] else { continue }
      UnsafeMutableRawPointer(plane).withMemoryRebound(to: Float.self, capacity: Self.frameCount) { target in
        for index in 0..<Self.frameCount { target[index] = Float(samples[index * channels + channel]) / 32_768 }
      }
    }
    frame.pointee.pts = nextTime
    nextTime += Int64(Self.frameCount)
    return try exchange(context, frame)
  }

  private func exchange(
    _ context: UnsafeMutablePointer<AVCodecContext>, _ frame: UnsafeMutablePointer<AVFrame>
  ) throws(CodecError) -> [UInt8]? {
    let sent = avcodec_send_frame(context, frame)
    guard sent >= 0 else { throw .encodingFailed(codec: "AAC", reason: Libav.message(sent)) }
    guard let packet else { return nil }
    let received = avcodec_receive_packet(context, packet)
    if received == averror_again { return nil }
    guard received >= 0 else { throw .encodingFailed(codec: "AAC", reason: Libav.message(received)) }
    defer { av_packet_unref(packet) }
    return [UInt8](UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
  }
}
