/// The header of an RTP packet (RFC 3550 §5.1), parsed once and without allocation. Offsets are relative to the first byte of
/// the packet.
public struct RTPHeader: Equatable, Sendable {
  /// The M bit: set on the last packet of a video frame and on the first audio packet after silence.
  public var marker = false
  /// The payload type, 0 … 127.
  public var payloadType: UInt8 = 0
  /// The packet counter of the SSRC, modulo 2¹⁶.
  public var sequenceNumber: UInt16 = 0
  /// The timestamp in ticks of the codec's clock.
  public var timestamp: UInt32 = 0
  /// The stream that the packet belongs to.
  public var ssrc: SSRC = 0
  /// The number of CSRCs after the fixed part, 0 … 15.
  public var csrcCount = 0
  /// The "defined by profile" field of the header extension; 0 if there is no extension.
  public var extensionProfile: UInt16 = 0
  /// The offset of the extension data, after its own four-byte header; 0 if there is no extension.
  public var extensionOffset = 0
  /// The length of the extension data in bytes, a multiple of four.
  public var extensionLength = 0
  /// The number of bytes before the payload: fixed part, CSRCs and extension.
  public var headerLength = RTPHeader.fixedLength
  /// The length of the payload in bytes, without padding.
  public var payloadLength = 0
  /// The number of padding bytes at the end, including the count byte (RFC 3550 §5.1, P bit).
  public var paddingLength = 0

  /// The length in bytes of a header without CSRCs and extension.
  public static let fixedLength = 12

  /// Creates an empty header.
  @inlinable public init() {}

  /// Parses `packet`. Returns nil if it is not a whole RTP packet of version 2 with consistent lengths.
  @inlinable public init?(parsing packet: UnsafeRawBufferPointer) {
    let count = packet.count
    guard count >= 12, let base = packet.baseAddress else { return nil }
    let first = base.load8(0)
    guard first >> 6 == 2 else { return nil }
    let second = base.load8(1)
    marker = second & 0x80 != 0
    payloadType = second & 0x7f
    sequenceNumber = base.load16(2)
    timestamp = base.load32(4)
    ssrc = base.loadSSRC(8)
    csrcCount = Int(first & 0x0f)
    var length = 12 + 4 * csrcCount
    guard length <= count else { return nil }
    if first & 0x10 != 0 {
      guard length + 4 <= count else { return nil }
      extensionProfile = base.load16(length)
      extensionLength = 4 * Int(base.load16(length + 2))
      extensionOffset = length + 4
      length = extensionOffset + extensionLength
      guard length <= count else { return nil }
    }
    headerLength = length
    if first & 0x20 != 0 {
      guard count > length else { return nil }
      paddingLength = Int(base.load8(count - 1))
      guard paddingLength > 0, paddingLength <= count - length else { return nil }
    }
    payloadLength = count - length - paddingLength
  }

  /// Returns the payload of `packet`, which must be the packet that this header was parsed from.
  @inlinable public func payload(of packet: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    packet.part(headerLength, payloadLength)
  }

  /// Returns the payload of `packet` as mutable memory.
  @inlinable public func payload(of packet: UnsafeMutableRawBufferPointer) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(mutating: payload(of: UnsafeRawBufferPointer(packet)))
  }
}
