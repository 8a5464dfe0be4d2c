/// The framing of packets in a byte stream (RFC 4571 §2): two bytes of length in network order before each packet. ICE over TCP
/// frames STUN, DTLS and SRTP this way (RFC 6544 §3).
///
/// Stateless: the reader of the stream keeps the bytes of an incomplete frame and passes them in again with the following ones.
/// An empty frame is legal and has no effect.
public enum StreamFraming {
  /// The number of bytes before each packet.
  public static let headerLength = 2
  /// The maximum packet length in bytes that the two bytes can announce.
  public static let longestFrame = 65_535

  /// The result of parsing the stream at one offset.
  public enum Step: Sendable, Hashable {
    /// A whole packet at these offsets; the next frame starts at the upper bound.
    case frame(Range<Int>)
    /// More bytes are needed.
    case incomplete
    /// A packet of that many bytes exceeds the limit; nothing after it can be read.
    case tooLong(Int)
  }

  /// Parses the frame at `offset`.
  /// - Parameters:
  ///   - stream: the bytes available.
  ///   - offset: the start of a frame, from 0 to the number of bytes.
  ///   - limit: the maximum accepted packet length in bytes.
  @inlinable public static func next(in stream: UnsafeRawBufferPointer, at offset: Int, limit: Int) -> Step {
    guard offset >= 0, stream.count - offset >= headerLength else { return .incomplete }
    let length = Int(stream[offset]) << 8 | Int(stream[offset + 1])
    guard length <= limit else { return .tooLong(length) }
    let start = offset + headerLength
    guard stream.count - start >= length else { return .incomplete }
    return .frame(start..<start + length)
  }

  /// Returns the two bytes before a packet of this length, at most `longestFrame`.
  @inlinable public static func header(length: Int) -> (UInt8, UInt8) {
    (UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length))
  }
}
