/// Packets in a byte stream (RFC 4571 §2): two bytes of length in network order before each. ICE over TCP frames STUN, DTLS and SRTP
/// so (RFC 6544 §3).
///
/// Without state: whoever reads the stream keeps the bytes of an incomplete frame and hands them in again with what comes next. A
/// frame of no bytes is legal and means nothing.
public enum StreamFraming {
  /// The bytes before each packet.
  public static let headerLength = 2
  /// The longest packet that the two bytes can announce.
  public static let longestFrame = 65_535

  /// What lies at a place of the stream.
  public enum Step: Sendable, Hashable {
    /// A whole packet, at these offsets; the next frame begins at the upper bound.
    case frame(Range<Int>)
    /// More bytes are needed.
    case incomplete
    /// A packet of that many bytes, more than allowed, is announced: nothing after it can be read.
    case tooLong(Int)
  }

  /// The frame that begins at `offset`.
  /// - Parameters:
  ///   - stream: the bytes at hand.
  ///   - offset: where a frame begins, from 0 to the count of bytes.
  ///   - limit: the longest packet that is accepted.
  @inlinable public static func next(in stream: UnsafeRawBufferPointer, at offset: Int, limit: Int) -> Step {
    guard offset >= 0, stream.count - offset >= headerLength else { return .incomplete }
    let length = Int(stream[offset]) << 8 | Int(stream[offset + 1])
    guard length <= limit else { return .tooLong(length) }
    let start = offset + headerLength
    guard stream.count - start >= length else { return .incomplete }
    return .frame(start..<start + length)
  }

  /// The two bytes before a packet of this length, at most `longestFrame`.
  @inlinable public static func header(length: Int) -> (UInt8, UInt8) {
    (UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length))
  }
}
