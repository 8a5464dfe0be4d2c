/// The name of one encoding of an m-line (`a=rid`, RFC 8851), which packets carry in a header extension (RFC 8852).
public struct Rid: RawRepresentable, Hashable, Sendable, Codable {
  /// The text in the session description.
  public var rawValue: String

  /// Creates the rid with this text.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Creates the rid with this text.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension Rid: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) { self.init(value) }
}

extension Rid: CustomStringConvertible {
  /// The text.
  public var description: String { rawValue }
}

extension Rid {
  /// Whether the rid consists of 1 to 16 letters and digits: what RFC 8851 §4 allows, and fits a short header extension.
  public var isValid: Bool {
    (1...16).contains(rawValue.utf8.count)
      && rawValue.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      }
  }
}
