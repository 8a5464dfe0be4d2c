import RoomFuzzSupport
import RoomRTP

@testable import RoomNodeLink

/// The fuzz targets by name. The tests run the stored inputs through the same code.
let nodeLinkFuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
  "node-link": fuzzDatagrams, "link-bodies": fuzzLinkBodies,
]

private let near = LinkEnd(node: "near", incarnation: 1)
private let far = LinkEnd(node: "far", incarnation: 1)

/// A conversation whose datagrams are lost, changed, repeated and delayed as the input says: each piece of the input is one step.
/// No record is delivered twice, and each is delivered as it was written.
@Sendable private func fuzzDatagrams(_ bytes: UnsafeRawBufferPointer) {
  let secret = [UInt8](repeating: 7, count: 16)
  var options = LinkOptions()
  options.ring = 256
  var now = Instant(microseconds: 0)
  guard let nearKeys = try? LinkKeys(secret: secret, local: near, remote: far),
    let farKeys = try? LinkKeys(secret: secret, local: far, remote: near),
    var a = try? Link(nearKeys, options: options, now: now), var b = try? Link(farKeys, options: options, now: now)
  else { return }
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Link.longestDatagram, alignment: 16)
  defer { buffer.deallocate() }
  var kept: [[UInt8]] = []
  var delivered: Set<Int64> = []
  var written: Int64 = 0
  a.feed(true, stream: 1, place: .video(track: 1))
  for piece in pieces(bytes) {
    let action = piece.first ?? 0
    now = now.advanced(microseconds: Int64(action & 0x0F) * 1_500)
    if action & 0x10 != 0 {
      _ = a.write(LinkRecord(stream: 1, kind: 1, sequence: written), piece, now: now)
      written += 1
    }
    if action & 0x20 != 0 { b.want(piece.count > 1 ? StreamWish(keyFrames: UInt16(piece[1])) : nil, of: UInt32(action)) }
    a.flush(now: now)
    a.advance(to: now)
    b.advance(to: now)
    for _ in 0..<8 {
      let length = a.next(into: buffer, now: now)
      guard length > 0 else { break }
      var datagram = Array(buffer[..<length])
      if action & 0x40 != 0, piece.count > 2 { datagram[Int(piece[1]) % length] ^= piece[2] }
      kept.append(datagram)
    }
    if kept.count > 64 { kept.removeFirst(kept.count - 64) }
    if action & 0x80 == 0 {
      for index in kept.indices where piece.count < 4 || piece[3] >> UInt8(index & 7) & 1 == 0 {
        kept[index].withUnsafeBytes { datagram in
          _ = b.receive(datagram, now: now) { record, _ in
            precondition(record.sequence < written && delivered.insert(record.sequence).inserted)
          }
        }
      }
      for _ in 0..<8 {
        let length = b.next(into: buffer, now: now)
        guard length > 0 else { break }
        _ = a.receive(UnsafeRawBufferPointer(rebasing: buffer[..<length]), now: now) { _, _ in }
      }
    }
    _ = b.receive(piece, now: now) { _, _ in preconditionFailure("a forged record was accepted") }
    while a.nextEvent() != nil {}
    while b.nextEvent() != nil {}
  }
}

/// What an authentic peer may send: each piece is the body of a datagram, sealed with the right keys. The first byte chooses the
/// kind, the second the step of its number.
@Sendable private func fuzzLinkBodies(_ bytes: UnsafeRawBufferPointer) {
  let secret = [UInt8](repeating: 7, count: 16)
  var options = LinkOptions()
  options.ring = 256
  var now = Instant(microseconds: 0)
  guard let nearKeys = try? LinkKeys(secret: secret, local: near, remote: far),
    let farKeys = try? LinkKeys(secret: secret, local: far, remote: near),
    let cipher = LinkCipher(nearKeys.sending, opening: false), var link = try? Link(farKeys, options: options, now: now)
  else { return }
  let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Link.longestDatagram, alignment: 16)
  defer { buffer.deallocate() }
  var numbers: [LinkDatagram.Kind: UInt64] = [:]
  // The peer's reports of arrivals limit the link, and its wishes choose among these.
  link.feed(true, stream: 0, place: .audio)
  for stream in 1...3 as ClosedRange<UInt32> { link.feed(true, stream: stream, place: .video(track: 1)) }
  for piece in pieces(bytes) {
    guard piece.count > 2, let base = buffer.baseAddress else { continue }
    let kind: LinkDatagram.Kind = piece[0] & 1 == 0 ? .control : .records
    // Small steps, and now and then one far beyond the window.
    let step = piece[1] < 0xF0 ? UInt64(piece[1] & 7) + 1 : UInt64(1) << (UInt64(piece[1] & 0x0F) + 33)
    let number = min((numbers[kind] ?? 0) + step, LinkDatagram.highestNumber)
    numbers[kind] = number
    now = now.advanced(milliseconds: Int64(piece[0] >> 1))
    LinkDatagram.Header(kind: kind, epoch: nearKeys.epoch, number: number).write(to: base)
    let body = UnsafeRawBufferPointer(rebasing: piece[2...])
    let isSealed = cipher.seal(
      body, clear: UnsafeRawBufferPointer(start: base, count: LinkDatagram.headerBytes), kind: kind.rawValue, number: number,
      into: base + LinkDatagram.headerBytes)
    guard isSealed else { continue }
    for stream in 0...3 as ClosedRange<UInt32> { _ = link.write(LinkRecord(stream: stream, kind: 1), body, now: now) }
    link.flush(now: now)
    let length = body.count + LinkDatagram.overhead
    _ = link.receive(UnsafeRawBufferPointer(rebasing: buffer[..<length]), now: now) { _, payload in
      precondition(payload.count <= body.count)
    }
    link.advance(to: now)
    var datagrams = 0
    while link.next(into: buffer, now: now) > 0 { datagrams += 1 }
    // A ring of 256 datagrams can be requested from, and has at most as many requests.
    precondition(datagrams <= 600)
    while link.nextEvent() != nil {}
  }
}
