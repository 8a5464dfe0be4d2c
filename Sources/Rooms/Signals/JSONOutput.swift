import Foundation
import RoomProtocol

/// Writes JSON in UTF-8 field by field, byte for byte as `JSONEncoder` with `sortedKeys` and `withoutEscapingSlashes`.
///
/// The writer is intended for lists as long as a room: `JSONEncoder` takes several microseconds for each participant.
struct JSONOutput: Sendable {
  private(set) var bytes: [UInt8] = []
  private let encoder: JSONEncoder

  /// - Parameter encoder: encodes the values that are not written field by field.
  init(_ encoder: JSONEncoder) { self.encoder = encoder }

  /// Writes a ``SignalAnswer`` to a request; `body` writes the result.
  mutating func write(inAnswerTo request: Int, _ body: (inout Self) throws -> Void) rethrows {
    raw("{\"id\":")
    number(request)
    raw(",\"result\":")
    try body(&self)
    raw("}")
  }

  /// Writes JSON text unchanged.
  mutating func raw(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func raw(_ json: some Collection<UInt8>) { bytes.append(contentsOf: json) }

  mutating func number(_ value: some FixedWidthInteger) { bytes.append(contentsOf: String(value).utf8) }

  mutating func flag(_ value: Bool) { if value { raw("true") } else { raw("false") } }

  mutating func text(_ value: String) {
    bytes.append(Self.quote)
    var value = value
    value.withUTF8 { utf8 in
      if utf8.allSatisfy({ $0 >= 0x20 && $0 != Self.quote && $0 != Self.backslash }) {
        bytes.append(contentsOf: utf8)
      } else {
        for byte in utf8 { escape(byte) }
      }
    }
    bytes.append(Self.quote)
  }

  mutating func text(_ name: some Identifier) { text(name.rawValue) }

  mutating func list<Element>(_ values: [Element], _ write: (inout Self, Element) -> Void) {
    raw("[")
    for (index, value) in values.enumerated() {
      if index > 0 { raw(",") }
      write(&self, value)
    }
    raw("]")
  }

  mutating func encoded(_ value: some Encodable) throws { bytes.append(contentsOf: try encoder.encode(value)) }

  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")
  private static let digits = Array("0123456789abcdef".utf8)

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case Self.quote: raw("\\\"")
    case Self.backslash: raw("\\\\")
    case 0x08: raw("\\b")
    case 0x09: raw("\\t")
    case 0x0A: raw("\\n")
    case 0x0C: raw("\\f")
    case 0x0D: raw("\\r")
    case ..<0x20:
      raw("\\u00")
      bytes.append(Self.digits[Int(byte >> 4)])
      bytes.append(Self.digits[Int(byte & 0xF)])
    default: bytes.append(byte)
    }
  }
}
