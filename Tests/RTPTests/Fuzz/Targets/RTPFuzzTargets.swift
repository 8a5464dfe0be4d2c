import RoomFuzzSupport
import RoomRTP

/// The fuzz targets by name. The tests run the stored inputs through the same code.
let rtpFuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
  "rtp": fuzzHeader, "extensions": fuzzExtensions, "rtcp": fuzzRTCP, "vp8": fuzzVP8, "h264": fuzzH264, "vp9": fuzzVP9,
  "av1": fuzzAV1, "opus": fuzzOpus,
  "red": fuzzRedundantAudio, "rtx": fuzzRetransmission, "keyframe": fuzzKeyFrame, "jitter": fuzzJitterBuffer,
]

@Sendable private func fuzzHeader(_ bytes: UnsafeRawBufferPointer) {
  guard let header = RTPHeader(parsing: bytes) else { return }
  precondition(header.headerLength + header.payloadLength + header.paddingLength == bytes.count)
  touch(header.payload(of: bytes))
}

@Sendable private func fuzzExtensions(_ bytes: UnsafeRawBufferPointer) {
  guard let header = RTPHeader(parsing: bytes) else { return }
  let extensions = RTPExtensions(packet: bytes, header: header)
  for _ in extensions {}
  for id in UInt8(0)...15 {
    if let value = extensions.bytes(of: id) { touch(value) }
    _ = (extensions.text(of: id), extensions.audioLevel(of: id), extensions.absSendTime(of: id))
    _ = extensions.transportSequence(of: id)
  }
}

@Sendable private func fuzzRTCP(_ bytes: UnsafeRawBufferPointer) {
  var reader = RTCPReader(bytes)
  while let packet = reader.next() {
    switch packet {
    case .senderReport(let report): for _ in report.blocks {}
    case .receiverReport(let report): for _ in report.blocks {}
    case .sourceDescription(let description): for _ in description {}
    case .goodbye(let goodbye): for _ in goodbye {}
    case .nack(let nack): for _ in nack {}
    case .fullIntraRequest(let request): for _ in request {}
    case .transportFeedback(let feedback): for _ in feedback {}
    case .bitrateEstimate(let estimate): for _ in estimate {}
    case .pictureLoss, .unknown, .malformed: break
    }
  }
}

@Sendable private func fuzzVP8(_ bytes: UnsafeRawBufferPointer) {
  _ = (VP8Descriptor.startsKeyFrame(bytes), VP8Descriptor.keyFrameSize(bytes))
  _ = VP8Descriptor(parsing: bytes)
  var depacketizer = VP8Depacketizer()
  for payload in pieces(bytes) { _ = depacketizer.append(payload) }
  _ = depacketizer.take()
}

@Sendable private func fuzzH264(_ bytes: UnsafeRawBufferPointer) {
  _ = (H264.startsKeyFrame(bytes), H264.hasSequenceParameters(bytes))
  for unit in AnnexB(bytes) { touch(UnsafeRawBufferPointer(rebasing: bytes[unit])) }
  _ = AnnexB.isKeyFrame(Array(bytes))
  _ = try? H264Packetizer(maximumPayloadSize: 20).packetize(Array(bytes))
  var depacketizer = H264Depacketizer()
  for payload in pieces(bytes) { _ = depacketizer.append(payload) }
  _ = depacketizer.take()
}

@Sendable private func fuzzVP9(_ bytes: UnsafeRawBufferPointer) {
  if let descriptor = VP9Descriptor(parsing: bytes) { precondition(descriptor.length < bytes.count) }
  var depacketizer = VP9Depacketizer()
  for payload in pieces(bytes) { _ = depacketizer.append(payload) }
  if let picture = depacketizer.take() { precondition(!picture.data.isEmpty) }
  var packetizer = VP9Packetizer(maximumPayloadSize: 20)
  for payload in packetizer.packetize(Array(bytes), isKeyFrame: true) {
    precondition(payload.count <= 20 && payload.withUnsafeBytes { depacketizer.append($0) })
  }
  precondition(bytes.isEmpty || depacketizer.take()?.data == Array(bytes))
}

@Sendable private func fuzzAV1(_ bytes: UnsafeRawBufferPointer) {
  var depacketizer = AV1Depacketizer()
  for payload in pieces(bytes) { _ = depacketizer.append(payload) }
  if let unit = depacketizer.take() { precondition(unit.data.starts(with: [0x12, 0x00])) }
  fuzzAV1Packetizer(Array(bytes))
}

