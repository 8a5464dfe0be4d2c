/// Reads the fields of protobuf messages from bytes. The reader never reads beyond the innermost message.
package struct ProtobufReader {
  private let bytes: [UInt8]
  private var position = 0
  /// The end of the message or run that is being read.
  private var end: Int
  private var depth: Int
  private var elements: Int

  /// - Throws: `tooLarge`.
  package init(_ bytes: [UInt8], limits: MessageLimits) throws(MessageError) {
    guard bytes.count <= limits.bytes else { throw .tooLarge }
    self.bytes = bytes
    end = bytes.count
    depth = limits.depth
    elements = limits.elements
  }

  /// Whether the innermost message has been read to its end.
  package var isAtEnd: Bool { position >= end }

  /// Reads a field's number and form. Returns nil at the end of the message.
  package mutating func tag() throws(MessageError) -> (number: UInt32, type: WireType)? {
    if isAtEnd { return nil }
    let tag = try varint()
    guard let number = UInt32(exactly: tag >> 3), (1..<1 << 29).contains(number), let type = WireType(rawValue: UInt8(tag & 7))
    else { throw .malformed }
    return (number, type)
  }

  package mutating func varint() throws(MessageError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard position < end else { throw .truncated }
      let byte = bytes[position]
      position += 1
      // Bits above the 64th are dropped: `<<` shifts them out.
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw .malformed
  }

  package mutating func fixed32() throws(MessageError) -> UInt32 { try take(4).reversed().reduce(0) { $0 << 8 | UInt32($1) } }

  package mutating func fixed64() throws(MessageError) -> UInt64 { try take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) } }

  /// Reads a length and as many bytes.
  package mutating func run() throws(MessageError) -> ArraySlice<UInt8> { try take(try length()) }

  /// Reads the length of a nested message or packed list, which then is the innermost message until ``leave(_:)``.
  /// - Returns: the end of the outer message.
  package mutating func enter() throws(MessageError) -> Int {
    let length = try length()
    guard depth > 0 else { throw .tooLarge }
    depth -= 1
    let outer = end
    end = position + length
    return outer
  }

  /// Skips the rest of the innermost message, and returns to the outer one.
  package mutating func leave(_ outer: Int) {
    position = end
    end = outer
    depth += 1
  }

  /// Counts a member of a list or map, or a nested message.
  package mutating func countElement() throws(MessageError) {
    guard elements > 0 else { throw .tooLarge }
    elements -= 1
  }

  /// Reads over a value. Returns its bytes.
  @discardableResult package mutating func skip(_ type: WireType) throws(MessageError) -> ArraySlice<UInt8> {
    let start = position
    switch type {
    case .varint: _ = try varint()
    case .fixed32: _ = try take(4)
    case .fixed64: _ = try take(8)
    case .run: _ = try run()
    }
    return bytes[start..<position]
  }

  private mutating func length() throws(MessageError) -> Int {
    guard let length = Int(exactly: try varint()), length <= end - position else { throw .truncated }
    return length
  }

  private mutating func take(_ count: Int) throws(MessageError) -> ArraySlice<UInt8> {
    guard count <= end - position else { throw .truncated }
    defer { position += count }
    return bytes[position..<position + count]
  }
}
