/// Checks whether a text is one JSON value (RFC 8259) without building it. The server passes on an app's JSON without decoding
/// it.
public struct JSONText {
  /// The largest nesting depth of arrays and objects.
  public static let depth = 64

  private var bytes: Substring.UTF8View

  /// Returns whether a text is exactly one JSON value, with only whitespace around it, nested at most ``depth`` levels.
  public static func isWhole(_ text: String) -> Bool {
    var reader = JSONText(bytes: Substring(text).utf8)
    guard reader.value(inside: 0) else { return false }
    reader.skipBlanks()
    return reader.bytes.isEmpty
  }

  private mutating func skipBlanks() {
    while let byte = bytes.first, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { bytes.removeFirst() }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard bytes.first == byte else { return false }
    bytes.removeFirst()
    return true
  }

  private mutating func take(word: StaticString) -> Bool {
    for index in 0..<word.utf8CodeUnitCount where !take(word.utf8Start[index]) { return false }
    return true
  }

  private mutating func value(inside level: Int) -> Bool {
    skipBlanks()
    switch bytes.first {
    case UInt8(ascii: "{"): return level < Self.depth && object(inside: level + 1)
    case UInt8(ascii: "["): return level < Self.depth && list(inside: level + 1)
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: "t"): return take(word: "true")
    case UInt8(ascii: "f"): return take(word: "false")
    case UInt8(ascii: "n"): return take(word: "null")
    default: return number()
    }
  }

  private mutating func object(inside level: Int) -> Bool {
    bytes.removeFirst()
    skipBlanks()
    if take(UInt8(ascii: "}")) { return true }
    repeat {
      skipBlanks()
      guard string() else { return false }
      skipBlanks()
      guard take(UInt8(ascii: ":")), value(inside: level) else { return false }
      skipBlanks()
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "}"))
  }

  private mutating func list(inside level: Int) -> Bool {
    bytes.removeFirst()
    skipBlanks()
    if take(UInt8(ascii: "]")) { return true }
    repeat {
      guard value(inside: level) else { return false }
      skipBlanks()
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "]"))
  }

  private mutating func string() -> Bool {
    guard take(UInt8(ascii: "\"")) else { return false }
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "\""): return true
      case UInt8(ascii: "\\"): guard escape() else { return false }
      case 0..<0x20: return false
      default: break
      }
    }
    return false
  }

  private mutating func escape() -> Bool {
    switch bytes.popFirst() {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
      UInt8(ascii: "r"), UInt8(ascii: "t"):
      return true
    case UInt8(ascii: "u"):
      for _ in 0..<4 {
        guard let byte = bytes.popFirst() else { return false }
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
          UInt8(ascii: "A")...UInt8(ascii: "F"):
          break
        default: return false
        }
      }
      return true
    default: return false
    }
  }

  private mutating func number() -> Bool {
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { guard digits() else { return false } }
    if take(UInt8(ascii: ".")) { guard digits() else { return false } }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      return digits()
    }
    return true
  }

  /// Consumes one or more digits.
  private mutating func digits() -> Bool {
    var any = false
    while let byte = bytes.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
      bytes.removeFirst()
      any = true
    }
    return any
  }
}
