private import Foundation

// Numbers, text and bytes as values of fields.

extension Bool: FieldValue {
  package static var kind: FieldKind { .bool }
  package func write(to writer: inout ProtobufWriter) { writer.varint(self ? 1 : 0) }
  package mutating func merge(from reader: inout ProtobufReader) throws(MessageError) { self = try reader.varint() != 0 }
  package func write(to writer: inout JSONWriter) { writer.literal(self ? "true" : "false") }
  package mutating func merge(_ json: JSONTree, field: String) throws(MessageError) -> Bool {
    guard case .bool(let value) = json else { throw .wrongValue(field: field) }
    self = value
    return true
  }
}

/// A whole number of 32 or 64 bits. A negative one has the ten bytes of its 64-bit form.
package protocol WholeNumber: FieldValue, FixedWidthInteger {}

extension WholeNumber {
  package func write(to writer: inout ProtobufWriter) { writer.varint(UInt64(truncatingIfNeeded: self)) }
  package mutating func merge(from reader: inout ProtobufReader) throws(MessageError) {
    self = Self(truncatingIfNeeded: try reader.varint())
  }

  /// Numbers of 64 bits are text, because JavaScript's numbers have 53.
  package func write(to writer: inout JSONWriter) {
    if Self.bitWidth > 32 { writer.text("\(self)") } else { writer.literal("\(self)") }
  }

  package mutating func merge(_ json: JSONTree, field: String) throws(MessageError) -> Bool {
    let value: Self? =
      switch json {
      case .integer(let number): Self(exactly: number)
      case .unsigned(let number): Self(exactly: number)
      case .number(let number): Self(exactly: number)
      case .text(let text): Self(text)
      default: nil
      }
    guard let value else { throw .wrongValue(field: field) }
    self = value
    return true
  }
}

extension Int32: WholeNumber {
  package static var kind: FieldKind { .int32 }
}
extension Int64: WholeNumber {
  package static var kind: FieldKind { .int64 }
}
extension UInt32: WholeNumber {
  package static var kind: FieldKind { .uint32 }
}
extension UInt64: WholeNumber {
  package static var kind: FieldKind { .uint64 }
}

extension Double: FieldValue {
  package static var kind: FieldKind { .double }
  package func write(to writer: inout ProtobufWriter) { writer.fixed64(bitPattern) }
  package mutating func merge(from reader: inout ProtobufReader) throws(MessageError) {
    self = Double(bitPattern: try reader.fixed64())
  }

  package func write(to writer: inout JSONWriter) {
    if isFinite { writer.literal("\(self)") } else { writer.text(isNaN ? "NaN" : self < 0 ? "-Infinity" : "Infinity") }
  }

  package mutating func merge(_ json: JSONTree, field: String) throws(MessageError) -> Bool {
    switch json {
    case .integer(let number): self = Double(number)
    case .unsigned(let number): self = Double(number)
    case .number(let number): self = number
    case .text("NaN"): self = .nan
    case .text("Infinity"): self = .infinity
    case .text("-Infinity"): self = -.infinity
    case .text(let text):
      guard let number = Double(text), number.isFinite else { throw .wrongValue(field: field) }
      self = number
    default: throw .wrongValue(field: field)
    }
    return true
  }
}

extension Float: FieldValue {
  package static var kind: FieldKind { .float }
  package func write(to writer: inout ProtobufWriter) { writer.fixed32(bitPattern) }
  package mutating func merge(from reader: inout ProtobufReader) throws(MessageError) {
    self = Float(bitPattern: try reader.fixed32())
  }

  package func write(to writer: inout JSONWriter) {
    if isFinite { writer.literal("\(self)") } else { Double(self).write(to: &writer) }
  }

  package mutating func merge(_ json: JSONTree, field: String) throws(MessageError) -> Bool {
    var number = 0.0
    defer { self = Float(number) }
    return try number.merge(json, field: field)
  }
}

extension String: FieldValue {
  package static var kind: FieldKind { .text }
  package func write(to writer: inout ProtobufWriter) { writer.run(utf8) }
  package mutating func merge(from reader: inout ProtobufReader) throws(MessageError) {
    guard let text = String(validating: try reader.run(), as: UTF8.self) else { throw .notText }
    self = text
  }

  package func write(to writer: inout JSONWriter) { writer.text(self) }
  package mutating func merge(_ json: JSONTree, field: String) throws(MessageError) -> Bool {
    guard case .text(let text) = json else { throw .wrongValue(field: field) }
    self = text
    return true
  }
}

extension [UInt8]: FieldValue {
  package static var kind: FieldKind { .bytes }
  package func write(to writer: inout ProtobufWriter) { writer.run(self) }
  package mutating func merge(from reader: inout ProtobufReader) throws(MessageError) { self = Array(try reader.run()) }

  package func write(to writer: inout JSONWriter) { writer.text(Data(self).base64EncodedString()) }
  package mutating func merge(_ json: JSONTree, field: String) throws(MessageError) -> Bool {
    guard case .text(let text) = json, let bytes = Self(base64: text) else { throw .wrongValue(field: field) }
    self = bytes
    return true
  }

  /// Reads base64 of both alphabets, with or without padding. Returns nil if it is malformed.
  package init?(base64 text: String) {
    var standard = text.replacing("-", with: "+").replacing("_", with: "/").prefix { $0 != "=" }
    while standard.utf8.count % 4 != 0 { standard.append("=") }
    guard let bytes = Data(base64Encoded: String(standard)) else { return nil }
    self = Array(bytes)
  }
}
