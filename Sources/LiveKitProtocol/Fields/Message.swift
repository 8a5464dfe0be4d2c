package import Foundation

/// A message of the schema: a struct with a property for each field, and a table of them.
package protocol Message: FieldValue {
  static var fields: FieldTable<Self> { get }
}

extension Message {
  /// Creates a message and sets its properties.
  package init(_ set: (inout Self) -> Void) {
    self.init()
    set(&self)
  }

  /// Decodes protobuf.
  package init(protobuf bytes: [UInt8], limits: MessageLimits = MessageLimits()) throws(MessageError) {
    self.init()
    var reader = try ProtobufReader(bytes, limits: limits)
    try Self.fields.merge(into: &self, from: &reader)
  }

  /// The message as protobuf.
  package var protobuf: [UInt8] {
    var writer = ProtobufWriter()
    Self.fields.write(self, to: &writer)
    return writer.bytes
  }

  /// Decodes JSON with names of both styles. Unknown members are ignored.
  package init(json text: Data, limits: MessageLimits = MessageLimits()) throws(MessageError) {
    let tree = try JSONTree(text, limits: limits)
    guard case .object = tree else { throw .notJSON }
    self.init()
    try Self.fields.merge(into: &self, tree, field: Self.fields.name)
  }

  /// The message as JSON.
  package func json(_ style: JSONStyle) -> [UInt8] {
    var writer = JSONWriter(style)
    Self.fields.write(self, to: &writer)
    return writer.bytes
  }
}

// A message as the value of a field.
extension Message {
  package static var kind: FieldKind { .message(Self.self) }
  package func write(to writer: inout ProtobufWriter) { writer.nested { Self.fields.write(self, to: &$0) } }

  package mutating func merge(from reader: inout ProtobufReader) throws(MessageError) {
    let outer = try reader.enter()
    try Self.fields.merge(into: &self, from: &reader)
    reader.leave(outer)
  }

  package func write(to writer: inout JSONWriter) { Self.fields.write(self, to: &writer) }
  package mutating func merge(_ json: JSONTree, field: String) throws(MessageError) -> Bool {
    try Self.fields.merge(into: &self, json, field: field)
    return true
  }
}
