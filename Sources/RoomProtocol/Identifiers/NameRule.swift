/// The rule for the names of rooms, users and API paths: 1 to 64 of the characters A–Z a–z 0–9 _ . @ : -
public enum NameRule {
  /// The rule as text for error messages.
  public static let text = "1 to 64 of the characters A–Z a–z 0–9 _ . @ : -"

  /// Returns whether a name is valid for a room or a user.
  public static func allows(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        case UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "@"), UInt8(ascii: ":"), UInt8(ascii: "-"): true
        default: false
        }
      }
  }

  /// Returns whether an identifier is valid for a room or a user.
  public static func allows(_ identifier: some Identifier) -> Bool { allows(identifier.rawValue) }
}
