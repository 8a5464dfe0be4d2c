import RoomFuzzSupport
import RoomRTP

@testable import RoomWebRTC

/// Feeds datagrams to a peer before media flows, in records: a byte for the kind and the source, then the bytes. No reply to an
/// address that was never validated may be larger than the datagram that it answers.
@Sendable func fuzzPeer(_ bytes: UnsafeRawBufferPointer) {
  guard let certificate, let first = bytes.first else { return }
  let isServer = first & 1 == 0
  let mine = ICECredentials(ufrag: "mine", password: "abcdefghijklmnopqrstuvwx")
  let theirs = ICECredentials(ufrag: "other", password: "zyxwvutsrqponmlkjihgfedc")
  guard
    let peer = try? Peer(
      .init(
        ice: first & 2 == 0 && isServer ? .lite : .full(controlling: !isServer), role: isServer ? .server : .client,
        certificate: certificate, credentials: mine))
  else { return }
  let (friend, stranger) = (TransportAddress(ipv4: 0x0A00_0001, port: 4000), TransportAddress(ipv4: 0x0A00_0002, port: 5000))
  var now = Instant(microseconds: 1_000_000)
  peer.setRemote(
    TransportParameters(
      credentials: theirs, fingerprints: [certificate.fingerprint], role: isServer ? .client : .server, iceLite: !isServer,
      candidates: [ICECandidate(foundation: "1", priority: 1, address: friend, kind: .host)]), now: now)
  /// The last transaction that the peer began, so that responses can match it.
  var transaction = STUNTransactionID(high: 1, low: 2)

  func drain(answering size: Int?) {
    while let output = peer.nextOutput() {
      guard case .transmit(let bytes, let to) = output else { continue }
      let message = bytes.withUnsafeBytes { bytes in STUNMessage(parsing: bytes).map { ($0.kind, $0.transaction) } }
      if case (.request, let id)? = message { transaction = id }
      if let size, to == stranger, !peer.isValidated(to), message?.0 != .request { precondition(bytes.count <= size) }
    }
  }

  func give(_ datagram: [UInt8], from source: TransportAddress) {
    var datagram = datagram
    _ = datagram.withUnsafeMutableBytes { peer.receive($0, from: source, now: now) }
    drain(answering: datagram.count)
  }

  drain(answering: nil)
  for piece in pieces(UnsafeRawBufferPointer(rebasing: bytes.dropFirst())).prefix(24) {
    guard let kind = piece.first else { continue }
    let source = kind & 0x80 == 0 ? friend : stranger
    let body = Array(piece.dropFirst())
    switch kind & 7 {
    case 0: give(body, from: source)
    case 1, 2, 3:
      // A request or response with a valid signature, its other attributes from the input.
      let messageKind = STUNMessage.Kind(rawValue: kind & 7 == 1 ? 0 : UInt16(kind & 7)) ?? .request
      var writer = STUNWriter(messageKind, transaction: transaction)
      if messageKind == .request { writer.add(STUNAttribute.username, Array("mine:other".utf8)) }
      var attributes = body[...]
      while attributes.count >= 2 {
        let type = UInt16(attributes.removeFirst()) << 8 | UInt16(attributes.removeFirst())
        let length = min(Int(attributes.popFirst() ?? 0) & 31, attributes.count)
        writer.add(type, attributes.prefix(length))
        attributes = attributes.dropFirst(length)
      }
      writer.sign(with: (messageKind == .request ? mine : theirs).password.utf8)
      if kind & 0x40 == 0 { writer.addFingerprint() }
      give(writer.bytes, from: source)
    case 4, 5:
      // A handshake record or one of any type, with a constructed header.
      let type = kind & 7 == 4 ? 22 : 20 + (kind >> 3 & 3)
      give([type, 0xFE, 0xFD, 0, kind >> 5 & 1, 0, 0, 0, 0, 0, body.first ?? 0, 0, UInt8(body.count)] + body, from: source)
    case 6:
      peer.localAddressChanged(now: now)
      drain(answering: nil)
    default:
      now = now.advanced(milliseconds: Int64(body.first ?? 0) * 40)
      peer.advance(to: now)
      drain(answering: nil)
    }
  }
  peer.close(now: now)
  drain(answering: nil)
}

