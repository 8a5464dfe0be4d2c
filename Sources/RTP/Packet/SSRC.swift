/// A synchronisation source: the number that identifies one stream of packets within an RTP session (RFC 3550 §3).
public struct SSRC: RawRepresentable, Hashable, Sendable, Codable, BitwiseCopyable {
  /// The number on the wire.
  public var rawValue: UInt32

  /// Creates the SSRC with this number.
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Creates the SSRC with this number.
  @inlinable public init(_ rawValue: UInt32) { self.rawValue = rawValue }

  /// Returns a random SSRC other than 0, which this project uses for "none".
  @inlinable public static func random() -> SSRC {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  /// Returns a random SSRC like `random()`, using the given generator.
  @inlinable public static func random(using generator: inout some RandomNumberGenerator) -> SSRC {
    SSRC(.random(in: 1 ... .max, using: &generator))
  }
}

extension SSRC: ExpressibleByIntegerLiteral {
  @inlinable public init(integerLiteral value: UInt32) { self.init(value) }
}

extension SSRC: Comparable {
  @inlinable public static func < (a: SSRC, b: SSRC) -> Bool { a.rawValue < b.rawValue }
}

extension SSRC: CustomStringConvertible {
  /// The decimal number, as in session descriptions.
  public var description: String { String(rawValue) }
}

extension UnsafeRawPointer {
  /// Returns the SSRC in network order at `offset`.
  @inlinable @inline(__always) public func loadSSRC(_ offset: Int) -> SSRC { SSRC(load32(offset)) }
}

extension UnsafeMutableRawPointer {
  /// Writes an SSRC in network order at `offset`.
  @inlinable @inline(__always) public func storeSSRC(_ ssrc: SSRC, _ offset: Int) { store32(ssrc.rawValue, offset) }
}
