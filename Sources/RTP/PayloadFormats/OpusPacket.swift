/// What an Opus packet says of itself in its first bytes (RFC 6716 §3.1). As RTP payload it stands alone (RFC 7587).
public struct OpusPacket: Equatable, Sendable {
  /// Samples at 48 kHz of one frame: 120 … 2880.
  public let samplesPerFrame: Int
  /// Frames in the packet: 1 … 48, together at most 120 ms.
  public let frameCount: Int
  /// Whether the encoder sent two channels.
  public let isStereo: Bool
  /// Whether the packet says only that there is silence (DTX): one or two bytes.
  public let isSilence: Bool

  /// Samples at 48 kHz of the whole packet, also its step in RTP timestamps.
  public var sampleCount: Int { samplesPerFrame * frameCount }

  /// Nil where `payload` is empty or has more than 120 ms.
  public init?(parsing payload: UnsafeRawBufferPointer) {
    guard let base = payload.baseAddress, payload.count > 0 else { return nil }
    let toc = base.load8(0)
    isStereo = toc & 0x04 != 0
    isSilence = payload.count <= 2
    let configuration = Int(toc >> 3)
    switch configuration {
    case 0..<12: samplesPerFrame = configuration & 3 == 3 ? 2880 : 480 << (configuration & 3)
    case 12..<16: samplesPerFrame = configuration & 1 == 0 ? 480 : 960
    default: samplesPerFrame = 120 << (configuration & 3)
    }
    switch toc & 3 {
    case 0: frameCount = 1
    case 1, 2: frameCount = 2
    default:
      guard payload.count >= 2 else { return nil }
      frameCount = Int(base.load8(1) & 0x3f)
    }
    guard frameCount > 0, samplesPerFrame * frameCount <= 5760 else { return nil }
  }
}
