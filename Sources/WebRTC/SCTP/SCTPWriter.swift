/// Writes one packet: header, chunks, and the checksum at the end.
struct SCTPWriter {
  private var bytes: [UInt8] = []
  private let limit: Int
  /// The end of the last parameter and its padding, which does not count for the length of a chunk that ends there.
  private var lastParameter = (end: 0, padding: 0)

  /// - Parameter limit: maximum size of the packet in bytes.
  init(from source: UInt16, to destination: UInt16, tag: UInt32, limit: Int) {
    self.limit = limit
    bytes.reserveCapacity(limit)
    append(source)
    append(destination)
    append(tag)
    append(UInt32(0))
  }

  /// Whether the packet has no chunk.
  var isEmpty: Bool { bytes.count == SCTPPacket.headerLength }
  /// The number of bytes that chunks may still use.
  var space: Int { limit - bytes.count }

  /// Writes a chunk; `body` writes its value.
  mutating func chunk(_ kind: SCTPChunk.Kind, flags: UInt8 = 0, _ body: (inout Self) -> Void) {
    let start = bytes.count
    append(kind.rawValue)
    append(flags)
    complete(at: start, body)
  }

  /// Writes a parameter of a chunk, or a cause of an error.
  mutating func parameter(_ type: UInt16, _ body: (inout Self) -> Void) {
    let start = bytes.count
    append(type)
    let padding = complete(at: start, body)
    lastParameter = (bytes.count, padding)
  }

  /// Writes a chunk that was built earlier, with its padding.
  mutating func append(chunk: [UInt8]) { bytes += chunk }

  /// Writes a length and a value, and pads them. Returns the number of bytes of the padding.
  @discardableResult private mutating func complete(at start: Int, _ body: (inout Self) -> Void) -> Int {
    append(UInt16(0))
    body(&self)
    let length = bytes.count - start - (lastParameter.end == bytes.count ? lastParameter.padding : 0)
    bytes[start + 2] = UInt8(truncatingIfNeeded: length >> 8)
    bytes[start + 3] = UInt8(truncatingIfNeeded: length)
    let padding = -bytes.count & 3
    for _ in 0..<padding { bytes.append(0) }
    return padding
  }

  mutating func append<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(contentsOf value: some Collection<UInt8>) { bytes.append(contentsOf: value) }

  /// Returns the packet with its checksum.
  consuming func finish() -> [UInt8] {
    let checksum = bytes.withUnsafeBytes { CRC32C.checksum(ofPacket: $0) }
    withUnsafeBytes(of: checksum.littleEndian) { bytes.replaceSubrange(8..<12, with: $0) }
    return bytes
  }

  /// Returns a chunk alone, with its padding.
  static func alone(_ kind: SCTPChunk.Kind, flags: UInt8 = 0, _ body: (inout Self) -> Void = { _ in }) -> [UInt8] {
    var writer = SCTPWriter(from: 0, to: 0, tag: 0, limit: 64)
    writer.chunk(kind, flags: flags, body)
    return Array(writer.bytes.dropFirst(SCTPPacket.headerLength))
  }
}
