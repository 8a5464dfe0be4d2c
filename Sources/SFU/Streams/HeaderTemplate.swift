import RoomRTP

/// The header extension block of one subscription. It is written once; each packet gets a copy with its variable fields
/// patched. A packet's dependency descriptor is appended to it.
struct HeaderTemplate: BitwiseCopyable {
  /// Room for mid (16), abs-send-time, transport sequence, playout delay and audio level with their id bytes.
  private var bytes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
  /// The length of the block with its four-byte head; 0 without extensions.
  private var length = 0
  /// The offset from the packet's first byte; 0 if the extension was not negotiated.
  private(set) var absSendTimeOffset = 0
  private(set) var transportSequenceOffset = 0
  private var audioLevelOffset = 0
  /// Relative to the extension block; nil if the extension was not negotiated.
  private var playoutDelayAt: Int?
  private let descriptorID: UInt8

  /// The longest header that `write` produces.
  static let maximumLength = RTPHeader.fixedLength + 40
  /// The most that `append` adds: the two-byte form of the descriptor, another byte for each element before it, and padding.
  static let maximumAppended = 2 + DependencyDescriptor.maximumLength + 5 + 3

  init(mid: Mid, ids: RTPExtensionIDs) {
    descriptorID = ids.dependencyDescriptor
    withUnsafeTemporaryAllocation(byteCount: 128, alignment: 8) { buffer in
      var writer = RTPHeaderWriter(buffer, payloadType: 0, sequenceNumber: 0, timestamp: 0, ssrc: 0)
      var text = String(mid.rawValue.utf8.prefix(16)) ?? ""
      if !text.isEmpty { text.withUTF8 { writer.append(id: ids.mid, bytes: UnsafeRawBufferPointer($0)) } }
      writer.append(id: ids.absSendTime, absSendTime: AbsSendTime(rawValue: 0))
      writer.append(id: ids.transportSequence, transportSequence: 0)
      withUnsafeBytes(of: Self.playoutDelay(milliseconds: 0)) { writer.append(id: ids.playoutDelay, bytes: $0) }
      // Last, so that padding can replace it in a packet without a level.
      writer.append(id: ids.audioLevel, audioLevel: AudioLevel(level: 127, voice: false))
      let total = writer.finish()
      absSendTimeOffset = writer.absSendTimeOffset
      transportSequenceOffset = writer.transportSequenceOffset
      guard let base = buffer.baseAddress, total > RTPHeader.fixedLength else { return }
      length = min(total - RTPHeader.fixedLength, MemoryLayout.size(ofValue: bytes))
      withUnsafeMutableBytes(of: &bytes) {
        $0.copyMemory(from: UnsafeRawBufferPointer(start: base + RTPHeader.fixedLength, count: length))
      }
      let packet = UnsafeRawBufferPointer(start: base, count: total)
      guard let header = RTPHeader(parsing: packet) else { return }
      let extensions = RTPExtensions(packet: packet, header: header)
      playoutDelayAt = extensions.range(of: ids.playoutDelay).map { $0.lowerBound - RTPHeader.fixedLength }
      if let range = extensions.range(of: ids.audioLevel) {
        audioLevelOffset = range.lowerBound
        audioLevelElement = base.load(fromByteOffset: range.lowerBound - 1, as: UInt8.self)
      }
    }
  }

  /// Asks the receiver to delay the video by this time at least, 0 … 40,950 ms in steps of 10 ms.
  mutating func setPlayoutDelay(milliseconds: Int) {
    guard let place = playoutDelayAt, place + 3 <= length else { return }
    withUnsafeMutableBytes(of: &bytes) { block in
      withUnsafeBytes(of: Self.playoutDelay(milliseconds: milliseconds)) {
        UnsafeMutableRawBufferPointer(rebasing: block[place..<place + 3]).copyMemory(from: $0)
      }
    }
  }

  /// The least delay and no upper limit, 12 bits each. An upper limit of half a second or less would turn smoothing off in
  /// libwebrtc.
  private static func playoutDelay(milliseconds: Int) -> (UInt8, UInt8, UInt8) {
    let least = UInt16(min(max(0, milliseconds / 10), 0xFFF))
    return (UInt8(least >> 4), UInt8(truncatingIfNeeded: least << 4) | 0x0F, 0xFF)
  }

