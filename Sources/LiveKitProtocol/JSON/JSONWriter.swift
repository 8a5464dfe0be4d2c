/// The form of a message as JSON.
package struct JSONStyle: Sendable, Hashable {
  /// Whether members have the schema's own names (`track_sid`), instead of those in camel case (`trackSid`).
  package var hasSchemaNames: Bool
  /// Whether fields without a value are written: with zero, `""`, `[]`, `{}`, and `null` for a message.
  package var isComplete: Bool

  /// An answer of Twirp.
  package static let twirp = JSONStyle(hasSchemaNames: true, isComplete: true)
  /// The body of a webhook.
  package static let webhook = JSONStyle(hasSchemaNames: false, isComplete: false)
}

/// Writes JSON.
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []
  package let style: JSONStyle
  private var needsComma = false

  package init(_ style: JSONStyle) { self.style = style }

  package mutating func object(_ write: (inout Self) -> Void) { enclose("{", "}", write) }
  package mutating func list(_ write: (inout Self) -> Void) { enclose("[", "]", write) }

  /// Writes the name of a member; its value follows.
  package mutating func name(_ name: String) {
    text(name)
    append(":")
    needsComma = false
  }

  /// Writes a number, `true`, `false` or `null`.
  package mutating func literal(_ literal: String) {
    separate()
    append(literal)
  }

  package mutating func text(_ text: String) {
    separate()
    append("\"")
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        append("\\u00")
        bytes += [byte >> 4, byte & 0xF].map { $0 < 10 ? UInt8(ascii: "0") + $0 : UInt8(ascii: "a") + $0 - 10 }
      default: bytes.append(byte)
      }
    }
    append("\"")
  }

  private mutating func separate() {
    if needsComma { append(",") }
    needsComma = true
  }

  private mutating func enclose(_ open: String, _ close: String, _ write: (inout Self) -> Void) {
    separate()
    append(open)
    needsComma = false
    write(&self)
    append(close)
    needsComma = true
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
