/// A typed identifier, sent as text on the wire.
///
/// Each kind has its own type, so that a user id cannot be passed as a room name. Values compare and sort by their text.
/// Creating one does not validate the text; see ``NameRule``.
public protocol Identifier: RawRepresentable<String>, Hashable, Comparable, Sendable, Codable, CodingKeyRepresentable,
  ExpressibleByStringInterpolation, CustomStringConvertible
{
  /// Creates an identifier from any text.
  init(_ text: String)
}

extension Identifier {
  /// Creates an identifier from any text.
  public init(rawValue: String) { self.init(rawValue) }
  /// Creates an identifier from a string literal.
  public init(stringLiteral value: String) { self.init(value) }
  /// Decodes the identifier from a JSON string.
  public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }

  /// Encodes the identifier as a JSON string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }

  // These two encode a dictionary with identifiers as keys as a JSON object.
  /// The identifier as a key of a JSON object.
  public var codingKey: any CodingKey { rawValue.codingKey }
  /// Creates an identifier from a key of a JSON object. Never returns nil.
  public init?<Key: CodingKey>(codingKey: Key) { self.init(codingKey.stringValue) }

  /// The identifier's text.
  public var description: String { rawValue }
  /// Whether the text is empty. Some fields use an empty user id for a REST API call.
  public var isEmpty: Bool { rawValue.isEmpty }
  /// The first 64 characters, for error messages: an identifier from outside can have any length.
  public var brief: Substring { rawValue.prefix(64) }
  /// Compares two identifiers by their text.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A user's id, chosen by the app: 1 to 64 of the characters that ``NameRule`` allows.
public struct UserID: Identifier {
  /// The identifier's text.
  public let rawValue: String
  /// Creates an identifier from any text, without validation.
  public init(_ text: String) { rawValue = text }
}

/// A room's name, chosen by the app: 1 to 64 of the characters that ``NameRule`` allows.
public struct RoomName: Identifier {
  /// The identifier's text.
  public let rawValue: String
  /// Creates an identifier from any text, without validation.
  public init(_ text: String) { rawValue = text }
}

/// A published track's id, chosen by the server.
public struct TrackID: Identifier {
  /// The identifier's text.
  public let rawValue: String
  /// Creates an identifier from any text, without validation.
  public init(_ text: String) { rawValue = text }
}

/// A relay job's id, chosen by the caller that starts it: 1 to 64 bytes.
public struct JobID: Identifier {
  /// The identifier's text.
  public let rawValue: String
  /// Creates an identifier from any text, without validation.
  public init(_ text: String) { rawValue = text }
}

/// A PK's id, chosen by the server.
public struct PKID: Identifier {
  /// The identifier's text.
  public let rawValue: String
  /// Creates an identifier from any text, without validation.
  public init(_ text: String) { rawValue = text }
}

/// The id of a room's search for a PK opponent, chosen by the server.
public struct TicketID: Identifier {
  /// The identifier's text.
  public let rawValue: String
  /// Creates an identifier from any text, without validation.
  public init(_ text: String) { rawValue = text }
}

/// The id of a participant's session, chosen by the server. The id is a secret, because it resumes the session.
public struct SessionID: Identifier {
  /// The identifier's text.
  public let rawValue: String
  /// Creates an identifier from any text, without validation.
  public init(_ text: String) { rawValue = text }
}