  private var audioLevelElement: UInt8 = 0

  /// Writes a whole header and returns its length. If `audioLevel` is nil, the level is left out. `padded` states that padding
  /// ends the packet.
  @inline(__always) func write(
    to base: UnsafeMutableRawPointer, payloadType: UInt8, marker: Bool, sequence: UInt16, timestamp: UInt32, ssrc: SSRC,
    absSendTime: UInt32, transportSequence: UInt16, audioLevel: UInt8?, padded: Bool = false
  ) -> Int {
    base.store8((length > 0 ? 0x90 : 0x80) | (padded ? 0x20 : 0), 0)
    base.store8((marker ? 0x80 : 0) | payloadType, 1)
    base.store16(sequence, 2)
    base.store32(timestamp, 4)
    base.storeSSRC(ssrc, 8)
    guard length > 0 else { return RTPHeader.fixedLength }
    (base + RTPHeader.fixedLength).storeBytes(of: bytes, as: type(of: bytes))
    if absSendTimeOffset > 0 { base.store24(absSendTime, absSendTimeOffset) }
    if transportSequenceOffset > 0 { base.store16(transportSequence, transportSequenceOffset) }
    if audioLevelOffset > 0 {
      base.store8(audioLevel == nil ? 0 : audioLevelElement, audioLevelOffset - 1)
      base.store8(audioLevel ?? 0, audioLevelOffset)
    }
    return RTPHeader.fixedLength + length
  }

  /// Appends a dependency descriptor to a header of `length` bytes that `write` wrote, and returns the new length. If the receiver
  /// did not negotiate descriptors, nothing changes. A descriptor of more than 16 bytes requires the two-byte form (RFC 8285
  /// §4.3) for all elements.
  func append(_ descriptor: UnsafeRawBufferPointer, to base: UnsafeMutableRawPointer, length: Int) -> Int {
    guard descriptorID != 0, let source = descriptor.baseAddress, descriptor.count > 0 else { return length }
    let start = RTPHeader.fixedLength + 4
    var end = max(start, length)
    let isLong = descriptor.count > 16
    if isLong {
      end = widen(base, from: start)
      base.store8(descriptorID, end)
      base.store8(UInt8(truncatingIfNeeded: descriptor.count), end &+ 1)
      end &+= 2
    } else {
      base.store8(descriptorID << 4 | UInt8(truncatingIfNeeded: descriptor.count &- 1), end)
      end &+= 1
    }
    (base + end).copyMemory(from: source, byteCount: descriptor.count)
    end &+= descriptor.count
    while end & 3 != 0 {
      base.store8(0, end)
      end &+= 1
    }
    base.store8(UnsafeRawPointer(base).load8(0) | 0x10, 0)
    base.store16(isLong ? 0x1000 : 0xbede, RTPHeader.fixedLength)
    base.store16(UInt16(truncatingIfNeeded: (end &- start) / 4), RTPHeader.fixedLength + 2)
    return end
  }

  /// Rewrites the elements of a header in the two-byte form, and returns their end.
  private func widen(_ base: UnsafeMutableRawPointer, from start: Int) -> Int {
    guard length > 0 else { return start }
    // Fields have been patched, so the elements are read from the header.
    let copy = UnsafeRawPointer(base).loadUnaligned(fromByteOffset: RTPHeader.fixedLength, as: type(of: bytes))
    var end = start
    withUnsafeBytes(of: copy) { block in
      var position = 4
      while position < length {
        let head = block[position]
        position += 1
        // Padding.
        guard head >> 4 != 0 else { continue }
        let count = Int(head & 0x0f) + 1
        guard position + count <= length else { return }
        base.store8(head >> 4, end)
        base.store8(UInt8(truncatingIfNeeded: count), end &+ 1)
        for offset in 0..<count { base.store8(block[position + offset], end &+ 2 &+ offset) }
        end &+= 2 &+ count
        position += count
      }
    }
    return end
  }
}
