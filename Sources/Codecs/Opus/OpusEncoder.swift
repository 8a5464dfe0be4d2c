import RoomCOpus

/// The settings of an Opus encoder. Everything except channels and application can change while encoding.
public struct OpusEncoderSettings: Sendable, Hashable {
  /// The kind of audio that the encoder is optimized for.
  public enum Application: Sendable, Hashable { case voice, music }

  /// The number of channels: 1 or 2.
  public var channels: Int
  /// The bitrate in bps, 6 000…510 000.
  public var bitrate: Int
  /// The kind of audio that the encoder is optimized for; fixed for its lifetime.
  public var application: Application
  /// Whether each packet also contains a coarse copy of the previous one, for use after a loss. Requires ``expectedLoss`` above
  /// 0.
  public var forwardErrorCorrection: Bool
  /// The expected packet loss in percent, 0…100.
  public var expectedLoss: Int
  /// Whether silence is not sent (DTX): its packets are empty except for one each 0.4 s.
  public var discontinuousTransmission: Bool
  /// The complexity, 0…10: higher values use more CPU for better quality.
  public var complexity: Int

  /// Creates settings. The defaults suit speech. Values are validated on use.
  public init(
    channels: Int = 1, bitrate: Int = 32_000, application: Application = .voice, forwardErrorCorrection: Bool = true,
    expectedLoss: Int = 5, discontinuousTransmission: Bool = false, complexity: Int = 5
  ) {
    self.channels = channels
    self.bitrate = bitrate
    self.application = application
    self.forwardErrorCorrection = forwardErrorCorrection
    self.expectedLoss = expectedLoss
    self.discontinuousTransmission = discontinuousTransmission
    self.complexity = complexity
  }

  func check() throws(CodecError) {
    guard (1...2).contains(channels) else { throw .invalidSetting("channels must be 1 or 2, not \(channels)") }
    guard (6_000...510_000).contains(bitrate) else {
      throw .invalidSetting("bitrate must be 6 000…510 000 bit/s, not \(bitrate)")
    }
    guard (0...100).contains(expectedLoss) else { throw .invalidSetting("expectedLoss must be 0…100, not \(expectedLoss)") }
    guard (0...10).contains(complexity) else { throw .invalidSetting("complexity must be 0…10, not \(complexity)") }
  }
}

/// Encodes Opus at 48 kHz in packets of 20 ms. One owner at a time.
public final class OpusEncoder {
  /// The number of samples per channel in a packet of 20 ms.
  public static let frameCount = 960
  /// The maximum packet size of one frame in bytes (RFC 6716 §3.4).
  private static let maximumPacket = 1276

  /// The current settings.
  public private(set) var settings: OpusEncoderSettings
  private let encoder: OpaquePointer

  /// - Throws: ``CodecError/invalidSetting(_:)``
  public init(_ settings: OpusEncoderSettings = .init()) throws(CodecError) {
    try settings.check()
    var error: Int32 = 0
    let application = settings.application == .voice ? OPUS_APPLICATION_VOIP : OPUS_APPLICATION_AUDIO
    guard let encoder = opus_encoder_create(48_000, Int32(settings.channels), application, &error) else {
      throw .unavailable(codec: "Opus", reason: String(cString: opus_strerror(error)))
    }
    self.encoder = encoder
    self.settings = settings
    apply(settings)
  }

  deinit { opus_encoder_destroy(encoder) }

  /// Changes the settings from the next packet on. Channels and application are fixed.
  public func reconfigure(_ settings: OpusEncoderSettings) throws(CodecError) {
    try settings.check()
    guard settings.channels == self.settings.channels, settings.application == self.settings.application else {
      throw .invalidSetting("channels and application of a running Opus encoder cannot change")
    }
    self.settings = settings
    apply(settings)
  }

  /// Encodes 20 ms of audio.
  /// - Parameter samples: Exactly ``frameCount`` × channels samples, interleaved.
  /// - Returns: the packet; empty if discontinuous transmission has nothing to send.
  public func encode(_ samples: [Int16]) throws(CodecError) -> [UInt8] {
    let needed = Self.frameCount * settings.channels
    guard samples.count == needed else { throw .shortBuffer(needed: needed * 2, got: samples.count * 2) }
    var result: Int32 = 0
    let packet = [UInt8](unsafeUninitializedCapacity: Self.maximumPacket) { buffer, initialized in
      guard let target = buffer.baseAddress else { return }
      result = opus_encode(encoder, samples, Int32(Self.frameCount), target, Int32(buffer.count))
      initialized = max(0, Int(result))
    }
    guard result > 0 else { throw .encodingFailed(codec: "Opus", reason: String(cString: opus_strerror(result))) }
    // Such a packet contains no sound, and need not be sent (opus_encoder.h, OPUS_SET_DTX).
    return settings.discontinuousTransmission && packet.count <= 2 ? [] : packet
  }

  private func apply(_ settings: OpusEncoderSettings) {
    // All values are validated, so these requests cannot fail.
    _ = opus_encoder_set(encoder, OPUS_SET_BITRATE_REQUEST, Int32(settings.bitrate))
    _ = opus_encoder_set(encoder, OPUS_SET_COMPLEXITY_REQUEST, Int32(settings.complexity))
    _ = opus_encoder_set(encoder, OPUS_SET_INBAND_FEC_REQUEST, settings.forwardErrorCorrection ? 1 : 0)
    _ = opus_encoder_set(encoder, OPUS_SET_PACKET_LOSS_PERC_REQUEST, Int32(settings.expectedLoss))
    _ = opus_encoder_set(encoder, OPUS_SET_DTX_REQUEST, settings.discontinuousTransmission ? 1 : 0)
  }
}
