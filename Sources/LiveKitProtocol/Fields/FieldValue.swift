/// A type of the values that fields have: a form in protobuf and a form in JSON.
package protocol FieldValue: Sendable, Equatable {
  /// The value of an absent field.
  init()
  static var kind: FieldKind { get }

  /// Writes the value without its tag.
  func write(to writer: inout ProtobufWriter)
  /// Reads a value of the kind's wire type. A message that is there twice is merged, any other value replaced.
  mutating func merge(from reader: inout ProtobufReader) throws(MessageError)

  func write(to writer: inout JSONWriter)
  /// Reads a value that is not `null`.
  /// - Returns: false for an enumeration's unknown name, which is ignored like an unknown field.
  mutating func merge(_ json: JSONTree, field: String) throws(MessageError) -> Bool
}

/// The kind of a field's value, for readers that do not know the field's type.
package enum FieldKind: Sendable {
  case bool, int32, int64, uint32, uint64, float, double, text, bytes
  case enumeration(any Enumeration.Type)
  case message(any Message.Type)

  package var wireType: WireType {
    switch self {
    case .bool, .int32, .int64, .uint32, .uint64, .enumeration: .varint
    case .float: .fixed32
    case .double: .fixed64
    case .text, .bytes, .message: .run
    }
  }

  /// Whether a list of such values is one run without tags.
  package var isPacked: Bool { wireType != .run }
}

/// How often a field has a value.
package enum Cardinality: Hashable, Sendable {
  /// Once; zero is written like no value.
  case one
  /// Once or never; zero is a value.
  case optional
  case list
  /// A value for each text.
  case map
  /// One of the fields of that group at most.
  case choice(String)
}
