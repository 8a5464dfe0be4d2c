import RoomFuzzSupport
import RoomRTP

@testable import RoomWebRTC

/// The fuzz targets by name. The tests run the stored inputs through the same code.
let webRTCFuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
  "stun": fuzzSTUN, "framing": fuzzStreamFraming, "dtls": fuzzDTLSRecords, "srtp": fuzzSRTP, "peer": fuzzPeer,
  "media": fuzzMedia, "sdp": fuzzSessionDescription, "fragment": fuzzICEFragment, "publish": fuzzPublish,
  "single-connection": fuzzSingleConnection,
  "publish-answer": fuzzPublishAnswer, "subscribe": fuzzSubscribe, "subscribe-offer": fuzzSubscribeOffer, "view": fuzzView,
  "sctp": fuzzSCTP, "channels": fuzzChannels,
]

@Sendable private func fuzzSTUN(_ bytes: UnsafeRawBufferPointer) {
  _ = STUN.localFragment(of: bytes)
  _ = STUNMessage(parsing: bytes)?.isSigned(with: "password".utf8)
}

/// The first byte sets how much of the stream arrives first; reading it in two parts gives the same result as reading it whole.
@Sendable private func fuzzStreamFraming(_ bytes: UnsafeRawBufferPointer) {
  let limit = 1600
  guard let cut = bytes.first else { return }
  let stream = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
  func frames(_ stream: UnsafeRawBufferPointer, from start: Int) -> (ranges: [Range<Int>], end: Int) {
    var ranges: [Range<Int>] = []
    var offset = start
    while case .frame(let range) = StreamFraming.next(in: stream, at: offset, limit: limit) {
      precondition(range.lowerBound == offset + 2 && range.upperBound <= stream.count && range.count <= limit)
      ranges.append(range)
      offset = range.upperBound
    }
    return (ranges, offset)
  }
  let whole = frames(stream, from: 0)
  let first = frames(UnsafeRawBufferPointer(rebasing: stream.prefix(Int(cut))), from: 0)
  let second = frames(stream, from: first.end)
  precondition(first.ranges + second.ranges == whole.ranges && second.end == whole.end)
}

@Sendable private func fuzzDTLSRecords(_ bytes: UnsafeRawBufferPointer) {
  _ = DatagramKind.classify(bytes)
  var offset = 0
  while let record = DTLSRecord(bytes, at: offset) { offset = record.range.upperBound }
  var flight = DTLSFlight()
  _ = flight.replace(with: Array(bytes), mtu: 1200)
  _ = flight.repeated(mtu: 1200)
  fuzzDTLSProtection(bytes)
}

/// Two ends after their handshake. Only what one end has sealed opens at the other one.
private func fuzzDTLSProtection(_ bytes: UnsafeRawBufferPointer) {
  let (client, server) = DTLSEnds.current
  for piece in pieces(bytes) where piece.count <= 1200 {
    precondition(server.receive(piece, now: DTLSEnds.now) != .closed)
    // The header of a record of epoch 1 before the input.
    let length = [UInt8(piece.count >> 8), UInt8(piece.count & 0xFF)]
    let header = [23, 0xFE, 0xFD, 0, 1] + [UInt8](repeating: 0xFF, count: 6) + length
    (header + piece).withUnsafeBytes { _ = server.receive($0, now: DTLSEnds.now) }
    precondition(server.takeIncoming().isEmpty)
    guard let sealed = client.seal(Array(piece)) else { preconditionFailure("the client is connected") }
    sealed.withUnsafeBytes { _ = server.receive($0, now: DTLSEnds.now) }
    precondition(server.takeIncoming() == [Array(piece)])
  }
}

private enum DTLSEnds {
  static let now = Instant(microseconds: 1_000_000)
  // The fuzzer calls its targets on one thread, and so does the test of the stored inputs.
  nonisolated(unsafe) private static var made: (DTLSAssociation, DTLSAssociation)?

  static var current: (DTLSAssociation, DTLSAssociation) {
    if let made { return made }
    guard let first = try? Certificate(), let second = try? Certificate(),
      let client = DTLSAssociation(certificate: first, role: .client, profiles: [.aeadAES128GCM]),
      let server = DTLSAssociation(certificate: second, role: .server, profiles: [.aeadAES128GCM])
    else { preconditionFailure("OpenSSL is there") }
    server.keepsData = true
    _ = client.expect([second.fingerprint])
    _ = server.expect([first.fingerprint])
    _ = client.start(now: now)
    for _ in 0..<10 {
      for datagram in client.takeOutgoing() { datagram.withUnsafeBytes { _ = server.receive($0, now: now) } }
      for datagram in server.takeOutgoing() { datagram.withUnsafeBytes { _ = client.receive($0, now: now) } }
    }
    precondition(client.hasReplacedOpenSSL && server.hasReplacedOpenSSL)
    made = (client, server)
    return (client, server)
  }
}

/// The first byte selects the profile. Then come records: unchanged, and sealed as packets with the index in their first six
/// bytes.
@Sendable private func fuzzSRTP(_ bytes: UnsafeRawBufferPointer) {
  guard let first = bytes.first else { return }
  let profile: SRTPProfile = first & 1 == 0 ? .aeadAES128GCM : .aesCM128HMACSHA1_80
  let master = [UInt8](repeating: 0x5A, count: profile == .aeadAES128GCM ? 28 : 30)
  guard let opener = SRTPOpener(profile: profile, master: master, streamLimit: 3),
    let sealer = SRTPSealer(profile: profile, master: master)
  else { preconditionFailure("the keys are valid") }
  var opened: Set<[UInt8]> = []
  for piece in pieces(UnsafeRawBufferPointer(rebasing: bytes.dropFirst())) {
    var raw = Array(piece)
    raw.withUnsafeMutableBytes { _ = opener.openRTP($0) }
    raw = Array(piece)
    raw.withUnsafeMutableBytes { _ = opener.openRTCP($0) }
    let index = piece.prefix(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    var packet = Array(piece.dropFirst(6))
    guard packet.count >= 12 else { continue }
    (packet[0], packet[2], packet[3]) = (packet[0] & 0x1F | 0x80, UInt8(index >> 8 & 0xFF), UInt8(index & 0xFF))
    guard let header = packet.withUnsafeBytes({ RTPHeader(parsing: $0) }) else { continue }
    var sealed = packet + [UInt8](repeating: 0, count: profile.rtpOverhead)
    let count = sealed.withUnsafeMutableBytes { target in
      packet.withUnsafeBytes { source -> Int in
        guard let from = source.baseAddress, let into = target.baseAddress else { return 0 }
        return sealer.seal(
          header: from, headerLength: header.headerLength, payload: from + header.headerLength,
          payloadLength: packet.count - header.headerLength, index: index, ssrc: header.ssrc, into: into)
      }
    }
    precondition(count == sealed.count, "a packet with a header can be sealed")
    let name = sealed
    if case .success(let plain) = sealed.withUnsafeMutableBytes({ opener.openRTP($0) }) {
      precondition(plain == packet.count && sealed.starts(with: packet), "a sealed packet opens to itself")
      precondition(opened.insert(name).inserted, "nothing opens twice")
    }
  }
}
