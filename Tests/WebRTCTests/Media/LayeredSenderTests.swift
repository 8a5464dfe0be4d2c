import RoomRTP
import Testing

@testable import RoomWebRTC

@Suite("The sent layers of a simulcast")
struct LayeredSenderTests {
  private static let ids = RTPExtensionIDs(Self.parameters().headerExtensions)

  private static func parameters(_ layers: Int = 2) -> RTPParameters {
    let names: [RTPHeaderExtension] = [.mid, .rid, .repairedRid, .absSendTime, .transportSequence]
    let ids = Dictionary(uniqueKeysWithValues: names.map { ($0, $0.canonicalID) })
    let encodings = [RTPEncoding(ssrc: 10, rtxSSRC: 20, rid: "q"), RTPEncoding(ssrc: 11, rtxSSRC: 21, rid: "f")]
    return RTPParameters(
      mid: "7", kind: .video, codecs: [.vp8], headerExtensions: ids, encodings: Array(encodings.prefix(layers)), cname: "test")
  }

  /// The SSRC, mid, rid and repaired rid of each packet that is due.
  private func drain(_ outgoing: OutgoingMedia, _ now: Instant) -> [String] {
    var lines: [String] = []
    while let packet = outgoing.next(now) {
      packet.bytes.withUnsafeBytes { bytes in
        let packet = UnsafeRawBufferPointer(rebasing: bytes[..<packet.length])
        guard let header = RTPHeader(parsing: packet) else { return lines.append("no header") }
        let extensions = RTPExtensions(packet: packet, header: header)
        let texts = [Self.ids.mid, Self.ids.rid, Self.ids.repairedRid].map { extensions.text(of: $0) ?? "-" }
        lines.append("\(header.ssrc) " + texts.joined(separator: " "))
      }
      outgoing.didSend(packet, size: packet.length, now: now)
    }
    return lines
  }

  private static let frame = EncodedFrame(
    data: [0x10, 2, 0, 0x9D, 1, 0x2A, 64, 0, 64, 0, 1, 2, 3], timestamp: 0, isKeyFrame: true)

  @Test("each layer has its SSRC and rid, and its retransmissions the repaired rid")
  func layers() throws {
    let outgoing = OutgoingMedia(.init())
    _ = outgoing.replace(with: [Self.parameters()])
    var now = Instant(microseconds: 1_000_000)
    #expect(outgoing.send(Self.frame, SentStream(mid: "7", rid: "q"), level: nil, now: now))
    #expect(outgoing.send(Self.frame, SentStream(mid: "7", rid: "f"), level: nil, now: now))
    #expect(!outgoing.send(Self.frame, SentStream(mid: "7"), level: nil, now: now))
    // The pacer does not send both at once.
    let lines = drain(outgoing, now) + drain(outgoing, now.advanced(milliseconds: 50))
    #expect(lines == ["10 7 q -", "11 7 f -"])

    now = now.advanced(milliseconds: 100)
    var number: UInt16 = 0
    #expect(outgoing.send(Self.frame, SentStream(mid: "7", rid: "f"), level: nil, now: now))
    while let packet = outgoing.next(now) {
      number = packet.bytes.withUnsafeBytes { RTPHeader(parsing: $0)?.sequenceNumber ?? 0 }
      outgoing.didSend(packet, size: packet.length, now: now)
    }
    now = now.advanced(milliseconds: 100)
    var nack = RTCPWriter.compound { $0.nack(sender: 1, media: 11, sequenceNumbers: [number]) }
    nack.withUnsafeMutableBytes { bytes in
      var reader = RTCPReader(UnsafeRawBufferPointer(bytes))
      while let packet = reader.next() { if case .nack(let nack) = packet { outgoing.take(nack, now: now) } }
    }
    #expect(drain(outgoing, now) == ["21 7 - f"])
  }

  @Test("a key frame is requested of one layer, and the counters are those of all")
  func requests() {
    let outgoing = OutgoingMedia(.init())
    _ = outgoing.replace(with: [Self.parameters()])
    #expect(outgoing.keyFrameRequested(of: 11) == SentStream(mid: "7", rid: "f"))
    #expect(outgoing.keyFrameRequested(of: 10) == SentStream(mid: "7", rid: "q"))
    for _ in 0..<3 { _ = outgoing.send(Self.frame, SentStream(mid: "7", rid: "q"), level: nil, now: Instant(microseconds: 0)) }
    _ = outgoing.send(Self.frame, SentStream(mid: "7", rid: "f"), level: nil, now: Instant(microseconds: 0))
    let statistics = outgoing.statistics["7"]
    #expect(statistics?.packets == 4 && statistics?.frames == 3 && statistics?.keyFrameRequests == 2)
    // A layer that stays keeps its stream.
    #expect(outgoing.replace(with: [Self.parameters(1)]).map(\.rawValue).sorted() == [11, 21])
  }
}
