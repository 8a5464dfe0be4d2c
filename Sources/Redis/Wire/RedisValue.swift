/// A value of the protocol RESP2: a reply, or a part of one.
public enum RedisValue: Sendable, Hashable {
  case null
  case integer(Int64)
  /// A simple string, such as `OK`.
  case status(String)
  /// An error as the server sent it: a code in capitals, a space and a sentence.
  case error(String)
  case bytes([UInt8])
  case array([RedisValue])

  /// The text of a string; nil for other values.
  public var text: String? {
    switch self {
    case .status(let text): text
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .null, .integer, .error, .array: nil
    }
  }

  /// The number of an integer, or of a string of digits; nil for other values.
  public var number: Int64? {
    if case .integer(let number) = self { number } else { text.flatMap { Int64($0) } }
  }

  /// The bytes of a string; nil for other values.
  public var bytes: [UInt8]? {
    switch self {
    case .bytes(let bytes): bytes
    case .status(let text): Array(text.utf8)
    case .null, .integer, .error, .array: nil
    }
  }

  /// The text of an error by which a node of a Redis Cluster says that it has not carried out a command, and that another node,
  /// or the same one later, does; nil for other values. The errors of a slot that is being moved are not among them: its new
  /// node has only some of the keys.
  var redirect: String? {
    guard case .error(let text) = self, text.hasPrefix("MOVED ") || text.hasPrefix("CLUSTERDOWN ") else { return nil }
    return text
  }

  /// The elements of an array; nil for other values.
  public var elements: [RedisValue]? { if case .array(let elements) = self { elements } else { nil } }
}