/// Splits a temporal unit. What is joined again is split and joined without a change.
private func fuzzAV1Packetizer(_ bytes: [UInt8]) {
  func joined(_ unit: [UInt8]) -> (data: [UInt8], isKeyFrame: Bool)? {
    var depacketizer = AV1Depacketizer()
    let payloads = AV1Packetizer(maximumPayloadSize: 20).packetize(unit)
    for payload in payloads {
      precondition(payload.count <= 20)
      guard payload.withUnsafeBytes({ depacketizer.append($0) }) else { return nil }
    }
    guard let first = payloads.first, let unit = depacketizer.take() else { return nil }
    precondition(unit.isKeyFrame == first.withUnsafeBytes { AV1.startsKeyFrame($0) })
    return unit
  }
  guard let once = joined(bytes) else { return }
  precondition(joined(once.data)?.data == once.data)
}

@Sendable private func fuzzOpus(_ bytes: UnsafeRawBufferPointer) { _ = OpusPacket(parsing: bytes) }

@Sendable private func fuzzRedundantAudio(_ bytes: UnsafeRawBufferPointer) {
  if let audio = RedundantAudio(parsing: bytes) {
    var left = audio.count
    var length = 0
    for block in audio {
      left -= 1
      length += block.data.count
      precondition(block.distance == left && block.isPrimary == (left == 0))
      touch(block.data)
    }
    precondition(left == 0 && length <= bytes.count)
    precondition(audio.primary.data.elementsEqual(audio.reversed()[0].data))
  }
  fuzzRedundantAudioWriter(bytes)
}

/// Writes packets encoded as a level, a step of the timestamp and the payload, and reads each one's copies back.
private func fuzzRedundantAudioWriter(_ bytes: UnsafeRawBufferPointer) {
  var writer = RedundantAudioWriter()
  var timestamp: UInt32 = 0
  for piece in pieces(bytes) where piece.count >= 2 {
    timestamp &+= UInt32(piece[1]) &* 120
    let payload = Array(piece.dropFirst(2))
    if let redundant = writer.payload(of: payload, timestamp: timestamp, payloadType: 111, distance: Int(piece[0] & 3)) {
      redundant.withUnsafeBytes { written in
        guard let audio = RedundantAudio(parsing: written) else { preconditionFailure("unreadable") }
        precondition(audio.primary.data.elementsEqual(payload) && audio.count <= 3)
      }
    }
    writer.append(payload, timestamp: timestamp, level: piece[0] & 0x80 != 0 ? nil : piece[0] & 0x7f)
  }
}

@Sendable private func fuzzRetransmission(_ bytes: UnsafeRawBufferPointer) {
  guard let header = RTPHeader(parsing: bytes) else { return }
  var copy = Array(bytes)
  copy.withUnsafeMutableBytes { memory in
    guard let original = Retransmission.unwrap(memory, header: header, payloadType: 96, ssrc: 7) else { return }
    _ = RTPHeader(parsing: UnsafeRawBufferPointer(original))
  }
  var buffer = [UInt8](repeating: 0, count: bytes.count + Retransmission.prefixLength)
  buffer.withUnsafeMutableBytes { memory in
    _ = Retransmission.wrap(bytes, header: header, payloadType: 97, ssrc: 8, sequenceNumber: 9, into: memory)
  }
}

@Sendable private func fuzzKeyFrame(_ bytes: UnsafeRawBufferPointer) {
  for format in PayloadFormat.allCases { _ = format.startsKeyFrame(bytes) }
}

/// Feeds packets encoded as steps of sequence number, timestamp and time, a marker bit, and the payload.
@Sendable private func fuzzJitterBuffer(_ bytes: UnsafeRawBufferPointer) {
  let formats: [PayloadFormat] = [.opus, .vp8, .h264, .vp9, .av1]
  guard let first = bytes.first else { return }
  var buffer = JitterBuffer(format: formats[Int(first) % formats.count])
  var header = RTPHeader()
  var now = Instant(microseconds: 0)
  for payload in pieces(UnsafeRawBufferPointer(rebasing: bytes.dropFirst())) where payload.count >= 4 {
    header.sequenceNumber &+= UInt16(truncatingIfNeeded: Int(Int8(bitPattern: payload[0])) * (payload[3] & 0x40 == 0 ? 1 : 257))
    header.timestamp &+= UInt32(payload[1]) &* (payload[3] & 0x20 == 0 ? 960 : 0x0100_0001)
    header.marker = payload[3] & 0x80 != 0
    now = now.advanced(milliseconds: Int64(payload[2]))
    buffer.insert(header, payload: UnsafeRawBufferPointer(rebasing: payload.dropFirst(4)), now: now)
    while buffer.next(now: now) != nil {}
  }
  now = now.advanced(milliseconds: 5000)
  while buffer.next(now: now) != nil {}
}

/// Reads every byte, so that a view beyond its memory is detected.
private func touch(_ bytes: UnsafeRawBufferPointer) { _ = bytes.reduce(UInt8(0), ^) }
