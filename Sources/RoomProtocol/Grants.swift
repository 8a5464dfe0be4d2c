/// What a token allows its bearer in its room.
public struct Grants: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let publish = Grants(rawValue: 1 << 0)
  public static let subscribe = Grants(rawValue: 1 << 1)
  /// Kick, mute others, seats, layout, room attributes, close.
  public static let admin = Grants(rawValue: 1 << 2)
  /// Create and stop relay jobs.
  public static let relay = Grants(rawValue: 1 << 3)
  /// Not shown to the other participants.
  public static let hidden = Grants(rawValue: 1 << 4)

  static let named: [(String, Grants)] = [
    ("publish", .publish), ("subscribe", .subscribe), ("admin", .admin), ("relay", .relay), ("hidden", .hidden),
  ]

  /// The grants' names in the order of their declaration: `["publish", "subscribe"]`.
  public var names: [String] { Self.named.filter { contains($0.1) }.map(\.0) }

  /// Nil where a name is none of `publish`, `subscribe`, `admin`, `relay`, `hidden`.
  public init?(names: [String]) {
    var grants: Grants = []
    for name in names {
      guard let known = Self.named.first(where: { $0.0 == name }) else { return nil }
      grants.insert(known.1)
    }
    self = grants
  }
}

/// On the wire a list of names.
extension Grants: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let grants = Grants(names: try container.decode([String].self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a grant is one of publish, subscribe, admin, relay, hidden")
    }
    self = grants
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(names)
  }
}
