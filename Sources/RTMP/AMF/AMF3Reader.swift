/// Reads AMF3 values (AMF 3 specification §3) that occur within AMF0 after its switch marker (AMF0 §3.1).
///
/// A reference to an earlier object reads as `undefined`, because a few hundred bytes of such references could expand to a
/// value of any size. References to strings and to classes are resolved, because they cost no memory.
struct AMF3Reader: ~Copyable {
  /// A class's name, and the property names that its objects omit (§3.12).
  private struct Traits {
    var className = ""
    var names: [String] = []
    var isDynamic = false
  }

  fileprivate(set) var reader: ByteReader
  fileprivate(set) var values: Int
  private let limits: AMFLimits
  private var strings: [String] = []
  private var traits: [Traits] = []
  private var objects = 0

  /// Continues from `reader`; `values` have been read before.
  init(_ reader: ByteReader, limits: AMFLimits, values: Int = 0) {
    self.reader = reader
    self.limits = limits
    self.values = values
  }

  mutating func value(depth: Int = 0) throws(AMFError) -> AMFValue {
    values += 1
    guard values <= limits.values else { throw .tooManyValues }
    guard depth <= limits.depth else { throw .tooDeep }
    guard let marker = reader.uint8() else { throw .truncated }
    switch marker {
    case 0x00: return .undefined
    case 0x01: return .null
    case 0x02: return .boolean(false)
    case 0x03: return .boolean(true)
    case 0x04:
      // 29 bits in two's complement (§3.6).
      return .number(Double(Int32(bitPattern: try u29() << 3) >> 3))
    case 0x05: return .number(try double())
    case 0x06: return .string(try string())
    case 0x0a: return try object(depth: depth)
    case 0x07, 0x08, 0x09, 0x0b...0x11:
      let header = try u29()
      guard header & 1 == 1 else { return try reference(header) }
      objects += 1
      return try complex(marker, count: Int(header >> 1), depth: depth)
    default: throw .unknownMarker(marker)
    }
  }

  /// Reads a value that can be referenced, except objects and strings. `count` is the header without its first bit.
  private mutating func complex(_ marker: UInt8, count: Int, depth: Int) throws(AMFError) -> AMFValue {
    switch marker {
    case 0x07, 0x0b:
      guard let text = reader.string(count) else { throw .truncated }
      return .string(text)
    case 0x08: return .date(milliseconds: try double())
    case 0x09: return try array(count, depth: depth)
    case 0x0c:
      guard let bytes = reader.bytes(count) else { throw .truncated }
      return .bytes(Array(bytes))
    case 0x11:
      guard reader.uint8() != nil else { throw .truncated }
      // Keys need not be strings, so the pairs become a plain array.
      return .array(
        try elements(count, depth: depth) { (self: inout Self, depth) throws(AMFError) in
          .array([try self.value(depth: depth), try self.value(depth: depth)])
        })
    default:
      // Vectors: the flag for a fixed length does not affect what follows.
      guard reader.uint8() != nil else { throw .truncated }
      if marker == 0x10 { _ = try string() }
      return .array(
        try elements(count, depth: depth) { (self: inout Self, depth) throws(AMFError) in
          try self.vectorElement(marker, depth: depth)
        })
    }
  }

  private mutating func vectorElement(_ marker: UInt8, depth: Int) throws(AMFError) -> AMFValue {
    switch marker {
    case 0x0d:
      guard let value = reader.uint32() else { throw .truncated }
      return .number(Double(Int32(bitPattern: value)))
    case 0x0e:
      guard let value = reader.uint32() else { throw .truncated }
      return .number(Double(value))
    case 0x0f: return .number(try double())
    default: return try value(depth: depth)
    }
  }

  /// Reads `count` elements, each counted against the limit, so that a false count fails early.
  private mutating func elements(
    _ count: Int, depth: Int, _ element: (inout Self, Int) throws(AMFError) -> AMFValue
  ) throws(AMFError) -> [AMFValue] {
    var elements: [AMFValue] = []
    for _ in 0..<count {
      values += 1
      guard values <= limits.values else { throw .tooManyValues }
      elements.append(try element(&self, depth + 1))
    }
    return elements
  }

  /// Reads named values first, then those with indices (§3.11).
  private mutating func array(_ count: Int, depth: Int) throws(AMFError) -> AMFValue {
    let named = try dynamicProperties(depth: depth)
    let elements = try elements(count, depth: depth) { (self: inout Self, depth) throws(AMFError) in
      try self.value(depth: depth)
    }
    guard !named.isEmpty else { return .array(elements) }
    let indexed = elements.enumerated().map { AMFObject.Property(String($0.offset), $0.element) }
    return .ecmaArray(AMFObject(named + indexed))
  }

  /// Reads names and values up to the empty name.
  private mutating func dynamicProperties(depth: Int) throws(AMFError) -> [AMFObject.Property] {
    var properties: [AMFObject.Property] = []
    while true {
      let name = try string()
      if name.isEmpty { return properties }
      properties.append(AMFObject.Property(name, try value(depth: depth + 1)))
    }
  }

  private mutating func object(depth: Int) throws(AMFError) -> AMFValue {
    let header = try u29()
    guard header & 1 == 1 else { return try reference(header) }
    objects += 1
    let traits = try traits(header)
    var object = AMFObject()
    for name in traits.names { object.properties.append(AMFObject.Property(name, try value(depth: depth + 1))) }
    if traits.isDynamic { object.properties += try dynamicProperties(depth: depth) }
    return traits.className.isEmpty ? .object(object) : .typedObject(traits.className, object)
  }

  private mutating func traits(_ header: UInt32) throws(AMFError) -> Traits {
    if header & 0b10 == 0 {
      let index = Int(header >> 2)
      guard index < traits.count else { throw .reference }
      return traits[index]
    }
    guard header & 0b100 == 0 else { throw .externalizable }
    var new = Traits(className: try string(), isDynamic: header & 0b1000 != 0)
    for _ in 0..<(header >> 4) {
      values += 1
      guard values <= limits.values else { throw .tooManyValues }
      new.names.append(try string())
    }
    traits.append(new)
    return new
  }

  private func reference(_ header: UInt32) throws(AMFError) -> AMFValue {
    guard header >> 1 < objects else { throw .reference }
    return .undefined
  }

  private mutating func string() throws(AMFError) -> String {
    let header = try u29()
    if header & 1 == 0 {
      let index = Int(header >> 1)
      guard index < strings.count else { throw .reference }
      return strings[index]
    }
    guard let text = reader.string(Int(header >> 1)) else { throw .truncated }
    // The empty string is never referenced (§1.3.2).
    if !text.isEmpty { strings.append(text) }
    return text
  }

  private mutating func double() throws(AMFError) -> Double {
    guard let value = reader.double() else { throw .truncated }
    return value
  }

  /// Reads a 29-bit integer of one to four bytes (§1.3.1).
  private mutating func u29() throws(AMFError) -> UInt32 {
    var value: UInt32 = 0
    for index in 0..<4 {
      guard let byte = reader.uint8() else { throw .truncated }
      if index == 3 { return value << 8 | UInt32(byte) }
      value = value << 7 | UInt32(byte & 0x7f)
      if byte & 0x80 == 0 { return value }
    }
    return value
  }
}
