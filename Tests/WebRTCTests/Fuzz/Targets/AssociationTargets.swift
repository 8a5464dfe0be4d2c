import RoomFuzzSupport
import RoomRTP

@testable import RoomWebRTC

/// Feeds chunks to one of two connected associations that also exchange messages, some of whose packets are lost. Records: a byte
/// for the kind, then its arguments. No packet is longer than configured, few follow one input, and no more is stored than
/// configured.
@Sendable func fuzzSCTP(_ bytes: UnsafeRawBufferPointer) {
  var configuration = SCTPConfiguration()
  configuration.receiveWindow = 20_000
  configuration.sendBuffer = 20_000
  configuration.maximumMessage = 8000
  var ends = [SCTPAssociation(configuration), SCTPAssociation(configuration)]
  var now = Instant(microseconds: 1_000_000)
  var isHeld = false
  var isLossy = false
  var isTaking = true

  func drain() {
    for _ in 0..<4 {
      for side in 0..<2 {
        var count = 0
        while let packet = ends[side].nextPacket(now: now) {
          count += 1
          precondition(packet.count <= configuration.maximumPacket && count < 100)
          isHeld.toggle()
          if isLossy && isHeld { continue }
          packet.withUnsafeBytes { ends[1 - side].receive($0, now: now) }
        }
        while isTaking || side == 0, let event = ends[side].nextEvent() {
          if case .message(let message) = event { precondition((1...8000).contains(message.payload.count)) }
        }
        precondition(ends[side].unacknowledged <= 20_000 + 8000)
      }
    }
  }

  ends[0].start(now: now)
  drain()
  let base = ends[0].setup.firstTSN.rawValue
  for piece in pieces(bytes).prefix(64) {
    guard let kind = piece.first else { continue }
    let body = piece.dropFirst()
    let argument = Int(body.first ?? 0)
    switch kind & 31 {
    case 0..<20:
      let chunks: [UInt8] = [0, 0, 0, 0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 130, 192, UInt8(argument)]
      let type = chunks[Int(kind & 31)]
      var writer = SCTPWriter(from: 5000, to: 5000, tag: type == 1 ? 0 : ends[1].setup.localTag, limit: 1160)
      var value = Array(body.dropFirst())
      let isRelative = type == 0 || type == 3 || type == 192
      if isRelative, value.count >= 4 {
        let number = value.withUnsafeBytes { $0.bigEndian32(at: 0) }
        // Small numbers are near what is expected.
        let start = type == 3 ? ends[1].setup.firstTSN.rawValue : base
        withUnsafeBytes(of: (start &+ number).bigEndian) { value.replaceSubrange(0..<4, with: $0) }
      }
      writer.append(chunk: [type, UInt8(argument), UInt8((value.count + 4) >> 8), UInt8((value.count + 4) & 0xFF)] + value)
      writer.append(chunk: [UInt8](repeating: 0, count: -value.count & 3))
      writer.finish().withUnsafeBytes { ends[1].receive($0, now: now) }
    case 20:
      ends[0].abort()
    case 21, 22, 23:
      let size = 1 + argument * 40
      try? ends[argument & 1].send(
        SCTPMessage(
          stream: UInt16(argument & 7), payload: [UInt8](repeating: kind, count: min(8000, size)),
          isUnordered: kind & 0x20 != 0,
          reliability: kind & 0x40 != 0 ? .retransmissions(argument & 1) : kind & 0x80 != 0 ? .until(now) : .reliable))
    case 24: ends[argument & 1].reset([UInt16(argument & 7), UInt16(argument >> 4)])
    case 25: ends[argument & 1].shutdown(now: now)
    case 26: isLossy.toggle()
    case 27: isTaking.toggle()
    case 28:
      var raw = Array(body)
      raw.withUnsafeMutableBytes { raw in
        if raw.count >= 12 {
          let checksum = CRC32C.checksum(ofPacket: UnsafeRawBufferPointer(raw))
          raw.storeBytes(of: checksum.littleEndian, toByteOffset: 8, as: UInt32.self)
        }
        ends[1].receive(UnsafeRawBufferPointer(raw), now: now)
      }
    default:
      now = now.advanced(milliseconds: Int64(argument) * 20)
      for side in 0..<2 { ends[side].advance(to: now) }
    }
    drain()
  }
  // Time passes without further input.
  for _ in 0..<12 {
    guard let due = ends.compactMap(\.deadline).min(), !ends.contains(where: \.hasEnded) else { break }
    now = max(now, due)
    for side in 0..<2 { ends[side].advance(to: now) }
    drain()
  }
}

/// Feeds messages and resets of an authenticated other side to data channels. Records: a byte for the kind, one for the stream, then
/// the message. No more channels are open than allowed, and what is written is read again.
@Sendable func fuzzChannels(_ bytes: UnsafeRawBufferPointer) {
  var other = SCTPAssociation()
  var limits = DataChannels.Limits()
  limits.channels = 5
  let channels = DataChannels(role: .server, remote: DataParameters(), limits: limits)
  var now = Instant(microseconds: 1_000_000)
  var open: Set<DataChannelID> = []

  func exchange() {
    var isQuiet = false
    while !isQuiet {
      isQuiet = true
      while let event = channels.nextEvent() {
        switch event {
        case .opened(let id, _): precondition(open.insert(id).inserted && open.count <= limits.channels)
        case .closed(let id): open.remove(id)
        case .message(let id, _): precondition(open.contains(id))
        case .ended: open.removeAll()
        case .bufferedAmountLow: break
        }
      }
      while let packet = channels.nextPacket(now: now) {
        isQuiet = false
        packet.withUnsafeBytes { other.receive($0, now: now) }
      }
      while other.nextEvent() != nil {}
      while let packet = other.nextPacket(now: now) {
        isQuiet = false
        packet.withUnsafeBytes { channels.receive($0, now: now) }
      }
    }
  }

  other.start(now: now)
  exchange()
  for piece in pieces(bytes).prefix(64) {
    guard piece.count >= 2 else { continue }
    let stream = UInt16(piece[1] & 15)
    let body = Array(piece.dropFirst(2))
    switch piece[0] & 15 {
    case 0...6:
      let protocols: [UInt32] = [50, 50, 51, 53, 56, 57, 52]
      if piece[0] & 15 == 0, let message = ChannelProtocol.parse(body) {
        precondition(ChannelProtocol.parse(ChannelProtocol.bytes(of: message)) != nil)
      }
      try? other.send(SCTPMessage(stream: stream, protocolID: protocols[Int(piece[0] & 15)], payload: body))
    case 7: other.reset([stream])
    case 8: other.reset(Array(0..<16))
    case 9:
      _ = try? channels.open(
        DataChannel(label: String(decoding: body, as: UTF8.self), isOrdered: stream & 1 == 0),
        negotiated: stream & 8 == 0 ? nil : DataChannelID(stream))
    case 10: channels.close(DataChannelID(stream))
    case 11: try? channels.send(DataChannelMessage(body), on: DataChannelID(stream), now: now)
    case 12:
      let channel = DataChannel(label: String(decoding: body, as: UTF8.self), isOrdered: stream & 1 == 0)
      let message = ChannelProtocol.bytes(of: .open(channel))
      precondition(ChannelProtocol.parse(message) == .open(channel))
      try? other.send(SCTPMessage(stream: stream, protocolID: 50, payload: message))
    default:
      now = now.advanced(milliseconds: Int64(piece[1]) * 10)
      other.advance(to: now)
      channels.advance(to: now)
    }
    if piece[0] & 0x80 == 0 { exchange() }
  }
  exchange()
}
