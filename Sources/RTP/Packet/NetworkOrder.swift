// Unaligned big-endian access. The caller has checked the bounds.

extension UnsafeRawPointer {
  /// Returns the 16 bits in network order at `offset`.
  @inlinable @inline(__always) public func load16(_ offset: Int) -> UInt16 {
    UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }
  /// Returns the 24 bits in network order at `offset`.
  @inlinable @inline(__always) public func load24(_ offset: Int) -> UInt32 {
    UInt32(load8(offset)) << 16 | UInt32(load16(offset + 1))
  }
  /// Returns the 32 bits in network order at `offset`.
  @inlinable @inline(__always) public func load32(_ offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
  /// Returns the 64 bits in network order at `offset`.
  @inlinable @inline(__always) public func load64(_ offset: Int) -> UInt64 {
    UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
  /// Returns the byte at `offset`.
  @inlinable @inline(__always) public func load8(_ offset: Int) -> UInt8 {
    loadUnaligned(fromByteOffset: offset, as: UInt8.self)
  }
}

extension UnsafeMutableRawPointer {
  /// Writes one byte at `offset`.
  @inlinable @inline(__always) public func store8(_ value: UInt8, _ offset: Int) {
    storeBytes(of: value, toByteOffset: offset, as: UInt8.self)
  }
  /// Writes 16 bits in network order at `offset`.
  @inlinable @inline(__always) public func store16(_ value: UInt16, _ offset: Int) {
    storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt16.self)
  }
  /// Writes the low 24 bits in network order at `offset`.
  @inlinable @inline(__always) public func store24(_ value: UInt32, _ offset: Int) {
    store8(UInt8(truncatingIfNeeded: value >> 16), offset)
    store16(UInt16(truncatingIfNeeded: value), offset + 1)
  }
  /// Writes 32 bits in network order at `offset`.
  @inlinable @inline(__always) public func store32(_ value: UInt32, _ offset: Int) {
    storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt32.self)
  }
  /// Writes 64 bits in network order at `offset`.
  @inlinable @inline(__always) public func store64(_ value: UInt64, _ offset: Int) {
    storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt64.self)
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the `count` bytes at `offset`; empty if they are not entirely within the buffer.
  @inlinable public func part(_ offset: Int, _ count: Int) -> UnsafeRawBufferPointer {
    guard let baseAddress, offset >= 0, count > 0, offset <= self.count, count <= self.count - offset else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(start: baseAddress + offset, count: count)
  }

  /// Returns all bytes from `offset` on; empty if `offset` is out of bounds.
  @inlinable public func part(from offset: Int) -> UnsafeRawBufferPointer { part(offset, count &- offset) }
}
