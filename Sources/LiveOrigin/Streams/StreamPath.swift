/// The path of a stream: /{app}/{stream}.
public struct StreamPath: Hashable, Sendable, CustomStringConvertible {
  public let app: String
  public let stream: String

  /// Returns nil if a component is empty, longer than 128 bytes, starts with a dot, or contains other characters than ASCII
  /// letters, digits and "-_.~+@=:".
  public init?(app: String, stream: String) {
    guard Self.isName(app), Self.isName(stream) else { return nil }
    self.app = app
    self.stream = stream
  }

  private static func isName(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: others.contains(byte)
        }
      }
  }

  private static let others = Array("-_.~+@=:".utf8)

  public var description: String { "/\(app)/\(stream)" }
}
