/// Big-endian reads at offsets that the caller has checked; the buffer checks them again in debug builds.
extension UnsafeRawBufferPointer {
  @inline(__always) func bigEndian16(at offset: Int) -> UInt16 {
    UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  @inline(__always) func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inline(__always) func bigEndian64(at offset: Int) -> UInt64 {
    UInt64(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
