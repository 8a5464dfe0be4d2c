/// An enumeration that is sent as text and may grow: a value of a newer server or client is kept as it is.
///
/// Compare values with the static members, and treat others like an unknown one. Creating a value does not validate the text.
public protocol OpenEnumeration: RawRepresentable<String>, Hashable, Sendable, Codable, CustomStringConvertible {
  /// Creates a value from any text.
  init(rawValue: String)
}

extension OpenEnumeration {
  /// Decodes the value from a JSON string.
  public init(from decoder: any Decoder) throws { self.init(rawValue: try decoder.singleValueContainer().decode(String.self)) }

  /// Encodes the value as a JSON string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }

  /// The value's text.
  public var description: String { rawValue }
}
