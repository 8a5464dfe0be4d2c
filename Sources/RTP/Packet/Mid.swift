/// The name of an m-line within a session description (`a=mid`, RFC 5888), which packets carry in a header extension (RFC 9143).
public struct Mid: RawRepresentable, Hashable, Sendable {
  /// The text as it stands in the session description.
  public var rawValue: String

  /// The m-line with this name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The m-line with this name.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

extension Mid: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) { self.init(value) }
}

extension Mid: CustomStringConvertible {
  /// The text.
  public var description: String { rawValue }
}
