/// The fields of a message. One table serves protobuf and JSON, in both directions.
package struct FieldTable<Owner: Message>: Sendable {
  /// The message's name in the schema, without its package.
  package let name: String
  /// By number.
  package let fields: [Field<Owner>]
  /// The property that keeps unknown fields as they are on the wire; nil if they are dropped.
  private let unknown: (WritableKeyPath<Owner, [UInt8]> & Sendable)?
  private let indices: [UInt32: Int]
  private let names: [String: Int]

  package init(_ name: String, @FieldsBuilder<Owner> _ fields: () -> [Field<Owner>]) {
    self.init(name, fields(), unknown: nil)
  }

  /// - Parameter unknown: the property that keeps unknown fields.
  package init(
    _ name: String, unknown: WritableKeyPath<Owner, [UInt8]> & Sendable, @FieldsBuilder<Owner> _ fields: () -> [Field<Owner>]
  ) {
    self.init(name, fields(), unknown: unknown)
  }

  private init(_ name: String, _ fields: [Field<Owner>], unknown: (WritableKeyPath<Owner, [UInt8]> & Sendable)?) {
    self.name = name
    self.unknown = unknown
    let fields = fields.sorted { $0.number < $1.number }
    self.fields = fields
    indices = Dictionary(fields.enumerated().map { ($1.number, $0) }) { first, _ in first }
    names = Dictionary(fields.enumerated().flatMap { [($1.name, $0), ($1.camelName, $0)] }) { first, _ in first }
  }

  func write(_ owner: Owner, to writer: inout ProtobufWriter) {
    for field in fields { field.write(owner, &writer) }
    if let unknown { writer.append(owner[keyPath: unknown]) }
  }

  /// Reads the innermost message to its end.
  func merge(into owner: inout Owner, from reader: inout ProtobufReader) throws(MessageError) {
    while let (number, type) = try reader.tag() {
      if let index = indices[number] {
        try fields[index].read(&owner, type, &reader)
        continue
      }
      let value = try reader.skip(type)
      guard let unknown else { continue }
      var writer = ProtobufWriter()
      writer.tag(number, type)
      owner[keyPath: unknown] += writer.bytes + value
    }
  }

  func write(_ owner: Owner, to writer: inout JSONWriter) {
    writer.object { writer in for field in fields { field.writeJSON(owner, &writer) } }
  }

  func merge(into owner: inout Owner, _ json: JSONTree, field: String) throws(MessageError) {
    guard case .object(let members) = json else { throw .wrongValue(field: field) }
    for (name, value) in members where value != .null {
      if let index = names[name] { try fields[index].readJSON(&owner, value) }
    }
  }
}

/// Checks each field of a table apart: the types of a long list take the compiler too long.
@resultBuilder package enum FieldsBuilder<Owner: Message> {
  package static func buildExpression(_ field: Field<Owner>) -> [Field<Owner>] { [field] }
  /// The fields of a group.
  package static func buildExpression(_ fields: [Field<Owner>]) -> [Field<Owner>] { fields }
  package static func buildBlock(_ fields: [Field<Owner>]...) -> [Field<Owner>] { fields.flatMap(\.self) }
}
