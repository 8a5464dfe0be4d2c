import RoomRTP

/// One received stream: unwraps RTX and RED, requests missing packets, returns whole frames in order.
final class MediaReceiver {
  let mid: Mid
  let ids: RTPExtensionIDs
  private let parameters: RTPParameters
  private let codec: RTPCodec
  private let kind: RTPParameters.Kind
  /// The SSRC from the description, or learnt from the first packet with the stream's mid.
  private var ssrc: SSRC?
  private var rtxSSRC: SSRC?
  private var stream: ReceiveStream?
  private var buffer: JitterBuffer
  private var wantsKeyFrame = false
  private var lastKeyFrameRequest: Instant?
  private var counted = ReceiverStatistics()
  /// The last packets of audio with RED, by the lowest bits of their numbers.
  private var recent: [(number: UInt16, packet: RedundantAudio.Block.Neighbour?)]

  /// The minimum time in microseconds between two PLIs, about the time that a key frame needs to arrive.
  static let keyFrameInterval: Int64 = 300_000

  /// Creates a receiver. Returns nil if the codec is not supported for assembly.
  init?(_ parameters: RTPParameters) {
    guard let codec = parameters.codecs.first, let format = PayloadFormat(name: codec.name) else { return nil }
    mid = parameters.mid
    kind = parameters.kind
    ids = RTPExtensionIDs(parameters.headerExtensions)
    ssrc = parameters.encodings.first?.ssrc
    rtxSSRC = parameters.encodings.first?.rtxSSRC
    self.parameters = parameters
    self.codec = codec
    buffer = JitterBuffer(format: format)
    recent = codec.redPayloadType == nil ? [] : Array(repeating: (0, nil), count: Self.recentCount)
    begin()
  }

  private func begin() {
    guard let ssrc else { return }
    stream = ReceiveStream(ssrc: ssrc, clockRate: codec.clockRate, policy: kind == .video ? .video : .audio)
  }

  func continues(_ other: RTPParameters) -> Bool { other == parameters }

  /// The SSRCs in the description.
  var describedSSRCs: [SSRC] {
    [parameters.encodings.first?.ssrc, parameters.encodings.first?.rtxSSRC].compactMap { $0 }
  }

  /// Returns whether the payload type belongs to the stream or its retransmissions.
  func carries(_ payloadType: UInt8) -> Bool {
    payloadType == codec.payloadType || payloadType == codec.rtxPayloadType || payloadType == codec.redPayloadType
  }

  /// Learns the SSRC of a packet with the stream's mid.
  func learn(_ header: RTPHeader) {
    if header.payloadType == codec.rtxPayloadType {
      rtxSSRC = header.ssrc
    } else {
      ssrc = header.ssrc
      begin()
    }
  }

  /// Processes a packet of the stream or its retransmissions.
  func receive(_ packet: UnsafeMutableRawBufferPointer, _ header: RTPHeader, now: Instant) {
    if header.payloadType == codec.rtxPayloadType, header.ssrc != ssrc { return receiveRepair(packet, header, now: now) }
    guard header.ssrc == ssrc else { return }
    if counted.firstPacketAt == nil { counted.firstPacketAt = now }
    let payload = header.payload(of: UnsafeRawBufferPointer(packet))
    if header.payloadType == codec.payloadType || header.payloadType == codec.redPayloadType && payload.isEmpty {
      take(payload, header, now: now)
    } else if header.payloadType == codec.redPayloadType {
      receiveRedundant(payload, header, now: now)
    }
  }

  private func take(_ payload: UnsafeRawBufferPointer, _ header: RTPHeader, now: Instant) {
    _ = stream?.receive(header, now: now)
    buffer.insert(header, payload: payload, now: now)
    remember(header, isEmpty: payload.isEmpty)
  }

  /// Takes the packet from a RED payload, and before it the lost packets of which the payload has copies.
  private func receiveRedundant(_ payload: UnsafeRawBufferPointer, _ header: RTPHeader, now: Instant) {
    guard let audio = RedundantAudio(parsing: payload), audio.primary.payloadType == codec.payloadType else { return }
    for block in audio where block.payloadType == codec.payloadType {
      if block.isPrimary {
        take(block.data, header, now: now)
      } else if let number = missing(block, of: header) {
        var restored = header
        restored.payloadType = codec.payloadType
        restored.sequenceNumber = UInt16(truncatingIfNeeded: number)
        restored.timestamp &-= block.timestampOffset
        switch stream?.receiveRepaired(restored.sequenceNumber, now: now) {
        case .inOrder, .afterGap, .filledGap:
          counted.restored += 1
          buffer.insert(restored, payload: block.data, now: now)
          remember(restored, isEmpty: false)
        case .duplicate, .late, .restarted, nil: break
        }
      }
    }
  }

