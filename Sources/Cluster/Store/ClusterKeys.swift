import RoomProtocol

/// The keys of a cluster in Redis.
///
/// All have one hash tag, so that a Redis Cluster has them at one master: scripts compare members, owners and rooms, and need all
/// of them there.
public enum ClusterKeys {
  /// The hash tag, the first braces of a key. Later ones only separate the name of a room.
  public static let tag = "roomserver"
  /// The count of entries of members.
  public static let epoch = "{roomserver}:epoch"
  /// Members by incarnation: `beat seen report`, the report as JSON.
  public static let members = "{roomserver}:members"
  /// The process of the store, since when (ms since 1970, of the store's clock), and 1 if its data began then.
  public static let process = "{roomserver}:process"
  /// The count of entries and ends of members.
  public static let version = "{roomserver}:members:version"
  /// The newest of these changes: incarnations by the version.
  public static let changes = "{roomserver}:members:changes"
  /// The incarnations that are no members and may own rooms.
  public static let ended = "{roomserver}:ended"
  /// The rooms of an incarnation; followed by its text.
  public static let owned = "{roomserver}:owned:"
  /// The secret by which the nodes authenticate to one another.
  public static let secret = "{roomserver}:secret"
  /// Kicked users' tokens by the number of the kick, and their expiry.
  public static let kicks = "{roomserver}:kicks"
  public static let kickExpiry = "{roomserver}:kicks:expiry"
  public static let kickNumber = "{roomserver}:kicks:number"
  /// A hash of the start times of broadcasts; ms since 1970.
  public static let broadcasts = "{roomserver}:broadcasts"
  /// A hash of the rooms that look for an opponent: tickets with their matches, as JSON.
  public static let tickets = "{roomserver}:match:tickets"
  /// The tickets by their expiry; ms since 1970.
  public static let ticketExpiry = "{roomserver}:match:expiry"
  /// Present while two rooms do not meet again; followed by both names.
  public static let meetings = "{roomserver}:match:met:"

  /// Waiting tickets that can meet, by their level.
  static func waiting(_ mode: PKMode, _ duration: Int?, tag: String) -> String {
    "{roomserver}:match:waiting:\(mode.rawValue):\(duration.map { "\($0)" } ?? ""):\(tag)"
  }
  /// A hash of the documents of a kind.
  public static func documents(_ kind: String) -> String { "{roomserver}:documents:\(kind)" }
  /// A hash with the owner and the fence of a room.
  public static func lease(_ room: RoomName) -> String { "{roomserver}:{\(room)}:lease" }
  /// The incarnation that publishes a live stream.
  public static func stream(_ name: String) -> String { "{roomserver}:stream:\(name)" }
  /// The encoded room without its members.
  public static func room(_ room: RoomName) -> String { "{roomserver}:{\(room)}:room" }
  /// A hash of its members.
  public static func members(of room: RoomName) -> String { "{roomserver}:{\(room)}:members" }
  /// A hash of its images.
  public static func images(of room: RoomName) -> String { "{roomserver}:{\(room)}:images" }
}
