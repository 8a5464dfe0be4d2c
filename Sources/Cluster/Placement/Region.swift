import RoomProtocol

/// The name of a region, such as a data centre: 1 to 64 of the characters that ``NameRule`` allows.
public struct Region: Identifier {
  /// The name's text.
  public let rawValue: String
  /// Creates a name from any text, without validation.
  public init(_ text: String) { rawValue = text }
}
