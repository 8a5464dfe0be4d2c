/// The properties of an Opus packet that its first bytes state (RFC 6716 §3.1). One packet is one RTP payload (RFC 7587).
public struct OpusPacket: Equatable, Sendable {
  /// The number of samples at 48 kHz in one frame: 120 … 2880.
  public let samplesPerFrame: Int
  /// The number of frames in the packet: 1 … 48, at most 120 ms in total.
  public let frameCount: Int
  /// Whether the packet is encoded in stereo.
  public let isStereo: Bool
  /// Whether the packet only signals silence (DTX): it has one or two bytes.
  public let isSilence: Bool

  /// The number of samples at 48 kHz in the packet, which is also its step in RTP timestamps.
  public var sampleCount: Int { samplesPerFrame * frameCount }

  /// Parses `payload`. Returns nil if it is empty or longer than 120 ms.
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
