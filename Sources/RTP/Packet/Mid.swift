/// The identifier of an m-line in a session description (`a=mid`, RFC 5888). Packets carry it in a header extension (RFC 9143).
public struct Mid: RawRepresentable, Hashable, Sendable, Codable {
  /// The text in the session description.
  public var rawValue: String

  /// Creates the mid with this text.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Creates the mid with this text.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension Mid: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) { self.init(value) }
}

extension Mid: CustomStringConvertible {
  /// The text.
  public var description: String { rawValue }
}