/// Feeds data from an authenticated far end: plain RTP and RTCP records into both halves of a media session.
@Sendable func fuzzMedia(_ bytes: UnsafeRawBufferPointer) {
  let incoming = IncomingMedia()
  let outgoing = OutgoingMedia(.init())
  _ = incoming.replace(with: mediaParameters(ssrc: 1))
  _ = outgoing.replace(with: mediaParameters(ssrc: 101))
  var now = Instant(microseconds: 1_000_000)
  var timestamp: UInt32 = 0
  for piece in pieces(bytes).prefix(64) {
    guard let kind = piece.first else { continue }
    let body = UnsafeRawBufferPointer(rebasing: piece.dropFirst())
    switch kind & 3 {
    case 0:
      var packet = Array(body)
      packet.withUnsafeMutableBytes { packet in
        guard let receiver = incoming.receive(packet, now: now) else { return }
        while receiver.nextFrame(now) != nil {}
      }
    case 1: take(body, incoming, outgoing, now)
    case 2:
      timestamp &+= 3000
      let mid = (["0", "1", "2"] as [Mid])[Int(kind >> 2) % 3]
      _ = outgoing.send(
        EncodedFrame(data: Array(body), timestamp: timestamp, isKeyFrame: kind & 0x40 != 0), SentStream(mid: mid), level: nil,
        now: now)
    default: now = now.advanced(milliseconds: Int64(body.first ?? 0))
    }
    while let packet = outgoing.next(now) { outgoing.didSend(packet, size: packet.length, now: now) }
    _ = RTCPWriter.compound { writer in
      for receiver in incoming.receivers {
        receiver.writeRequests(to: &writer, sender: 9, roundTrip: outgoing.roundTrip ?? 0, now: now)
        _ = (receiver.reportBlock(now: now), receiver.statistics)
      }
      if let due = incoming.feedbackDeadline, now >= due { _ = incoming.writeFeedback(to: &writer, sender: 9) }
    }
    for sender in outgoing.senders.values { _ = (sender.report(now: now), sender.statistics) }
    _ = (outgoing.takeTargetChange(), outgoing.deadline(now), incoming.deadline)
  }
}

private func take(_ compound: UnsafeRawBufferPointer, _ incoming: IncomingMedia, _ outgoing: OutgoingMedia, _ now: Instant) {
  var reader = RTCPReader(compound)
  while let packet = reader.next() {
    switch packet {
    case .senderReport(let report):
      incoming.take(report.sender, now: now)
      for block in report.blocks { outgoing.take(block, now: now) }
    case .receiverReport(let report): for block in report.blocks { outgoing.take(block, now: now) }
    case .nack(let nack): outgoing.take(nack, now: now)
    case .pictureLoss(let request): _ = outgoing.keyFrameRequested(of: request.media)
    case .fullIntraRequest(let request): for entry in request { _ = outgoing.keyFrameRequested(of: entry.media, fir: entry) }
    case .transportFeedback(let feedback): outgoing.take(feedback, now: now)
    case .sourceDescription, .goodbye, .bitrateEstimate, .unknown, .malformed: break
    }
  }
}

/// Returns an Opus, a VP8 and an H.264 stream, the video with RTX.
private func mediaParameters(ssrc: SSRC) -> [RTPParameters] {
  let extensions: [RTPHeaderExtension: UInt8] = [.mid: 1, .absSendTime: 2, .transportSequence: 3, .audioLevel: 4]
  let codecs: [(RTPParameters.Kind, RTPCodec)] = [
    (.audio, RTPCodec(name: "opus", payloadType: 96, redPayloadType: 63, clockRate: 48_000, channels: 2)),
    (.video, RTPCodec(name: "vp8", payloadType: 97, rtxPayloadType: 98, clockRate: 90_000, feedback: [.nack, .pli, .fir])),
    (.video, RTPCodec(name: "h264", payloadType: 99, rtxPayloadType: 100, clockRate: 90_000, feedback: [.nack, .pli])),
  ]
  return codecs.enumerated().map { index, entry in
    let number = ssrc.rawValue + UInt32(index) * 2
    return RTPParameters(
      mid: "\(index)", kind: entry.0, codecs: [entry.1], headerExtensions: extensions,
      encodings: [RTPEncoding(ssrc: SSRC(number), rtxSSRC: entry.1.rtxPayloadType == nil ? nil : SSRC(number + 1))])
  }
}

private let certificate = try? Certificate()
