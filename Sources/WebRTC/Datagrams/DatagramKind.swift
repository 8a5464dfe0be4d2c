/// The protocol of a datagram on the shared port, determined by its first bytes (RFC 7983, RFC 5761 §4).
public enum DatagramKind: UInt8, Sendable, Hashable {
  case stun, dtls, rtp, rtcp
  /// TURN channel data, ZRTP, and every value of an unsupported protocol.
  case unknown

  /// Distinguishes STUN, DTLS and media. Media is `.rtp` here; `classify(_:)` distinguishes RTCP by the second byte.
  @inlinable public static func classify(firstByte: UInt8) -> DatagramKind {
    switch firstByte {
    case 0...3: .stun
    case 20...63: .dtls
    case 128...191: .rtp
    default: .unknown
    }
  }

  /// Classifies like `classify(firstByte:)`, but distinguishes RTCP from RTP: packet types 192–223 (RFC 5761 §4). An empty
  /// datagram is `.unknown`.
  @inlinable public static func classify(_ datagram: UnsafeRawBufferPointer) -> DatagramKind {
    guard datagram.count >= 2 else { return .unknown }
    let kind = classify(firstByte: datagram[0])
    return kind == .rtp && (192...223).contains(datagram[1]) ? .rtcp : kind
  }
}
