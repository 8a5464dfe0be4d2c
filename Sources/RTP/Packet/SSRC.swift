/// A synchronisation source: the number that names one stream of packets within an RTP session (RFC 3550 §3).
public struct SSRC: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
  /// The number on the wire.
  public var rawValue: UInt32

  /// The source with this number.
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }
  /// The source with this number.
  @inlinable public init(_ rawValue: UInt32) { self.rawValue = rawValue }

  /// A random source other than 0, which this project uses for "none".
  @inlinable public static func random() -> SSRC {
    var generator = SystemRandomNumberGenerator()
    return random(using: &generator)
  }

  /// As `random()`, from a generator of the caller's.
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
  /// The decimal number, as session descriptions write it.
  public var description: String { String(rawValue) }
}

extension UnsafeRawPointer {
  /// The source in network order at `offset`.
  @inlinable @inline(__always) public func loadSSRC(_ offset: Int) -> SSRC { SSRC(load32(offset)) }
}

extension UnsafeMutableRawPointer {
  /// Writes a source in network order at `offset`.
  @inlinable @inline(__always) public func storeSSRC(_ ssrc: SSRC, _ offset: Int) { store32(ssrc.rawValue, offset) }
}
