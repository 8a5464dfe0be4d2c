/// Writes the fields of protobuf messages.
package struct ProtobufWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func tag(_ number: UInt32, _ type: WireType) { varint(UInt64(number) << 3 | UInt64(type.rawValue)) }

  package mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  package mutating func fixed32(_ value: UInt32) {
    for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  package mutating func fixed64(_ value: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  package mutating func run(_ content: some Collection<UInt8>) {
    varint(UInt64(content.count))
    bytes.append(contentsOf: content)
  }

  /// Appends fields that are encoded already.
  package mutating func append(_ fields: [UInt8]) { bytes.append(contentsOf: fields) }

  /// Writes a run whose content `write` writes: a nested message or a packed list.
  package mutating func nested(_ write: (inout Self) -> Void) {
    var inner = Self()
    write(&inner)
    run(inner.bytes)
  }
}
