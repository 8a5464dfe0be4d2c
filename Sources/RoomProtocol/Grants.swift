/// The permissions that a token gives its bearer in one room.
public struct Grants: OptionSet, Hashable, Sendable {
  /// One bit for each grant.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Publish tracks, and take a seat without a request.
  public static let publish = Grants(rawValue: 1 << 0)
  /// Receive tracks.
  public static let subscribe = Grants(rawValue: 1 << 1)
  /// Kick and mute others, manage seats, layout, attributes and PK, and close the room.
  public static let admin = Grants(rawValue: 1 << 2)
  /// Start and stop relay jobs.
  public static let relay = Grants(rawValue: 1 << 3)
  /// Not shown to the other participants.
  public static let hidden = Grants(rawValue: 1 << 4)

  static let named: [(String, Grants)] = [
    ("publish", .publish), ("subscribe", .subscribe), ("admin", .admin), ("relay", .relay), ("hidden", .hidden),
  ]

  /// The names of the grants in the order of their declaration: `["publish", "subscribe"]`.
  public var names: [String] { Self.named.filter { contains($0.1) }.map(\.0) }

  /// Creates a set from names. Returns nil if a name is not one of `publish`, `subscribe`, `admin`, `relay`, `hidden`.
  public init?(names: [String]) {
    var grants: Grants = []
    for name in names {
      guard let known = Self.named.first(where: { $0.0 == name }) else { return nil }
      grants.insert(known.1)
    }
    self = grants
  }
}

/// Grants are a list of names on the wire.
extension Grants: Codable {
  /// Decodes a list of names.
  /// - Throws: `DecodingError.dataCorrupted` for an unknown name.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let grants = Grants(names: try container.decode([String].self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a grant is one of publish, subscribe, admin, relay, hidden")
    }
    self = grants
  }

  /// Encodes the list of names.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(names)
  }
}
