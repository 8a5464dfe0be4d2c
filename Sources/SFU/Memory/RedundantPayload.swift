import RoomRTP

// Audio with copies of the packets before (RED, RFC 2198), as the ring stores it:
//
//   headers of n−2, n−1, n │ n−2 │ n−1 │ n
//
// A receiver with RED gets it from the first byte, or only n−1 and n, if that is its distance. A receiver without RED gets the
// tail, which is the plain packet.

extension PacketRing {
  /// Copies the packets before `slot`'s into its memory, and moves the position of its payload behind them. Call it between the
  /// description and the payload; a slot without copies remains as it is.
  ///
  /// The copies end with the packet before. A packet that is missing, silent, too long or too old has no copy, and neither have
  /// those before it.
  func copyEarlier(into slot: UnsafeMutablePointer<StoredPacket>) {
    guard let newest = copyable(before: slot, into: slot) else { return }
    let first = Int(place(newest).pointee.length)
    guard fits(first, headers: 1, in: slot) else { return }
    var oldest = copyable(before: place(newest), into: slot)
    if let older = oldest, !fits(first &+ Int(place(older).pointee.length), headers: 2, in: slot) { oldest = nil }
    let base = UnsafeMutableRawPointer(slot) + Self.payloadOffset
    var header = base
    var end = base + (RedundantAudio.primaryHeaderLength + (oldest == nil ? 1 : 2) * RedundantAudio.headerLength)
    if let oldest { append(oldest, into: slot, &header, &end) }
    append(newest, into: slot, &header, &end)
    slot.pointee.copies = oldest == nil ? 1 : 2
    slot.pointee.copyReach.x = UInt8(truncatingIfNeeded: slot.pointee.sequence &- newest)
    slot.pointee.copyReach.y = UInt8(truncatingIfNeeded: slot.pointee.sequence &- (oldest ?? newest))
    slot.pointee.primaryAt = UInt16(truncatingIfNeeded: end - base)
  }

  /// Returns the number of the packet before `next` if it may be copied. Empty packets, which only probe, do not count, and
  /// neither do missing ones if the timestamps prove that they had no sound.
  private func copyable(
    before next: UnsafeMutablePointer<StoredPacket>, into slot: UnsafeMutablePointer<StoredPacket>
  ) -> Int64? {
    let sequence = next.pointee.sequence
    var isAdjacent = true
    for step in 1...Self.longestSkip {
      guard let packet = self[sequence &- step] else {
        isAdjacent = false
        continue
      }
      let length = Int(packet.pointee.length)
      if length == 0 { continue }
      guard packet.pointee.codec == slot.pointee.codec else { return nil }
      if !isAdjacent {
        let opus = OpusPacket(parsing: UnsafeRawBufferPointer(start: Self.payload(packet), count: length))
        guard let opus, packet.pointee.timestamp &+ UInt32(truncatingIfNeeded: opus.sampleCount) == next.pointee.timestamp
        else {
          return nil
        }
      }
      let age = slot.pointee.timestamp &- packet.pointee.timestamp
      let level = packet.pointee.flags.contains(.hasAudioLevel) ? packet.pointee.audioLevel & 0x7F : nil
      guard length <= RedundantAudio.longestBlock, age > 0, age <= RedundantAudio.longestOffset,
        RedundantAudioWriter.isAudible(length: length, level: level)
      else { return nil }
      return sequence &- step
    }
    return nil
  }

  /// The maximum number of steps to the packet before, over empty ones.
  private static let longestSkip: Int64 = 8

  private func fits(_ copies: Int, headers: Int, in slot: UnsafeMutablePointer<StoredPacket>) -> Bool {
    let total =
      headers &* RedundantAudio.headerLength &+ RedundantAudio.primaryHeaderLength &+ copies &+ Int(slot.pointee.length)
    return copies <= RedundantAudioWriter.longestCopies && total <= RedundantAudioWriter.longestPayload
  }

  private func append(
    _ sequence: Int64, into slot: UnsafeMutablePointer<StoredPacket>, _ header: inout UnsafeMutableRawPointer,
    _ end: inout UnsafeMutableRawPointer
  ) {
    let packet = place(sequence)
    let length = Int(packet.pointee.length)
    RedundantAudio.writeHeader(
      to: header, payloadType: 0, offset: slot.pointee.timestamp &- packet.pointee.timestamp, length: length)
    header += RedundantAudio.headerLength
    end.copyMemory(from: Self.payload(packet), byteCount: length)
    end += length
  }
}

/// The bytes of a stored packet that one send includes: its payload alone, or behind copies of earlier packets.
struct PacketForm: BitwiseCopyable {
  let start: UnsafeMutableRawPointer
  let length: Int
  let payloadType: UInt8
  /// The eight bytes at `start` before the headers of this form were written; nil if nothing was overwritten.
  private var overwritten: UInt64?

  /// The payload alone.
  @inline(__always) init(_ slot: UnsafeMutablePointer<StoredPacket>, payloadType: UInt8) {
    start = PacketRing.payload(slot)
    length = Int(slot.pointee.length)
    self.payloadType = payloadType
    overwritten = nil
  }

  /// The payload with `distance` copies, 1 … `copies`, as RED of payload type `red`, whose blocks have the payload type `codec`.
  /// The headers of a form without the oldest copy replace that copy's last bytes, so call `restore` after sealing.
  init(_ slot: UnsafeMutablePointer<StoredPacket>, distance: UInt8, red: UInt8, codec: UInt8) {
    let base = UnsafeMutableRawPointer(slot) + PacketRing.payloadOffset
    let end = Int(slot.pointee.primaryAt) &+ Int(slot.pointee.length)
    payloadType = red
    if distance < slot.pointee.copies {
      // The newest copy's header is the second one; its payload begins behind the oldest copy's.
      let newest = Int(base.loadUnaligned(fromByteOffset: 6, as: UInt16.self).bigEndian & 0x3FF)
      let fields = base.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
      let at = Int(slot.pointee.primaryAt) &- newest &- RedundantAudio.headerLength &- RedundantAudio.primaryHeaderLength
      start = base + at
      length = end &- at
      overwritten = start.loadUnaligned(as: UInt64.self)
      start.storeBytes(of: fields, as: UInt32.self)
    } else {
      start = base
      length = end
      overwritten = nil
    }
    let headers = Int(distance) &* RedundantAudio.headerLength
    for copy in 0..<Int(distance) { start.store8(0x80 | codec, copy &* RedundantAudio.headerLength) }
    start.store8(codec, headers)
  }

  /// Restores what the headers of this form replaced.
  @inline(__always) func restore() {
    if let overwritten { start.storeBytes(of: overwritten, as: UInt64.self) }
  }
}
