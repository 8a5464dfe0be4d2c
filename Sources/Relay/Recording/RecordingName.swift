/// The name of a recording: one path component of letters, digits, `.`, `_` and `-`, at most 128 bytes long. The name does not
/// start with a dot and ends with `.mp4` or `.flv`, which selects the format. No name can escape a directory.
public struct RecordingName: Hashable, Sendable, CustomStringConvertible {
  /// The file format.
  public enum Format: String, Sendable, CaseIterable {
    /// Fragmented MP4.
    case mp4
    case flv
  }

  public let format: Format
  private let stem: String

  /// Returns nil if the text is not a valid recording name.
  public init?(_ text: String) {
    guard (1...128).contains(text.utf8.count), !text.hasPrefix("."), text.utf8.allSatisfy(Self.isAllowed),
      let dot = text.lastIndex(of: "."), let format = Format(rawValue: String(text[text.index(after: dot)...]))
    else { return nil }
    self.format = format
    stem = String(text[..<dot])
  }

  public var description: String { part(1) }

  /// Returns the name of a file of the recording: `show.mp4` is the first, `show-2.mp4` the second.
  func part(_ number: Int) -> String { "\(stem)\(number > 1 ? "-\(number)" : "").\(format.rawValue)" }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
