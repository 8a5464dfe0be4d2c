/// DATA (RFC 9260 §3.3.1).
struct DataChunk {
  static let headerLength = 16

  struct Flags: OptionSet {
    let rawValue: UInt8
    static let end = Self(rawValue: 1)
    static let begin = Self(rawValue: 2)
    static let unordered = Self(rawValue: 4)
    /// The sender wants a SACK at once.
    static let immediate = Self(rawValue: 8)
  }

  let flags: Flags
  let tsn: TSN
  let stream: UInt16
  let sequence: UInt16
  let protocolID: UInt32
  let payload: UnsafeRawBufferPointer

  init?(_ chunk: SCTPChunk) {
    guard chunk.value.count >= 12 else { return nil }
    flags = Flags(rawValue: chunk.flags)
    tsn = TSN(chunk.value.bigEndian32(at: 0))
    stream = chunk.value.bigEndian16(at: 4)
    sequence = chunk.value.bigEndian16(at: 6)
    protocolID = chunk.value.bigEndian32(at: 8)
    payload = UnsafeRawBufferPointer(rebasing: chunk.value[12...])
  }
}

/// SACK (RFC 9260 §3.3.4).
struct SackChunk {
  let cumulative: TSN
  let window: UInt32
  /// The number of gap blocks.
  let count: Int
  private let blocks: UnsafeRawBufferPointer

  init?(_ chunk: SCTPChunk) {
    guard chunk.value.count >= 12 else { return nil }
    cumulative = TSN(chunk.value.bigEndian32(at: 0))
    window = chunk.value.bigEndian32(at: 4)
    count = min(Int(chunk.value.bigEndian16(at: 8)), (chunk.value.count - 12) / 4)
    blocks = UnsafeRawBufferPointer(rebasing: chunk.value[12...])
  }

  /// Returns a gap block: the first and the last number received, counted from `cumulative`.
  func block(_ index: Int) -> (first: Int, last: Int) {
    (Int(blocks.bigEndian16(at: index * 4)), Int(blocks.bigEndian16(at: index * 4 + 2)))
  }
}

/// FORWARD-TSN (RFC 3758 §3.2).
struct ForwardTSNChunk {
  let cumulative: TSN
  /// The number of streams with skipped ordered messages.
  let count: Int
  private let streams: UnsafeRawBufferPointer

  init?(_ chunk: SCTPChunk) {
    guard chunk.value.count >= 4 else { return nil }
    cumulative = TSN(chunk.value.bigEndian32(at: 0))
    streams = UnsafeRawBufferPointer(rebasing: chunk.value[4...])
    count = streams.count / 4
  }

  /// Returns a stream and the last sequence number that is skipped on it.
  func skipped(_ index: Int) -> (stream: UInt16, sequence: UInt16) {
    (streams.bigEndian16(at: index * 4), streams.bigEndian16(at: index * 4 + 2))
  }
}

/// The contents of INIT and INIT-ACK (RFC 9260 §3.3.2, §3.3.3).
struct Initiation: Hashable, Sendable {
  enum Parameter {
    static let cookie: UInt16 = 7
    static let supportedExtensions: UInt16 = 0x8008
    static let forwardTSN: UInt16 = 0xC000
  }

  var tag: UInt32
  var window: UInt32
  var outgoingStreams: UInt16
  var incomingStreams: UInt16
  var firstTSN: TSN
  var supportsForwardTSN = false
  var supportsReset = false
  /// The state cookie of an INIT-ACK.
  var cookie: [UInt8]?
}

extension Initiation {
  /// Returns nil for a chunk that no association can begin with: too short, tag 0, no streams (RFC 9260 §3.3.2).
  init?(_ chunk: SCTPChunk) {
    let value = chunk.value
    guard value.count >= 16 else { return nil }
    self.init(
      tag: value.bigEndian32(at: 0), window: value.bigEndian32(at: 4), outgoingStreams: value.bigEndian16(at: 8),
      incomingStreams: value.bigEndian16(at: 10), firstTSN: TSN(value.bigEndian32(at: 12)))
    guard tag != 0, outgoingStreams > 0, incomingStreams > 0 else { return nil }
    for parameter in TLVSequence<SCTPParameter>(UnsafeRawBufferPointer(rebasing: value[16...])) {
      switch parameter.type {
      case Parameter.cookie: cookie = Array(parameter.value)
      case Parameter.forwardTSN: supportsForwardTSN = true
      case Parameter.supportedExtensions:
        supportsReset = supportsReset || parameter.value.contains(SCTPChunk.Kind.reconfiguration.rawValue)
        supportsForwardTSN = supportsForwardTSN || parameter.value.contains(SCTPChunk.Kind.forwardTSN.rawValue)
      default:
        // The highest bit of an unknown type says whether the next parameters may be read (§3.2.1).
        if parameter.type & 0x8000 == 0, !Self.ignored.contains(parameter.type) { return }
      }
    }
  }

  /// Parameters that say nothing to an association over DTLS: addresses, times, names, address types.
  private static let ignored: [UInt16] = [5, 6, 8, 9, 11, 12]

  func write(_ kind: SCTPChunk.Kind, to writer: inout SCTPWriter) {
    writer.chunk(kind) { writer in
      writer.append(tag)
      writer.append(window)
      writer.append(outgoingStreams)
      writer.append(incomingStreams)
      writer.append(firstTSN.rawValue)
      writer.parameter(Parameter.supportedExtensions) { writer in
        writer.append(SCTPChunk.Kind.reconfiguration.rawValue)
        writer.append(SCTPChunk.Kind.forwardTSN.rawValue)
      }
      writer.parameter(Parameter.forwardTSN) { _ in }
      if let cookie { writer.parameter(Parameter.cookie) { $0.append(contentsOf: cookie) } }
    }
  }
}
