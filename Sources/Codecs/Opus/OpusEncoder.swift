import COpus

/// What an Opus encoder is asked for. Bitrate, FEC and expected loss can change while encoding.
public struct OpusEncoderSettings: Sendable, Hashable {
  /// What the coder is tuned for.
  public enum Application: Sendable, Hashable { case voice, music }

  /// 1 or 2.
  public var channels: Int
  /// Bits per second, 6 000…510 000.
  public var bitrate: Int
  /// What the coder is tuned for; fixed for an encoder's life.
  public var application: Application
  /// Each packet also carries a coarse copy of the one before it, which a receiver uses after a loss. Takes effect with
  /// ``expectedLoss`` above 0.
  public var forwardErrorCorrection: Bool
  /// Percent of packets expected to be lost, 0…100.
  public var expectedLoss: Int
  /// 0…10: CPU against quality.
  public var complexity: Int

  /// The defaults suit speech; values are checked where the settings are used.
  public init(
    channels: Int = 1, bitrate: Int = 32_000, application: Application = .voice, forwardErrorCorrection: Bool = true,
    expectedLoss: Int = 5, complexity: Int = 5
  ) {
    self.channels = channels
    self.bitrate = bitrate
    self.application = application
    self.forwardErrorCorrection = forwardErrorCorrection
    self.expectedLoss = expectedLoss
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

/// Opus at 48 kHz in packets of 20 ms. One owner at a time.
public final class OpusEncoder {
  /// Samples per channel in a packet of 20 ms.
  public static let frameCount = 960
  /// RFC 6716 §3.4: the largest packet of one frame.
  private static let maximumPacket = 1276

  /// As last set.
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

  /// Takes new settings from the next packet on; channels and application are fixed.
  public func reconfigure(_ settings: OpusEncoderSettings) throws(CodecError) {
    try settings.check()
    guard settings.channels == self.settings.channels, settings.application == self.settings.application else {
      throw .invalidSetting("channels and application of a running Opus encoder cannot change")
    }
    self.settings = settings
    apply(settings)
  }

  /// Compresses 20 ms.
  /// - Parameter samples: exactly ``frameCount`` × channels, interleaved.
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
    return packet
  }

  private func apply(_ settings: OpusEncoderSettings) {
    // All values were checked; these requests cannot fail for them.
    _ = opus_encoder_set(encoder, OPUS_SET_BITRATE_REQUEST, Int32(settings.bitrate))
    _ = opus_encoder_set(encoder, OPUS_SET_COMPLEXITY_REQUEST, Int32(settings.complexity))
    _ = opus_encoder_set(encoder, OPUS_SET_INBAND_FEC_REQUEST, settings.forwardErrorCorrection ? 1 : 0)
    _ = opus_encoder_set(encoder, OPUS_SET_PACKET_LOSS_PERC_REQUEST, Int32(settings.expectedLoss))
  }
}
