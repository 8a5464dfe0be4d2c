import RoomRTP

/// Returns a time on the clock of the tests.
func at(milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

/// Returns a header with the fields that a stream needs.
func header(
  _ sequenceNumber: UInt16, timestamp: UInt32 = 0, marker: Bool = false, payloadType: UInt8 = 96, ssrc: SSRC = 1
) -> RTPHeader {
  var header = RTPHeader()
  header.sequenceNumber = sequenceNumber
  header.timestamp = timestamp
  header.marker = marker
  header.payloadType = payloadType
  header.ssrc = ssrc
  return header
}

/// Returns a whole packet without extensions.
func packet(_ header: RTPHeader, payload: [UInt8]) -> [UInt8] {
  var bytes = [UInt8](repeating: 0, count: RTPHeader.fixedLength)
  bytes.withUnsafeMutableBytes { memory in
    var writer = RTPHeaderWriter(
      memory, payloadType: header.payloadType, sequenceNumber: header.sequenceNumber, timestamp: header.timestamp,
      ssrc: header.ssrc, marker: header.marker)
    _ = writer.finish()
  }
  return bytes + payload
}

extension Array where Element == UInt8 {
  /// Calls `body` with these bytes as raw memory.
  func read<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try withUnsafeBytes(body)
  }

  var parsedHeader: RTPHeader? { read { RTPHeader(parsing: $0) } }
}

extension JitterBuffer {
  /// Returns all output that is due.
  mutating func drain(_ now: Instant) -> [Output] {
    var outputs: [Output] = []
    while let output = next(now: now) { outputs.append(output) }
    return outputs
  }

  mutating func insert(_ header: RTPHeader, _ payload: [UInt8], _ now: Instant) {
    payload.read { _ = insert(header, payload: $0, now: now) }
  }
}

extension Array where Element == JitterBuffer.Output {
  var frames: [EncodedFrame] {
    compactMap { if case .frame(let frame) = $0 { frame } else { nil } }
  }
  var asksForKeyFrame: Bool { contains(.keyFrameNeeded) }
}
