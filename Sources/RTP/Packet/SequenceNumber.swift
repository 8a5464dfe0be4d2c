/// A 16-bit RTP sequence number and its arithmetic modulo 2¹⁶ (RFC 1982, RFC 3550 §A.1).
public struct SequenceNumber: Hashable, Sendable, RawRepresentable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// The 16 bits of the wire.
  public var rawValue: UInt16

  /// The number with these 16 bits.
  @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// The same as `init(rawValue:)`, shorter.
  @inlinable public init(_ value: UInt16) { rawValue = value }
  @inlinable public init(integerLiteral value: UInt16) { rawValue = value }

  /// The number that follows, 0 after 65535.
  @inlinable public var next: SequenceNumber { SequenceNumber(rawValue &+ 1) }
  /// The number `count` further on, or back where `count` is negative.
  @inlinable public func advanced(by count: Int) -> SequenceNumber {
    SequenceNumber(rawValue &+ UInt16(truncatingIfNeeded: count))
  }
  /// Steps from `other` to this one on the shorter way round: −32768 … 32767.
  @inlinable public func distance(from other: SequenceNumber) -> Int {
    Int(Int16(bitPattern: rawValue &- other.rawValue))
  }
  /// Whether this one comes after `other`, on the shorter way round.
  @inlinable public func isNewer(than other: SequenceNumber) -> Bool { distance(from: other) > 0 }

  public var description: String { String(rawValue) }
}

/// Continues 16-bit sequence numbers over their wraps: each is taken as the nearest to the highest seen before it.
public struct SequenceUnwrapper: Sendable {
  /// The highest number so far; nil before the first.
  @inlinable public var highest: Int64? { started ? last : nil }

  @usableFromInline var last: Int64 = 0
  @usableFromInline var started = false

  /// Nothing seen yet.
  @inlinable public init() {}

  /// The unwrapped number of `sequence`, which is remembered where it is the highest. The first is its own value; what is older
  /// than the first may be negative.
  @inlinable public mutating func unwrap(_ sequence: UInt16) -> Int64 {
    let value = peek(sequence)
    if !started || value > last { last = value }
    started = true
    return value
  }

  /// As `unwrap`, and nothing is remembered.
  @inlinable public func peek(_ sequence: UInt16) -> Int64 {
    guard started else { return Int64(sequence) }
    return last &+ Int64(Int16(bitPattern: sequence &- UInt16(truncatingIfNeeded: last)))
  }

  /// Forgets all: the next number is taken as the first.
  @inlinable public mutating func reset() { self = SequenceUnwrapper() }
}

/// Continues 32-bit RTP timestamps over their wraps: each is taken as the nearest to the newest seen before it.
public struct TimestampUnwrapper: Sendable {
  /// The newest timestamp so far; nil before the first.
  @inlinable public var newest: Int64? { started ? last : nil }

  @usableFromInline var last: Int64 = 0
  @usableFromInline var started = false

  /// Nothing seen yet.
  @inlinable public init() {}

  /// The unwrapped value of `timestamp`, which is remembered where it is the newest. The first is its own value.
  @inlinable public mutating func unwrap(_ timestamp: UInt32) -> Int64 {
    let value = peek(timestamp)
    if !started || value > last { last = value }
    started = true
    return value
  }

  /// As `unwrap`, and nothing is remembered.
  @inlinable public func peek(_ timestamp: UInt32) -> Int64 {
    guard started else { return Int64(timestamp) }
    return last &+ Int64(Int32(bitPattern: timestamp &- UInt32(truncatingIfNeeded: last)))
  }

  /// Forgets all: the next timestamp is taken as the first.
  @inlinable public mutating func reset() { self = TimestampUnwrapper() }
}
