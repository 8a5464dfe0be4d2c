import RoomRTP
import RoomWebRTC

extension Peer {
  /// Returns a sealed RTP packet; empty if the peer can't seal it.
  func sealedRTP(
    payloadType: UInt8, sequence: UInt16, timestamp: UInt32, ssrc: SSRC, marker: Bool = false, payload: [UInt8],
    mid: (id: UInt8, text: String)? = nil, level: (id: UInt8, level: UInt8)? = nil,
    transportSequence: (id: UInt8, number: UInt16)? = nil
  ) -> [UInt8] {
    var packet = [UInt8](repeating: 0, count: 1500)
    let length = packet.withUnsafeMutableBytes { buffer -> Int in
      var writer = RTPHeaderWriter(
        buffer, payloadType: payloadType, sequenceNumber: sequence, timestamp: timestamp, ssrc: ssrc, marker: marker)
      if let mid { Array(mid.text.utf8).withUnsafeBytes { writer.append(id: mid.id, bytes: $0) } }
      if let level { writer.append(id: level.id, audioLevel: AudioLevel(level: level.level, voice: true)) }
      if let transportSequence { writer.append(id: transportSequence.id, transportSequence: transportSequence.number) }
      let header = writer.finish()
      payload.withUnsafeBytes { bytes in
        if let base = bytes.baseAddress, let target = buffer.baseAddress {
          (target + header).copyMemory(from: base, byteCount: bytes.count)
        }
      }
      return protectRTP(buffer, length: header + payload.count) ?? 0
    }
    return Array(packet[..<length])
  }

  /// Returns a sealed RTP packet with one header extension element in the two-byte form; empty if the peer can't seal it.
  func sealedRTP(
    payloadType: UInt8, sequence: UInt16, timestamp: UInt32, ssrc: SSRC, marker: Bool, payload: [UInt8], id: UInt8,
    element: [UInt8]
  ) -> [UInt8] {
    var block = [id, UInt8(element.count)] + element
    block += [UInt8](repeating: 0, count: (4 - block.count % 4) % 4)
    let words = UInt16(block.count / 4)
    let length = RTPHeader.fixedLength + 4 + block.count + payload.count
    var packet = [UInt8](repeating: 0, count: length + 64)
    let sealed = packet.withUnsafeMutableBytes { buffer -> Int in
      var writer = RTPHeaderWriter(
        buffer, payloadType: payloadType, sequenceNumber: sequence, timestamp: timestamp, ssrc: ssrc, marker: marker)
      let fixed = writer.finish()
      buffer[0] |= 0x10
      let rest = [0x10, 0x00, UInt8(words >> 8), UInt8(truncatingIfNeeded: words)] + block + payload
      for (offset, byte) in rest.enumerated() { buffer[fixed + offset] = byte }
      return protectRTP(buffer, length: length) ?? 0
    }
    return Array(packet[..<sealed])
  }

  /// Returns a sealed RTCP compound packet; empty if the peer can't seal it.
  func sealedRTCP(_ body: (inout RTCPWriter) -> Void) -> [UInt8] {
    var packet = RTCPWriter.compound(body)
    let plain = packet.count
    packet += [UInt8](repeating: 0, count: 32)
    let length = packet.withUnsafeMutableBytes { protectRTCP($0, length: plain) } ?? 0
    return Array(packet[..<length])
  }
}
