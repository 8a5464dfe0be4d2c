import RoomDigests
import RoomProtocol

/// A name of a user or a room that LiveKit's apps choose: 1 to 256 bytes of any text.
///
/// A user id or room name of this server has at most 64 characters of fewer kinds (``NameRule``). Each foreign name has one ``id``:
/// - The name itself, if ``NameRule`` allows it and it does not begin with `:`.
/// - A colon, and the name with each other byte, and each colon, as a colon and two hexadecimal digits: `ann+x@e.org` is
///   `:ann:2Bx@e.org`. The result has at most 63 characters, and ``init(id:)`` reverses it.
/// - A colon and 63 hexadecimal digits of the name's SHA-256, if that is longer. The name can't be found by it, so it must be kept
///   beside.
///
/// No two names have the same id: the forms differ by the first character and by their length.
public struct ForeignName: Hashable, Sendable, CustomStringConvertible {
  /// The maximum length in bytes.
  public static let maximumBytes = 256

  /// The name as the app chose it.
  public let text: String
  /// The name as a user id or room name of this server.
  public let id: String

  /// Creates a name. Returns nil for an empty name or one with more than ``maximumBytes`` bytes.
  public init?(_ text: String) {
    guard (1...Self.maximumBytes).contains(text.utf8.count) else { return nil }
    self.text = text
    if NameRule.allows(text), text.utf8.first != UInt8(ascii: ":") {
      id = text
    } else {
      let escaped = ":" + text.utf8.map(Self.escaped).joined()
      let digest = Digest.sha256.digest(of: Array(text.utf8))
      // A system without SHA-256 signs no tokens either, so nobody has such a name.
      guard escaped.utf8.count < 64 || !digest.isEmpty else { return nil }
      id = escaped.utf8.count < 64 ? escaped : ":" + digest.hexadecimal.prefix(63)
    }
  }

  /// Creates the name that has an id. Returns nil for an id that is a digest, or that no name has.
  public init?(id: String) {
    guard id.utf8.first == UInt8(ascii: ":") else {
      guard NameRule.allows(id) else { return nil }
      self.init(id)
      return
    }
    var bytes: [UInt8] = []
    var rest = id.utf8.dropFirst()
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: ":") else {
        bytes.append(byte)
        continue
      }
      guard let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2 else { return nil }
      bytes.append(escaped)
      rest = rest.dropFirst(2)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    self.init(text)
    // Only the one form that `init(_:)` makes.
    guard self.id == id else { return nil }
  }

  /// The name as a user of this server.
  public var user: UserID { UserID(id) }
  /// The name as a room of this server.
  public var room: RoomName { RoomName(id) }
  public var description: String { text }

  private static func escaped(_ byte: UInt8) -> String {
    let character = String(UnicodeScalar(byte))
    if byte < 0x80, byte != UInt8(ascii: ":"), NameRule.allows(character) { return character }
    return (byte < 16 ? ":0" : ":") + String(byte, radix: 16, uppercase: true)
  }
}
