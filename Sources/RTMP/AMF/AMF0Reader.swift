/// Reads AMF0 values in sequence (AMF 0 specification §2), and switches to AMF3 at the AMF3 marker.
public struct AMF0Reader: ~Copyable {
  private var reader: ByteReader
  private let limits: AMFLimits
  private var values = 0

  /// Reads in place: `bytes` must outlive the reader.
  public init(_ bytes: UnsafeRawBufferPointer, limits: AMFLimits = AMFLimits()) {
    reader = ByteReader(bytes)
    self.limits = limits
  }

  /// Returns all values of `bytes`.
  public static func values(of bytes: UnsafeRawBufferPointer, limits: AMFLimits = AMFLimits()) throws(AMFError) -> [AMFValue] {
    var reader = Self(bytes, limits: limits)
    var values: [AMFValue] = []
    while let value = try reader.next() { values.append(value) }
    return values
  }

  /// The number of bytes read.
  public var position: Int { reader.position }

  /// Returns the next value; nil at the end. After an error, nothing more can be read.
  public mutating func next() throws(AMFError) -> AMFValue? {
    guard let marker = reader.uint8() else { return nil }
    return try value(marker, depth: 0)
  }

  private mutating func value(_ marker: UInt8, depth: Int) throws(AMFError) -> AMFValue {
    values += 1
    guard values <= limits.values else { throw .tooManyValues }
    guard depth <= limits.depth else { throw .tooDeep }
    switch marker {
    case 0x00: return .number(try double())
    case 0x01:
      guard let byte = reader.uint8() else { throw .truncated }
      return .boolean(byte != 0)
    case 0x02: return .string(try shortString())
    case 0x03: return .object(try object(depth: depth, endMayBeMissing: false))
    case 0x05: return .null
    // 0x0d is the marker for a value that the sender could not write.
    case 0x06, 0x0d: return .undefined
    case 0x07: throw .reference
    case 0x08:
      // The count is only a hint, and often wrong (§2.10).
      guard reader.uint32() != nil else { throw .truncated }
      return .ecmaArray(try object(depth: depth, endMayBeMissing: true))
    case 0x0a: return .array(try array(depth: depth))
    case 0x0b:
      let milliseconds = try double()
      guard reader.uint16() != nil else { throw .truncated }
      return .date(milliseconds: milliseconds)
    // Long strings and XML documents.
    case 0x0c, 0x0f:
      guard let length = reader.uint32(), let text = reader.string(Int(length)) else { throw .truncated }
      return .string(text)
    case 0x10:
      let name = try shortString()
      return .typedObject(name, try object(depth: depth, endMayBeMissing: false))
    case 0x11:
      var inner = AMF3Reader(reader, limits: limits, values: values)
      let value = try inner.value(depth: depth)
      reader = inner.reader
      values = inner.values
      return value
    default: throw .unknownMarker(marker)
    }
  }

  private mutating func double() throws(AMFError) -> Double {
    guard let value = reader.double() else { throw .truncated }
    return value
  }

  private mutating func shortString() throws(AMFError) -> String {
    guard let length = reader.uint16(), let text = reader.string(Int(length)) else { throw .truncated }
    return text
  }

  /// Reads properties up to the end marker. Some encoders omit it if an associative array ends the message.
  private mutating func object(depth: Int, endMayBeMissing: Bool) throws(AMFError) -> AMFObject {
    var object = AMFObject()
    while true {
      if endMayBeMissing, reader.isAtEnd { return object }
      let name = try shortString()
      guard let marker = reader.uint8() else { throw .truncated }
      if marker == 0x09, name.isEmpty { return object }
      object.properties.append(AMFObject.Property(name, try value(marker, depth: depth + 1)))
    }
  }

  private mutating func array(depth: Int) throws(AMFError) -> [AMFValue] {
    guard let count = reader.uint32() else { throw .truncated }
    var elements: [AMFValue] = []
    for _ in 0..<count {
      guard let marker = reader.uint8() else { throw .truncated }
      elements.append(try value(marker, depth: depth + 1))
    }
    return elements
  }
}
