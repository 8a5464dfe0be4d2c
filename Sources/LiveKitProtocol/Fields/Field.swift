/// One field of a message: its number and name in the schema, and the property that has its value. Serves both protobuf and
/// JSON.
package struct Field<Owner: Message>: Sendable {
  package let number: UInt32
  /// The name in the schema: `track_sid`.
  package let name: String
  /// The name in JSON: `trackSid`.
  package let camelName: String
  package let kind: FieldKind
  package let cardinality: Cardinality

  let write: @Sendable (Owner, inout ProtobufWriter) -> Void
  /// Reads the value behind a tag with the field's number.
  let read: @Sendable (inout Owner, WireType, inout ProtobufReader) throws(MessageError) -> Void
  let writeJSON: @Sendable (Owner, inout JSONWriter) -> Void
  /// Reads a value that is not `null`.
  let readJSON: @Sendable (inout Owner, JSONTree) throws(MessageError) -> Void

  private init(
    _ number: UInt32, _ name: String, _ kind: FieldKind, _ cardinality: Cardinality,
    write: @escaping @Sendable (Owner, inout ProtobufWriter) -> Void,
    read: @escaping @Sendable (inout Owner, WireType, inout ProtobufReader) throws(MessageError) -> Void,
    writeJSON: @escaping @Sendable (Owner, inout JSONWriter) -> Void,
    readJSON: @escaping @Sendable (inout Owner, JSONTree) throws(MessageError) -> Void
  ) {
    self.number = number
    self.name = name
    camelName = Self.camelCase(name)
    self.kind = kind
    self.cardinality = cardinality
    self.write = write
    self.read = read
    self.writeJSON = writeJSON
    self.readJSON = readJSON
  }

  /// Upper-cases each letter behind an underscore, and drops the underscores.
  private static func camelCase(_ name: String) -> String {
    let words = name.split(separator: "_")
    return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  private static func memberName(_ name: String, _ writer: JSONWriter) -> String {
    writer.style.hasSchemaNames ? name : camelCase(name)
  }
}

extension Field {
  /// A value that is always there; zero is not written.
  package init<Value: FieldValue>(_ number: UInt32, _ name: String, _ path: WritableKeyPath<Owner, Value> & Sendable) {
    let kind = Value.kind
    self.init(
      number, name, kind, .one,
      write: { owner, writer in
        let value = owner[keyPath: path]
        if value == Value() { return }
        writer.tag(number, kind.wireType)
        value.write(to: &writer)
      },
      read: { (owner, type, reader) throws(MessageError) in
        if type == kind.wireType { try owner[keyPath: path].merge(from: &reader) } else { try reader.skip(type) }
      },
      writeJSON: { owner, writer in
        let value = owner[keyPath: path]
        if value == Value(), !writer.style.isComplete { return }
        writer.name(Self.memberName(name, writer))
        value.write(to: &writer)
      },
      readJSON: { (owner, json) throws(MessageError) in _ = try owner[keyPath: path].merge(json, field: name) })
  }

  /// A message, or a value of which zero differs from none.
  package init<Value: FieldValue>(_ number: UInt32, _ name: String, _ path: WritableKeyPath<Owner, Value?> & Sendable) {
    self.init(number, name, .optional, get: { $0[keyPath: path] }, set: { $0[keyPath: path] = $1 })
  }

  /// One of the fields of a group, of which a message has one at most.
  /// - Parameters:
  ///   - group: the name of the group in the schema.
  ///   - path: the group's property.
  ///   - make: makes the group's case of a value.
  ///   - get: returns the value of the group's case, or nil for another case.
  package init<Group, Value: FieldValue>(
    _ number: UInt32, _ name: String, of group: String, _ path: WritableKeyPath<Owner, Group?> & Sendable,
    _ make: @escaping @Sendable (Value) -> Group, _ get: @escaping @Sendable (Group) -> Value?
  ) {
    self.init(
      number, name, .choice(group), get: { $0[keyPath: path].flatMap(get) }, set: { $0[keyPath: path] = make($1) })
  }

  private init<Value: FieldValue>(
    _ number: UInt32, _ name: String, _ cardinality: Cardinality, get: @escaping @Sendable (Owner) -> Value?,
    set: @escaping @Sendable (inout Owner, Value) -> Void
  ) {
    let kind = Value.kind
    // Only a message without a value is `null` in a complete form; other optional values and choices are left out.
    let isShownAsNull = if case .message = kind { cardinality == .optional } else { false }
    self.init(
      number, name, kind, cardinality,
      write: { owner, writer in
        guard let value = get(owner) else { return }
        writer.tag(number, kind.wireType)
        value.write(to: &writer)
      },
      read: { (owner, type, reader) throws(MessageError) in
        guard type == kind.wireType else {
          try reader.skip(type)
          return
        }
        var value = get(owner) ?? Value()
        try value.merge(from: &reader)
        set(&owner, value)
      },
      writeJSON: { owner, writer in
        let value = get(owner)
        guard value != nil || isShownAsNull && writer.style.isComplete else { return }
        writer.name(Self.memberName(name, writer))
        if let value { value.write(to: &writer) } else { writer.literal("null") }
      },
      readJSON: { (owner, json) throws(MessageError) in
        var value = get(owner) ?? Value()
        if try value.merge(json, field: name) { set(&owner, value) }
      })
  }

  /// A list. Numbers are read packed and one by one, and written packed.
  package init<Value: FieldValue>(_ number: UInt32, _ name: String, list path: WritableKeyPath<Owner, [Value]> & Sendable) {
    let kind = Value.kind
    self.init(
      number, name, kind, .list,
      write: { owner, writer in
        let values = owner[keyPath: path]
        if values.isEmpty { return }
        if kind.isPacked {
          writer.tag(number, .run)
          writer.nested { writer in for value in values { value.write(to: &writer) } }
        } else {
          for value in values {
            writer.tag(number, kind.wireType)
            value.write(to: &writer)
          }
        }
      },
      read: { (owner, type, reader) throws(MessageError) in
        if type == kind.wireType {
          owner[keyPath: path].append(try Self.element(&reader))
        } else if type == .run, kind.isPacked {
          let outer = try reader.enter()
          while !reader.isAtEnd { owner[keyPath: path].append(try Self.element(&reader)) }
          reader.leave(outer)
        } else {
          try reader.skip(type)
        }
      },
      writeJSON: { owner, writer in
        let values = owner[keyPath: path]
        if values.isEmpty, !writer.style.isComplete { return }
        writer.name(Self.memberName(name, writer))
        writer.list { writer in for value in values { value.write(to: &writer) } }
      },
      readJSON: { (owner, json) throws(MessageError) in
        guard case .list(let members) = json else { throw .wrongValue(field: name) }
        for member in members {
          var value = Value()
          if try value.merge(member, field: name) { owner[keyPath: path].append(value) }
        }
      })
  }

  /// A map of texts to values: on the wire a list of messages with the fields 1 (text) and 2 (value).
  package init<Value: FieldValue>(
    _ number: UInt32, _ name: String, map path: WritableKeyPath<Owner, [String: Value]> & Sendable
  ) {
    let kind = Value.kind
    self.init(
      number, name, kind, .map,
      write: { owner, writer in
        for (key, value) in owner[keyPath: path].sorted(by: { $0.key < $1.key }) {
          writer.tag(number, .run)
          writer.nested { writer in
            writer.tag(1, .run)
            key.write(to: &writer)
            writer.tag(2, kind.wireType)
            value.write(to: &writer)
          }
        }
      },
      read: { (owner, type, reader) throws(MessageError) in
        guard type == .run else {
          try reader.skip(type)
          return
        }
        try reader.countElement()
        var key = ""
        var value = Value()
        let outer = try reader.enter()
        while let (number, type) = try reader.tag() {
          switch number {
          case 1 where type == .run: try key.merge(from: &reader)
          case 2 where type == kind.wireType: try value.merge(from: &reader)
          default: try reader.skip(type)
          }
        }
        reader.leave(outer)
        owner[keyPath: path][key] = value
      },
      writeJSON: { owner, writer in
        let entries = owner[keyPath: path]
        if entries.isEmpty, !writer.style.isComplete { return }
        writer.name(Self.memberName(name, writer))
        writer.object { writer in
          for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            writer.name(key)
            value.write(to: &writer)
          }
        }
      },
      readJSON: { (owner, json) throws(MessageError) in
        guard case .object(let members) = json else { throw .wrongValue(field: name) }
        for (key, member) in members {
          var value = Value()
          if try value.merge(member, field: name) { owner[keyPath: path][key] = value }
        }
      })
  }

  private static func element<Value: FieldValue>(_ reader: inout ProtobufReader) throws(MessageError) -> Value {
    try reader.countElement()
    var value = Value()
    try value.merge(from: &reader)
    return value
  }
}
