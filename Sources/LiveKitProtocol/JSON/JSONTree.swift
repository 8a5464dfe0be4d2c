package import Foundation

/// A JSON value, read without a type in mind.
package enum JSONTree: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// A number that `integer` can't express.
  case number(Double)
  /// A whole number above the range of `integer`.
  case unsigned(UInt64)
  case text(String)
  case list([JSONTree])
  case object([String: JSONTree])

  /// Parses a text.
  /// - Throws: `notJSON`, `tooLarge`.
  package init(_ text: Data, limits: MessageLimits) throws(MessageError) {
    guard text.count <= limits.bytes else { throw .tooLarge }
    guard let tree = try? JSONDecoder().decode(JSONTree.self, from: text) else { throw .notJSON }
    guard tree.elements <= limits.elements else { throw .tooLarge }
    self = tree
  }

  /// The members of all lists and objects.
  private var elements: Int {
    switch self {
    case .list(let members): members.reduce(members.count) { $0 + $1.elements }
    case .object(let members): members.reduce(members.count) { $0 + $1.value.elements }
    default: 0
    }
  }
}

extension JSONTree: Decodable {
  /// Levels of lists and objects.
  private static let depth = 32

  package init(from decoder: any Decoder) throws {
    guard decoder.codingPath.count <= Self.depth else { throw MessageError.tooLarge }
    if let members = try? decoder.container(keyedBy: AnyKey.self) {
      var object: [String: JSONTree] = [:]
      for key in members.allKeys { object[key.stringValue] = try members.decode(JSONTree.self, forKey: key) }
      self = .object(object)
    } else if var members = try? decoder.unkeyedContainer() {
      var list: [JSONTree] = []
      while !members.isAtEnd { list.append(try members.decode(JSONTree.self)) }
      self = .list(list)
    } else {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        self = .null
      } else if let text = try? value.decode(String.self) {
        self = .text(text)
      } else if let bool = try? value.decode(Bool.self) {
        self = .bool(bool)
      } else if let integer = try? value.decode(Int64.self) {
        self = .integer(integer)
      } else if let unsigned = try? value.decode(UInt64.self) {
        self = .unsigned(unsigned)
      } else {
        self = .number(try value.decode(Double.self))
      }
    }
  }

  private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}
