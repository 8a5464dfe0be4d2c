import RoomRTP

/// The header extension block of one subscription. It is written once; each packet gets a copy with its variable fields
/// patched.
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

  /// The longest header that `write` produces.
  static let maximumLength = RTPHeader.fixedLength + 40

  init(mid: Mid, ids: RTPExtensionIDs) {
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
}
