/// A transmission sequence number, ordered as a serial number (RFC 9260 §1.6).
struct TSN: Hashable, Sendable {
  var rawValue: UInt32

  init(_ rawValue: UInt32) { self.rawValue = rawValue }

  func advanced(by count: Int) -> TSN { TSN(rawValue &+ UInt32(truncatingIfNeeded: count)) }

  /// Returns how many numbers this one is after the other; negative if it is before it.
  func distance(from other: TSN) -> Int { Int(Int32(bitPattern: rawValue &- other.rawValue)) }
}

extension UInt16 {
  /// Returns how many stream sequence numbers this one is after the other; negative if it is before it.
  func serialDistance(from other: UInt16) -> Int { Int(Int16(bitPattern: self &- other)) }
}
