/// A name of one kind of thing, as text on the wire.
///
/// Each kind is a type of its own, so that a user can't stand in for a room. Values compare and sort by their text.
public protocol Identifier: RawRepresentable<String>, Hashable, Comparable, Sendable, Codable, CodingKeyRepresentable,
  ExpressibleByStringInterpolation, CustomStringConvertible
{
  init(_ text: String)
}

extension Identifier {
  public init(rawValue: String) { self.init(rawValue) }
  public init(stringLiteral value: String) { self.init(value) }
  public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }

  // A dictionary with identifiers as keys is an object on the wire.
  public var codingKey: any CodingKey { rawValue.codingKey }
  public init?<Key: CodingKey>(codingKey: Key) { self.init(codingKey.stringValue) }

  public var description: String { rawValue }
  public var isEmpty: Bool { rawValue.isEmpty }
  /// The first 64 characters, for error messages: an identifier from outside has any length.
  public var brief: Substring { rawValue.prefix(64) }
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A user's id, chosen by the app: 1 to 64 of the characters that ``NameRule`` allows.
public struct UserID: Identifier {
  public let rawValue: String
  public init(_ text: String) { rawValue = text }
}

/// A room's name, chosen by the app: 1 to 64 of the characters that ``NameRule`` allows.
public struct RoomName: Identifier {
  public let rawValue: String
  public init(_ text: String) { rawValue = text }
}

/// A published track's id, chosen by the server.
public struct TrackID: Identifier {
  public let rawValue: String
  public init(_ text: String) { rawValue = text }
}

/// A relay job's id, chosen by whoever starts it: 1 to 64 bytes.
public struct JobID: Identifier {
  public let rawValue: String
  public init(_ text: String) { rawValue = text }
}

/// A PK's id, chosen by the server.
public struct PKID: Identifier {
  public let rawValue: String
  public init(_ text: String) { rawValue = text }
}

/// The id of a participant's session, chosen by the server. A secret: it resumes the session.
public struct SessionID: Identifier {
  public let rawValue: String
  public init(_ text: String) { rawValue = text }
}
