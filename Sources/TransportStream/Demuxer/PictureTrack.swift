import RoomRTP

/// The pictures of a program: assembles them, and begins anew at a key frame after each loss.
struct PictureTrack {
  /// The largest picture in bytes.
  private static let longest = 4 << 20

  let pid: Int
  let codec: PictureCodec
  private var packets = PESAssembler(longest: longest)
  private var needsKeyFrame = true
  /// Whether leading pictures of HEVC refer to pictures that are missing.
  private var dropsLeading = false
  private(set) var lost = 0
  private(set) var malformed = 0

  init(pid: Int, codec: PictureCodec) {
    self.pid = pid
    self.codec = codec
  }

  /// Drops the current picture because a part is missing.
  mutating func reset() {
    if packets.reset() { lost += 1 }
    needsKeyFrame = true
  }

  /// Takes the payload of the next packet.
  mutating func take(
    _ payload: UnsafeRawBufferPointer, startsUnit: Bool, _ timeline: inout ProgramTimeline,
    _ found: (TransportStreamFrame) -> Void
  ) {
    for outcome in packets.take(payload, startsUnit: startsUnit) {
      guard case .packet(let packet) = outcome else {
        malformed += 1
        needsKeyFrame = true
        continue
      }
      if let frame = frame(packet, &timeline) { found(frame) }
    }
  }

  private mutating func frame(_ packet: PESAssembler.Packet, _ timeline: inout ProgramTimeline) -> TransportStreamFrame? {
    guard let presentation = packet.presentation, !packet.payload.isEmpty else {
      malformed += 1
      return nil
    }
    // Pictures that are dropped move the clock as well.
    let times = timeline.times(presentation: presentation, decoding: packet.decoding ?? presentation)
    let unit = Array(packet.payload)
    let isKeyFrame: Bool
    switch codec {
    case .h264: isKeyFrame = AnnexB.isKeyFrame(unit)
    case .hevc:
      let type = HEVCUnit.pictureType(unit)
      isKeyFrame = type.map(HEVCUnit.randomAccess.contains) ?? false
      if isKeyFrame { dropsLeading = needsKeyFrame }
      if dropsLeading, let type, HEVCUnit.skippedLeading.contains(type) { return nil }
    }
    if isKeyFrame { needsKeyFrame = false }
    guard !needsKeyFrame else { return nil }
    return .picture(unit, codec, decoding: times.decoding, presentation: times.presentation, isKeyFrame: isKeyFrame)
  }
}