  /// Returns the number of the packet of this copy if it is missing. A copy does not start the stream, and a packet far from the
  /// last one, which may restart it, has no copies of use.
  private func missing(_ block: RedundantAudio.Block, of header: RTPHeader) -> Int64? {
    guard let highest = stream?.losses.highest else { return nil }
    let ahead = Int64(Int16(bitPattern: header.sequenceNumber &- UInt16(truncatingIfNeeded: highest)))
    guard abs(ahead) <= RedundantAudio.Block.longestReach else { return nil }
    return block.missingNumber(before: highest + ahead, timestamp: header.timestamp &- block.timestampOffset) { number in
      let slot = recent[Int(number & Int64(Self.recentCount - 1))]
      return slot.number == UInt16(truncatingIfNeeded: number) ? slot.packet : nil
    }
  }

  /// Notes that a packet arrived, for the copies in later ones.
  private func remember(_ header: RTPHeader, isEmpty: Bool) {
    guard codec.redPayloadType != nil else { return }
    recent[Int(header.sequenceNumber) & (Self.recentCount - 1)] = (
      header.sequenceNumber, .init(timestamp: header.timestamp, isEmpty: isEmpty)
    )
  }

  /// Twice the reach of copies and more; a power of two.
  private static let recentCount = 128

  private func receiveRepair(_ packet: UnsafeMutableRawBufferPointer, _ header: RTPHeader, now: Instant) {
    guard let ssrc,
      let original = Retransmission.unwrap(packet, header: header, payloadType: codec.payloadType, ssrc: ssrc),
      let header = RTPHeader(parsing: UnsafeRawBufferPointer(original))
    else { return }
    guard stream?.receiveRepaired(header.sequenceNumber, now: now) == .filledGap else { return }
    counted.repaired += 1
    buffer.insert(header, payload: header.payload(of: UnsafeRawBufferPointer(original)), now: now)
  }

  /// Returns the next whole frame, in order; nil if there is none yet.
  func nextFrame(_ now: Instant) -> EncodedFrame? {
    while let output = buffer.next(now: now) {
      switch output {
      case .frame(let frame):
        counted.frames += 1
        if frame.isKeyFrame { wantsKeyFrame = false }
        return frame
      case .keyFrameNeeded: wantsKeyFrame = true
      }
    }
    return nil
  }

  /// Requests a key frame for the user: a decoder lost its picture, or a new viewer starts watching.
  func requestKeyFrame() { if kind == .video, ssrc != nil { wantsKeyFrame = true } }

  func take(_ report: SenderInformation, now: Instant) { stream?.statistics.receive(report, now: now) }

  func reportBlock(now: Instant) -> ReportBlock? {
    guard let ssrc, let packets = stream?.statistics.packetCount, packets > 0 else { return nil }
    return stream?.statistics.reportBlock(ssrc: ssrc, now: now)
  }

  // MARK: Requests

  private var keyFrameDue: Instant? {
    guard wantsKeyFrame else { return nil }
    return lastKeyFrameRequest?.advanced(microseconds: Self.keyFrameInterval) ?? Instant(microseconds: .min)
  }

  private var nackDue: Instant? { codec.feedback.contains(.nack) ? stream?.losses.deadline : nil }

  /// The time at which a request or a frame is due; nil if nothing is pending.
  var deadline: Instant? { [keyFrameDue, nackDue, buffer.deadline].lazy.compactMap { $0 }.min() }

  func wantsRequest(_ now: Instant) -> Bool { [keyFrameDue, nackDue].contains { $0.map { $0 <= now } ?? false } }

  func writeRequests(to writer: inout RTCPWriter, sender: SSRC, roundTrip: Int64, now: Instant) {
    if let due = keyFrameDue, due <= now, let ssrc, writer.pictureLoss(sender: sender, media: ssrc) {
      // One request causes one PLI: a caller that still needs the picture requests again.
      wantsKeyFrame = false
      lastKeyFrameRequest = now
      counted.keyFrameRequests += 1
    }
    guard let due = nackDue, due <= now else { return }
    let count = stream?.writeRequests(to: &writer, sender: sender, now: now, roundTrip: roundTrip) ?? 0
    counted.nacks += UInt64(count)
  }

  var statistics: ReceiverStatistics {
    var statistics = counted
    guard let counts = stream?.statistics else { return statistics }
    statistics.framesDropped = buffer.counters.breaks + (kind == .audio ? buffer.counters.lostPackets : 0)
    statistics.packets = counts.packetCount
    statistics.bytes = counts.byteCount
    statistics.packetsLost = counts.lost
    statistics.packetsExpected = counts.expected
    statistics.jitter = counts.jitterMicroseconds
    return statistics
  }
}
