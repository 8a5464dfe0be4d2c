/// A decoder that records which members of a JSON document are read, at every depth.
///
/// The members that a type's `init(from:)` reads are those that it knows, so no separate list of names is needed. After
/// decoding, ``JSONMembers/unknown`` names a member that is present and was not read.
struct StrictDecoder: Decoder {
  private let decoder: any Decoder
  fileprivate let members: JSONMembers

  init(_ decoder: any Decoder, noting members: JSONMembers) {
    self.decoder = decoder
    self.members = members
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { decoder.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    members.add(try decoder.container(keyedBy: AnyKey.self).allKeys)
    return KeyedDecodingContainer(StrictObject(object: try decoder.container(keyedBy: type), members: members))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    StrictList(list: try decoder.unkeyedContainer(), members: members)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    StrictValue(value: try decoder.singleValueContainer(), decoder: self)
  }

  fileprivate func decode<Value: Decodable>() throws -> Value {
    // A scalar decodes itself from a single value container; that container's own decoder ends the recursion.
    switch Value.self {
    case is String.Type, is Bool.Type, is any FixedWidthInteger.Type, is any BinaryFloatingPoint.Type:
      try decoder.singleValueContainer().decode(Value.self)
    default: try Value(from: self)
    }
  }

  private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

/// The members of a JSON document: those that are present, and those that were read.
final class JSONMembers {
  private var present: Set<String> = []
  private var known: Set<String> = []
  /// The members that are objects or lists; the elements of a list by "[index]".
  private var inside: [String: JSONMembers] = [:]

  fileprivate func add(_ keys: [some CodingKey]) { present.formUnion(keys.map(\.stringValue)) }
  fileprivate func ask(for name: String) { known.insert(name) }

  fileprivate func members(of name: String) -> JSONMembers {
    if let members = inside[name] { return members }
    let members = JSONMembers()
    inside[name] = members
    return members
  }

  /// A member that was not read; nil if there is none.
  var unknown: (name: String, path: String, known: [String])? { unknown(at: "") }

  private func unknown(at path: String) -> (name: String, path: String, known: [String])? {
    if let name = present.subtracting(known).min() { return (name, path, known.sorted()) }
    for (name, members) in inside.sorted(by: { $0.key < $1.key }) {
      let separator = path.isEmpty || name.hasPrefix("[") ? "" : "."
      if let unknown = members.unknown(at: path + separator + name) { return unknown }
    }
    return nil
  }
}

private struct StrictObject<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let object: KeyedDecodingContainer<Key>
  let members: JSONMembers

  var codingPath: [any CodingKey] { object.codingPath }
  var allKeys: [Key] { object.allKeys }

  func contains(_ key: Key) -> Bool {
    members.ask(for: key.stringValue)
    return object.contains(key)
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    members.ask(for: key.stringValue)
    return try object.decodeNil(forKey: key)
  }

  func decode<Value: Decodable>(_: Value.Type, forKey key: Key) throws -> Value { try decoder(of: key).decode() }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
    try decoder(of: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(of: key).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder { StrictDecoder(try object.superDecoder(), noting: members.members(of: "super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(of: key) }

  private func decoder(of key: Key) throws -> StrictDecoder {
    guard contains(key) else {
      throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "the member is missing"))
    }
    return StrictDecoder(try object.superDecoder(forKey: key), noting: members.members(of: key.stringValue))
  }
}

private struct StrictList: UnkeyedDecodingContainer {
  var list: any UnkeyedDecodingContainer
  let members: JSONMembers

  var codingPath: [any CodingKey] { list.codingPath }
  var count: Int? { list.count }
  var isAtEnd: Bool { list.isAtEnd }
  var currentIndex: Int { list.currentIndex }

  mutating func decodeNil() throws -> Bool { try list.decodeNil() }
  mutating func decode<Value: Decodable>(_: Value.Type) throws -> Value { try next().decode() }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
    try next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }
  mutating func superDecoder() throws -> any Decoder { try next() }

  private mutating func next() throws -> StrictDecoder {
    let name = "[\(currentIndex)]"
    return StrictDecoder(try list.superDecoder(), noting: members.members(of: name))
  }
}

private struct StrictValue: SingleValueDecodingContainer {
  let value: any SingleValueDecodingContainer
  let decoder: StrictDecoder

  var codingPath: [any CodingKey] { value.codingPath }
  func decodeNil() -> Bool { value.decodeNil() }
  func decode<Value: Decodable>(_: Value.Type) throws -> Value { try decoder.decode() }
}
