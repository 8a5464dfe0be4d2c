import RoomRTP

/// Reads big-endian values in sequence, never beyond the end: a read past it returns nil.
struct ByteReader {
  private(set) var rest: UnsafeRawBufferPointer
  private let total: Int

  /// Reads in place: `bytes` must outlive the reader.
  init(_ bytes: UnsafeRawBufferPointer) {
    rest = bytes
    total = bytes.count
  }

  var isAtEnd: Bool { rest.isEmpty }
  /// The number of bytes read.
  var position: Int { total - rest.count }

  /// Returns the next `count` bytes.
  mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
    guard count >= 0, count <= rest.count else { return nil }
    defer { rest = rest.part(from: count) }
    return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
  }

  mutating func uint8() -> UInt8? {
    guard let byte = rest.first else { return nil }
    rest = rest.part(from: 1)
    return byte
  }

  mutating func uint16() -> UInt16? { bytes(2)?.baseAddress?.load16(0) }
  mutating func uint24() -> UInt32? { bytes(3)?.baseAddress?.load24(0) }
  mutating func uint32() -> UInt32? { bytes(4)?.baseAddress?.load32(0) }
  mutating func uint64() -> UInt64? { bytes(8)?.baseAddress?.load64(0) }

  /// Reads 24 bits in two's complement.
  mutating func int24() -> Int32? {
    guard let value = uint24() else { return nil }
    return Int32(bitPattern: value << 8) >> 8
  }

  mutating func double() -> Double? {
    guard let pattern = uint64() else { return nil }
    return Double(bitPattern: pattern)
  }

  /// Reads `length` bytes as UTF-8; invalid bytes are replaced.
  mutating func string(_ length: Int) -> String? {
    guard let text = bytes(length) else { return nil }
    return String(decoding: text, as: UTF8.self)
  }
}

extension [UInt8] {
  mutating func append16(_ value: UInt16) {
    append(UInt8(truncatingIfNeeded: value >> 8))
    append(UInt8(truncatingIfNeeded: value))
  }

  /// Appends the low 24 bits.
  mutating func append24(_ value: UInt32) {
    append(UInt8(truncatingIfNeeded: value >> 16))
    append16(UInt16(truncatingIfNeeded: value))
  }

  mutating func append32(_ value: UInt32) {
    append16(UInt16(truncatingIfNeeded: value >> 16))
    append16(UInt16(truncatingIfNeeded: value))
  }

  mutating func append64(_ value: UInt64) {
    append32(UInt32(truncatingIfNeeded: value >> 32))
    append32(UInt32(truncatingIfNeeded: value))
  }

  /// Reserves room for `count` more bytes, without the quadratic cost of repeated exact reservations.
  mutating func makeRoom(for count: Int) {
    let needed = self.count + count
    if needed > capacity { reserveCapacity(Swift.max(needed, capacity * 2)) }
  }
}
