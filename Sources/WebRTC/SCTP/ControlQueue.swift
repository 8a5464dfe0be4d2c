/// What is sent besides data: chunks for the next packet, and whole packets with tags of their own. Bounded, so that no flood of
/// requests makes it grow; what does not fit counts as lost.
struct ControlQueue {
  private static let maximum = 16

  private var packets: [[UInt8]] = []
  private var chunks: [[UInt8]] = []

  var hasChunks: Bool { !chunks.isEmpty }

  mutating func append(packet: [UInt8]) {
    if packets.count < Self.maximum { packets.append(packet) }
  }

  mutating func append(chunk: [UInt8]) {
    if chunks.count < Self.maximum { chunks.append(chunk) }
  }

  mutating func nextPacket() -> [UInt8]? { packets.isEmpty ? nil : packets.removeFirst() }

  /// Writes the chunks that fit.
  mutating func write(to writer: inout SCTPWriter) {
    while let chunk = chunks.first, chunk.count <= writer.space {
      writer.append(chunk: chunk)
      chunks.removeFirst()
    }
  }

  mutating func removeChunks() { chunks.removeAll() }
}
