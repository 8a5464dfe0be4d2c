import RoomRTP
public import RoomWebRTC

// Matches a receiver's payload types with a publisher's codecs.

extension RTPCodec {
  /// Returns how well a receiver of `self` can decode what is encoded as `source`; nil if it can't.
  public func suitability(for source: RTPCodec) -> Int? {
    guard name.lowercased() == source.name.lowercased(), clockRate == source.clockRate else { return nil }
    switch PayloadFormat(name: name) {
    case .h264:
      let sameMode = parameters["packetization-mode"] ?? "0" == source.parameters["packetization-mode"] ?? "0"
      // The first four digits are the profile and its constraints. The level is a limit, not a format.
      let sameProfile = profile(parameters) == profile(source.parameters)
      return (sameMode ? 2 : 0) + (sameProfile ? 1 : 0)
    case .vp9:
      return parameters["profile-id"] ?? "0" == source.parameters["profile-id"] ?? "0" ? 1 : 0
    case .opus, .vp8, .av1, nil: return 1
    }
  }

  private func profile(_ parameters: [String: String]) -> String {
    String((parameters["profile-level-id"] ?? "42e01f").lowercased().prefix(4))
  }
}

extension TrackSlot {
  init(
    id: MediaTrackID, room: Int, transport: Int, isVideo: Bool, clockRate: UInt32, ring: PacketRing,
    reception: Unmanaged<ReceptionState>
  ) {
    self.id = id
    self.room = room
    self.transport = transport
    self.isVideo = isVideo
    self.clockRate = clockRate
    self.ring = ring
    self.reception = reception
  }

  /// Sets the codecs. Those beyond `maximumCodecs` are not received.
  mutating func setCodecs(_ codecs: [RTPCodec]) {
    payloadTypes = SIMD16(repeating: Self.noPayloadType)
    rtxPayloadTypes = SIMD16(repeating: Self.noPayloadType)
    redPayloadType = Self.noPayloadType
    for (index, codec) in codecs.prefix(Self.maximumCodecs).enumerated() where codec.payloadType < 128 {
      if let red = codec.redPayloadType, red < 128, !isVideo, redPayloadType == Self.noPayloadType {
        redPayloadType = red
        redCodec = UInt8(truncatingIfNeeded: index)
      }
      payloadTypes[index] = codec.payloadType
      rtxPayloadTypes[index] = codec.rtxPayloadType.flatMap { $0 < 128 ? $0 : nil } ?? Self.noPayloadType
      formats[index] = VideoFormat.byte(name: codec.name)
    }
  }
}

extension SubscriptionSlot {
  /// Returns nil if the receiver has no codec of the track. `retired` has the numbers at which reused SSRCs continue.
  init?(
    id: SubscriptionID, track: Int, transport: Int, ssrc: SSRC, encoding: RTPEncoding, source: [RTPCodec],
    parameters: RTPParameters, continues: Bool, retired: [SSRC: RetiredStream],
    random: inout some RandomNumberGenerator
  ) {
    self.id = id
    self.track = track
    self.source = track
    self.transport = transport
    self.ssrc = ssrc
    self.continues = continues
    let hasRepair = parameters.codecs.contains { $0.rtxPayloadType != nil }
    rtxSSRC = hasRepair ? encoding.rtxSSRC ?? 0 : 0
    answersNACK = parameters.codecs.contains { $0.feedback.contains(.nack) }
    var ids = RTPExtensionIDs(parameters.headerExtensions)
    ids.rid = 0
    ids.repairedRid = 0
    if answersNACK && rtxSSRC == 0 {
      // A packet that is retransmitted unchanged must not differ by a byte, so it carries nothing that changes.
      ids.absSendTime = 0
      ids.transportSequence = 0
      ids.playoutDelay = 0
    }
    header = HeaderTemplate(mid: parameters.mid, ids: ids)
    // Below 2¹⁵, so that the receiver guesses the rollover counter right, whichever packet arrives first (RFC 3711 §3.3.1).
    map = SequenceMap(start: retired[ssrc]?.next ?? Int64.random(in: 1..<16_384, using: &random))
    rtxNext = rtxSSRC == 0 ? 0 : retired[rtxSSRC]?.next ?? Int64.random(in: 1..<16_384, using: &random)
    if continues, let before = retired[ssrc] {
      resumed = before.end
      packets = before.packets
      bytes = before.bytes
    }
    match(source, to: parameters.codecs)
    guard payloadTypes != SIMD16(repeating: TrackSlot.noPayloadType) else { return nil }
  }

  /// Finds the receiver's best payload type for each of the publisher's codecs.
  mutating func match(_ source: [RTPCodec], to receiver: [RTPCodec]) {
    payloadTypes = SIMD16(repeating: TrackSlot.noPayloadType)
    rtxPayloadTypes = SIMD16(repeating: TrackSlot.noPayloadType)
    redPayloadType = TrackSlot.noPayloadType
    for (index, codec) in source.prefix(TrackSlot.maximumCodecs).enumerated() {
      let suitable = receiver.compactMap { candidate in candidate.suitability(for: codec).map { (candidate, $0) } }
      // The first of several equally good ones, because it is the receiver's preference.
      var best: (codec: RTPCodec, suitability: Int)?
      for (candidate, suitability) in suitable where suitability > best?.suitability ?? -1 { best = (candidate, suitability) }
      guard let best, best.codec.payloadType < 128 else { continue }
      payloadTypes[index] = best.codec.payloadType
      rtxPayloadTypes[index] = best.codec.rtxPayloadType.flatMap { $0 < 128 ? $0 : nil } ?? TrackSlot.noPayloadType
      // Whatever the publisher sent: the ring makes the copies.
      if let red = best.codec.redPayloadType, red < 128, redPayloadType == TrackSlot.noPayloadType {
        redPayloadType = red
        redCodec = UInt8(truncatingIfNeeded: index)
      }
    }
  }
}

extension RTPExtensionIDs {
  init(_ ids: [RTPHeaderExtension: UInt8]) {
    self.init(
      mid: ids[.mid] ?? 0, rid: ids[.rid] ?? 0, repairedRid: ids[.repairedRid] ?? 0, absSendTime: ids[.absSendTime] ?? 0,
      transportSequence: ids[.transportSequence] ?? 0, audioLevel: ids[.audioLevel] ?? 0,
      playoutDelay: ids[.playoutDelay] ?? 0, dependencyDescriptor: ids[.dependencyDescriptor] ?? 0)
  }

  /// Adds the extensions that another m-line of the same bundle negotiated.
  mutating func merge(_ other: RTPExtensionIDs) {
    if other.mid != 0 { mid = other.mid }
    if other.rid != 0 { rid = other.rid }
    if other.repairedRid != 0 { repairedRid = other.repairedRid }
    if other.absSendTime != 0 { absSendTime = other.absSendTime }
    if other.transportSequence != 0 { transportSequence = other.transportSequence }
    if other.audioLevel != 0 { audioLevel = other.audioLevel }
    if other.dependencyDescriptor != 0 { dependencyDescriptor = other.dependencyDescriptor }
  }
}
