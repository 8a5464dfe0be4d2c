import RoomCOpus

/// Decodes Opus to PCM at 48 kHz and conceals lost packets. Accepts any input. One owner at a time.
public final class OpusDecoder {
  /// The longest packet, 120 ms (RFC 6716 §2.1.4), in samples per channel.
  public static let maximumFrameCount = 5760

  /// The number of channels: 1 or 2. Packets with another number are mixed down or duplicated.
  public let channels: Int
  private let decoder: OpaquePointer

  /// - Parameter channels: 1 or 2.
  public init(channels: Int = 1) throws(CodecError) {
    guard (1...2).contains(channels) else { throw .invalidSetting("channels must be 1 or 2, not \(channels)") }
    var error: Int32 = 0
    guard let decoder = opus_decoder_create(48_000, Int32(channels), &error) else {
      throw .unavailable(codec: "Opus", reason: String(cString: opus_strerror(error)))
    }
    self.decoder = decoder
    self.channels = channels
  }

  deinit { opus_decoder_destroy(decoder) }

  /// Returns the samples of a packet, interleaved.
  public func decode(_ packet: [UInt8]) throws(CodecError) -> [Int16] {
    guard !packet.isEmpty else { throw .corrupt(codec: "Opus", reason: "an empty packet") }
    return try run(packet, frameCount: Self.maximumFrameCount, fec: false)
  }

  /// Conceals a lost packet from the audio before it.
  /// - Parameter frameCount: The number of samples per channel, 120…5760 in steps of 2.5 ms (120); clamped to that.
  public func conceal(frameCount: Int = OpusEncoder.frameCount) throws(CodecError) -> [Int16] {
    try run(nil, frameCount: Self.whole(frameCount), fec: false)
  }

  /// Recovers a lost packet from the copy in the next one, or conceals it if there is no copy.
  /// - Parameters:
  ///   - next: The packet after the lost one. The packet must still be decoded afterwards.
  ///   - frameCount: The number of samples per channel of the lost packet, 120…5760 in steps of 120; clamped to that.
  public func recover(from next: [UInt8], frameCount: Int = OpusEncoder.frameCount) throws(CodecError) -> [Int16] {
    guard !next.isEmpty else { return try conceal(frameCount: frameCount) }
    return try run(next, frameCount: Self.whole(frameCount), fec: true)
  }

  private static func whole(_ frameCount: Int) -> Int { min(max(frameCount / 120, 1), 48) * 120 }

  private func run(_ packet: [UInt8]?, frameCount: Int, fec: Bool) throws(CodecError) -> [Int16] {
    var result: Int32 = 0
    let samples = [Int16](unsafeUninitializedCapacity: frameCount * channels) { buffer, initialized in
      func decode(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
        guard let target = buffer.baseAddress else { return OPUS_ALLOC_FAIL }
        return opus_decode(decoder, bytes, Int32(clamping: count), target, Int32(frameCount), fec ? 1 : 0)
      }
      result = packet.map { packet in packet.withUnsafeBufferPointer { decode($0.baseAddress, $0.count) } } ?? decode(nil, 0)
      initialized = max(0, Int(result)) * channels
    }
    guard result >= 0 else { throw .corrupt(codec: "Opus", reason: String(cString: opus_strerror(result))) }
    return samples
  }
}
