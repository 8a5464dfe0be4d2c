/// What is sent besides data: chunks for the next packet, and whole packets with tags of their own. Bounded, so that no flood of
/// requests makes it grow; what does not fit counts as lost.
struct ControlQueue {
  private static let maximum = 16

  private var packets: [[UInt8]] = []
  private var chunks: [[UInt8]] = []
  private let configuration: SCTPConfiguration

  init(_ configuration: SCTPConfiguration) { self.configuration = configuration }

  var hasChunks: Bool { !chunks.isEmpty }

  /// The bytes that a packet has for chunks.
  var space: Int { configuration.maximumPacket - SCTPPacket.headerLength }

  /// Begins a packet.
  func writer(tag: UInt32) -> SCTPWriter {
    SCTPWriter(from: configuration.localPort, to: configuration.remotePort, tag: tag, limit: configuration.maximumPacket)
  }

  /// Queues a packet with a tag of its own.
  mutating func append(tag: UInt32, _ body: (inout SCTPWriter) -> Void) {
    guard packets.count < Self.maximum else { return }
    var writer = writer(tag: tag)
    body(&writer)
    packets.append(writer.finish())
  }

  mutating func append(chunk: [UInt8]) {
    if chunks.count < Self.maximum { chunks.append(chunk) }
  }

  /// Queues the answer to a heartbeat.
  mutating func answer(heartbeat: SCTPChunk) {
    guard heartbeat.value.count <= space - 4 else { return }
    append(chunk: SCTPWriter.alone(.heartbeatAck) { $0.append(contentsOf: heartbeat.value) })
  }

  /// Queues an error that contains a chunk of an unknown type (RFC 9260 §3.3.10.6).
  mutating func reject(_ chunk: SCTPChunk) {
    guard chunk.value.count <= space - 12 else { return }
    let error = SCTPWriter.alone(.error) { writer in
      writer.parameter(6) { writer in
        writer.append(chunk.type)
        writer.append(chunk.flags)
        writer.append(UInt16(truncatingIfNeeded: chunk.value.count + 4))
        writer.append(contentsOf: chunk.value)
      }
    }
    append(chunk: error)
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
