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

  /// Creates the path of a stream's ``name``. Returns nil for any other text.
  public init?(_ name: String) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    self.init(app: String(parts[0]), stream: String(parts[1]))
  }

  /// The application and the stream, as jobs and the API name it: "live/show".
  public var name: String { "\(app)/\(stream)" }

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

  public var description: String { "/\(name)" }
}
