import RoomRTP

@testable import RoomRTMP

/// The fuzz targets by name. The tests run the stored inputs through the same code.
let rtmpFuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
  "rtmp-server": fuzzServer, "rtmp-client": fuzzClient, "rtmp-handshake": fuzzHandshake, "amf0": fuzzAMF0, "amf3": fuzzAMF3,
  "flv": fuzzFLV, "flv-tags": fuzzTags,
]

/// Numbers for the handshake that look random but are the same in every run.
private struct Counter: RandomNumberGenerator {
  private var value: UInt64 = 0
  mutating func next() -> UInt64 {
    value &+= 0x9e37_79b9_7f4a_7c15
    return value
  }
}

private let handshakeRest = [UInt8](repeating: 7, count: 2 * HandshakeDigest.packetLength)

/// Feeds the bytes in pieces whose lengths depend on the bytes.
private func feed(_ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer, Instant) -> Void) {
  var rest = bytes
  var now = Instant(microseconds: 0)
  while let first = rest.first {
    let length = min(rest.count, first & 1 == 0 ? rest.count : Int(first) + 1)
    take(UnsafeRawBufferPointer(rebasing: rest.prefix(length)), now)
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(length))
    now = now.advanced(milliseconds: Int64(first))
  }
}

/// A client that sends arbitrary bytes after the handshake, to a server that accepts everything.
@Sendable private func fuzzServer(_ bytes: UnsafeRawBufferPointer) {
  var generator = Counter()
  let limits = ChunkReader.Limits(messageLength: 1 << 16, chunkStreams: 16, unfinishedBytes: 1 << 17)
  var session = ServerSession(.init(limits: limits, maximumQueuedBytes: 1 << 16), now: Instant(microseconds: 0))
  ([3] + handshakeRest).withUnsafeBytes { session.receive($0, now: Instant(microseconds: 0), using: &generator) }
  feed(bytes) { piece, now in
    session.receive(piece, now: now, using: &generator)
    while let event = session.nextEvent() {
      switch event {
      case .connectRequested: session.acceptConnect(now: now)
      case .publishRequested(let request): session.acceptPublish(request.stream, now: now)
      case .playRequested(let request): session.acceptPlay(request.stream, now: now)
      case .media(let media, _): touch(media)
      default: break
      }
    }
    session.advance(to: now)
    _ = session.takeOutput()
  }
  precondition(session.isClosed == (session.deadline == nil))
}

/// A server that sends arbitrary bytes after the handshake. The first byte selects the client's purpose.
@Sendable private func fuzzClient(_ bytes: UnsafeRawBufferPointer) {
  var generator = Counter()
  let address = RTMPAddress(host: "example.org", app: "live", stream: "studio")
  let limits = ChunkReader.Limits(messageLength: 1 << 16, chunkStreams: 16, unfinishedBytes: 1 << 17)
  var session = ClientSession(
    bytes.first.map { $0 & 2 == 0 } ?? true ? .play : .publish, address, options: .init(limits: limits),
    now: Instant(microseconds: 0), using: &generator)
  ([3] + handshakeRest).withUnsafeBytes { session.receive($0, now: Instant(microseconds: 0), using: &generator) }
  feed(bytes) { piece, now in
    session.receive(piece, now: now, using: &generator)
    while let event = session.nextEvent() {
      if case .media(let media) = event { touch(media) }
    }
    session.send(MediaMessage(.video, timestamp: UInt32(piece.count), payload: Array(piece)))
    session.advance(to: now)
    _ = session.takeOutput()
  }
}

@Sendable private func fuzzHandshake(_ bytes: UnsafeRawBufferPointer) {
  var generator = Counter()
  var output: [UInt8] = []
  var server = ServerHandshake()
  var client = ClientHandshake(withDigest: true, time: 0, into: &output, using: &generator)
  feed(bytes) { piece, _ in
    var view = piece
    try? server.receive(&view, time: 0, into: &output, using: &generator)
    view = piece
    try? client.receive(&view, into: &output, using: &generator)
  }
  // The digest alone, at the offset that the bytes give.
  var packet = Array(bytes.prefix(HandshakeDigest.packetLength))
  packet += [UInt8](repeating: 0, count: HandshakeDigest.packetLength - packet.count)
  for scheme in HandshakeDigest.Scheme.allCases {
    var signed = packet
    HandshakeDigest.sign(&signed, from: .client, scheme)
    precondition(HandshakeDigest.find(in: signed, from: .client) != nil)
  }
}

@Sendable private func fuzzAMF0(_ bytes: UnsafeRawBufferPointer) {
  guard let values = try? AMF0Reader.values(of: bytes) else { return }
  var written: [UInt8] = []
  for value in values { written.appendAMF0(value) }
  // Values that were read can be written, and read back equal. The exceptions are NaN, which differs from itself, and bytes,
  // which AMF0 lacks.
  let limits = AMFLimits(depth: 32, values: 1 << 20)
  let again = written.withUnsafeBytes { try? AMF0Reader.values(of: $0, limits: limits) }
  precondition(again?.count == values.count)
  _ = values.compactMap { Status($0) }
  _ = StreamMetadata(MediaMessage(.data, timestamp: 0, payload: Array(bytes)))
}

@Sendable private func fuzzAMF3(_ bytes: UnsafeRawBufferPointer) {
  var reader = AMF3Reader(ByteReader(bytes), limits: AMFLimits())
  while (try? reader.value()) != nil {}
}

@Sendable private func fuzzFLV(_ bytes: UnsafeRawBufferPointer) {
  var demuxer = FLVDemuxer(longestTag: 1 << 16)
  feed(bytes) { piece, _ in
    var view = piece
    while let message = try? demuxer.read(&view) { touch(message) }
  }
}

@Sendable private func fuzzTags(_ bytes: UnsafeRawBufferPointer) {
  for kind in MediaMessage.Kind.allCases { touch(MediaMessage(kind, timestamp: 0, payload: Array(bytes))) }
  if let record = AVCConfiguration(parsing: bytes) { _ = record.sequenceHeader }
  if let config = AudioSpecificConfig(parsing: bytes) { _ = config.sequenceHeader }
  _ = SequenceParameters(parsing: Array(bytes))
  let unit = AVCAccessUnit.withLengths(annexB: bytes)
  precondition(unit.data.withUnsafeBytes { AVCAccessUnit.annexB(withLengths: $0) } != nil)
  for size in 1...4 { _ = AVCAccessUnit.annexB(withLengths: bytes, lengthSize: size) }
  _ = RTMPAddress(String(decoding: bytes, as: UTF8.self))
}

/// Reads the headers of a message and every byte that they refer to.
private func touch(_ media: MediaMessage) {
  media.payload.withUnsafeBytes { bytes in
    switch media.kind {
    case .video:
      guard let tag = VideoTag(parsing: bytes) else { return }
      for track in [tag.track] + tag.furtherTracks { _ = bytes[track.body].reduce(UInt8(0), ^) }
    case .audio:
      guard let tag = AudioTag(parsing: bytes) else { return }
      for track in [tag.track] + tag.furtherTracks { _ = bytes[track.body].reduce(UInt8(0), ^) }
    case .data: _ = StreamMetadata(media)
    }
  }
}
