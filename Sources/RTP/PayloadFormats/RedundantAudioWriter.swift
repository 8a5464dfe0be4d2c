/// Writes RED payloads (RFC 2198): copies of the packets sent before, then the packet itself.
///
/// The copies are of consecutive packets and end with the one before, so that a receiver can number them. A packet that must
/// not be copied, because it is silent, too long or too old, also excludes all earlier ones.
public struct RedundantAudioWriter: Sendable {
  /// The maximum number of copies in a packet.
  public static let maximumCopies = 2
  /// The maximum total length of a packet's copies, in bytes.
  public static let longestCopies = 500
  /// The maximum length of a payload with copies, in bytes, so that the packet fits in a datagram of 1200.
  public static let longestPayload = 1100
  /// The level in −dBov from which a packet counts as silent: it is not copied.
  public static let silence: UInt8 = 60

  private struct Sent {
    var payload: [UInt8]
    var timestamp: UInt32
    var isAudible: Bool
  }

  /// The last packets, newest first.
  private var sent: [Sent] = []

  /// Creates a writer without earlier packets.
  public init() {}

  /// Returns whether a packet is worth a copy: it is longer than DTX's two bytes, and its level, in −dBov, is above silence or
  /// unknown.
  @inlinable public static func isAudible(length: Int, level: UInt8?) -> Bool {
    length > 2 && (level.map { $0 < silence } ?? true)
  }

  /// Appends a packet to those sent.
  /// - Parameter level: the level in −dBov; nil if it is unknown.
  public mutating func append(_ payload: [UInt8], timestamp: UInt32, level: UInt8?) {
    sent.insert(
      Sent(payload: payload, timestamp: timestamp, isAudible: Self.isAudible(length: payload.count, level: level)), at: 0)
    if sent.count > Self.maximumCopies { sent.removeLast() }
  }

  /// Returns the RED payload of the next packet; nil if there is nothing to copy.
  /// - Parameters:
  ///   - payloadType: the payload type of the codec in all blocks.
  ///   - distance: the maximum number of copies.
  public func payload(of primary: [UInt8], timestamp: UInt32, payloadType: UInt8, distance: Int) -> [UInt8]? {
    var copies: [Sent] = []
    var length = 0
    for packet in sent.prefix(distance) {
      let next = length + packet.payload.count
      guard packet.isAudible, packet.payload.count <= RedundantAudio.longestBlock, next <= Self.longestCopies,
        (1...RedundantAudio.longestOffset).contains(timestamp &- packet.timestamp)
      else { break }
      length = next
      copies.insert(packet, at: 0)
    }
    let headers = copies.count * RedundantAudio.headerLength + RedundantAudio.primaryHeaderLength
    guard !copies.isEmpty, headers + length + primary.count <= Self.longestPayload else { return nil }
    var payload = [UInt8](repeating: 0, count: headers)
    payload.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      for (index, packet) in copies.enumerated() {
        RedundantAudio.writeHeader(
          to: base + index * RedundantAudio.headerLength, payloadType: payloadType, offset: timestamp &- packet.timestamp,
          length: packet.payload.count)
      }
      base.store8(payloadType & 0x7f, headers - 1)
    }
    for packet in copies { payload += packet.payload }
    return payload + primary
  }
}

extension RedundantAudio {
  /// Writes the four bytes that describe a redundant block: `offset` is at most `longestOffset`, `length` at most
  /// `longestBlock`.
  @inlinable @inline(__always) public static func writeHeader(
    to base: UnsafeMutableRawPointer, payloadType: UInt8, offset: UInt32, length: Int
  ) {
    base.store8(0x80 | payloadType, 0)
    base.store24(offset << 10 | UInt32(truncatingIfNeeded: length), 1)
  }
}
