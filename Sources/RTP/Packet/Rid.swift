/// The name of one encoding of an m-line (`a=rid`, RFC 8851), which packets carry in a header extension (RFC 8852).
public struct Rid: RawRepresentable, Hashable, Sendable {
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
