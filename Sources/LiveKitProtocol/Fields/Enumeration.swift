/// An enumeration that may grow: a value of a newer peer is kept as it is. In JSON it is a name, or a number without a name.
package protocol Enumeration: FieldValue, Hashable, RawRepresentable<Int32> {
  init(rawValue: Int32)
  /// The name of the enumeration in the schema.
  static var schemaName: String { get }
  /// The values' names in the schema.
  static var names: [Int32: String] { get }
}

extension Enumeration {
  package init() { self.init(rawValue: 0) }
  package static var kind: FieldKind { .enumeration(Self.self) }

  package func write(to writer: inout ProtobufWriter) { rawValue.write(to: &writer) }
  package mutating func merge(from reader: inout ProtobufReader) throws(MessageError) {
    self = Self(rawValue: Int32(truncatingIfNeeded: try reader.varint()))
  }

  package func write(to writer: inout JSONWriter) {
    if let name = Self.names[rawValue] { writer.text(name) } else { writer.literal("\(rawValue)") }
  }

  package mutating func merge(_ json: JSONTree, field: String) throws(MessageError) -> Bool {
    guard case .text(let name) = json else {
      var number: Int32 = 0
      defer { self = Self(rawValue: number) }
      return try number.merge(json, field: field)
    }
    guard let value = Self.names.first(where: { $0.value == name })?.key else { return false }
    self = Self(rawValue: value)
    return true
  }
}
