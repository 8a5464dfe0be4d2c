/// A 16-bit RTP sequence number and its arithmetic modulo 2¹⁶ (RFC 1982, RFC 3550 §A.1).
public struct SequenceNumber: Hashable, Sendable, RawRepresentable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// The 16 bits on the wire.
  public var rawValue: UInt16

  /// Creates the number with these 16 bits.
  @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }
  /// Creates the number with these 16 bits; shorthand for `init(rawValue:)`.
  @inlinable public init(_ value: UInt16) { rawValue = value }
  @inlinable public init(integerLiteral value: UInt16) { rawValue = value }

  /// The next number; 0 after 65535.
  @inlinable public var next: SequenceNumber { SequenceNumber(rawValue &+ 1) }
  /// Returns the number `count` steps later, or earlier if `count` is negative.
  @inlinable public func advanced(by count: Int) -> SequenceNumber {
    SequenceNumber(rawValue &+ UInt16(truncatingIfNeeded: count))
  }
  /// Returns the steps from `other` to this number in the shorter direction: −32768 … 32767.
  @inlinable public func distance(from other: SequenceNumber) -> Int {
    Int(Int16(bitPattern: rawValue &- other.rawValue))
  }

  public var description: String { String(rawValue) }
}

/// Unwraps 16-bit sequence numbers: each is mapped to the value nearest to the highest number before it.
public struct SequenceUnwrapper: Sendable {
  /// The highest number so far; nil before the first.
  @inlinable public var highest: Int64? { started ? last : nil }

  @usableFromInline var last: Int64 = 0
  @usableFromInline var started = false

  /// Creates an empty unwrapper.
  @inlinable public init() {}

  /// Returns the unwrapped number of `sequence` and stores it if it is the highest. The first number is its own value; numbers
  /// older than the first may be negative.
  @inlinable public mutating func unwrap(_ sequence: UInt16) -> Int64 {
    let value = peek(sequence)
    if !started || value > last { last = value }
    started = true
    return value
  }

  /// Returns the same as `unwrap` without updating the state.
  @inlinable public func peek(_ sequence: UInt16) -> Int64 {
    guard started else { return Int64(sequence) }
    return last &+ Int64(Int16(bitPattern: sequence &- UInt16(truncatingIfNeeded: last)))
  }

  /// Resets the state; the next number is treated as the first.
  @inlinable public mutating func reset() { self = SequenceUnwrapper() }
}

/// Unwraps 32-bit RTP timestamps: each is mapped to the value nearest to the newest timestamp before it.
public struct TimestampUnwrapper: Sendable {
  /// The newest timestamp so far; nil before the first.
  @inlinable public var newest: Int64? { started ? last : nil }

  @usableFromInline var last: Int64 = 0
  @usableFromInline var started = false

  /// Creates an empty unwrapper.
  @inlinable public init() {}

  /// Returns the unwrapped value of `timestamp` and stores it if it is the newest. The first timestamp is its own value.
  @inlinable public mutating func unwrap(_ timestamp: UInt32) -> Int64 {
    let value = peek(timestamp)
    if !started || value > last { last = value }
    started = true
    return value
  }

  /// Returns the same as `unwrap` without updating the state.
  @inlinable public func peek(_ timestamp: UInt32) -> Int64 {
    guard started else { return Int64(timestamp) }
    return last &+ Int64(Int32(bitPattern: timestamp &- UInt32(truncatingIfNeeded: last)))
  }

  /// Resets the state; the next timestamp is treated as the first.
  @inlinable public mutating func reset() { self = TimestampUnwrapper() }
}
