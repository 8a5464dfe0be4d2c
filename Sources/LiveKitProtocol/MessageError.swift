/// The reason why bytes are not a message.
package enum MessageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes end within a field.
  case truncated
  /// A number, a tag or a length that protobuf does not allow.
  case malformed
  /// Text that is not UTF-8.
  case notText
  /// More bytes, elements or levels than ``MessageLimits`` allows.
  case tooLarge
  /// Not JSON, or not a JSON object.
  case notJSON
  /// A JSON value of the wrong type, or out of range.
  case wrongValue(field: String)

  package var description: String {
    switch self {
    case .truncated: "the message ends within a field"
    case .malformed: "the message is not protobuf"
    case .notText: "the message has text that is not UTF-8"
    case .tooLarge: "the message is too large"
    case .notJSON: "the message is not a JSON object"
    case .wrongValue(let field): "the value of \"\(field)\" has the wrong type or is out of range"
    }
  }
}

/// What a message may cost its reader. An empty message in a list has two bytes on the wire, and some hundred in memory.
package struct MessageLimits: Sendable {
  /// Bytes on the wire.
  package var bytes: Int
  /// Members of all lists and maps.
  package var elements: Int
  /// Levels of nested messages. A message of a client has at most five.
  package var depth: Int

  package init(bytes: Int = 256 * 1024, elements: Int = 4096, depth: Int = 12) {
    self.bytes = bytes
    self.elements = elements
    self.depth = depth
  }
}
