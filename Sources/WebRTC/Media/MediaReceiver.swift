import RTP

/// One stream that is received: undoes RTX, asks for what is missing, gives whole frames in order.
final class MediaReceiver {
  let mid: Mid
  let ids: RTPExtensionIDs
  private let parameters: RTPParameters
  private let codec: RTPCodec
  private let kind: RTPParameters.Kind
  /// Known from the description, or learnt from the first packet with the stream's mid.
  private var ssrc: SSRC?
  private var rtxSSRC: SSRC?
  private var stream: ReceiveStream?
  private var buffer: JitterBuffer
  private var wantsKeyFrame = false
  private var lastKeyFrameRequest: Instant?
  private var counted = ReceiverStatistics()

  /// The least time between two PLIs, microseconds: a key frame needs about that long to come.
  static let keyFrameInterval: Int64 = 300_000

  /// Nil for a stream whose codec is not one that is assembled here.
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
    begin()
  }

  private func begin() {
    guard let ssrc else { return }
    stream = ReceiveStream(ssrc: ssrc, clockRate: codec.clockRate, policy: kind == .video ? .video : .audio)
  }

  func continues(_ other: RTPParameters) -> Bool { other == parameters }

  /// What the description says of its SSRCs.
  var describedSSRCs: [SSRC] {
    [parameters.encodings.first?.ssrc, parameters.encodings.first?.rtxSSRC].compactMap { $0 }
  }

  /// Whether the payload type is the stream's, or that of its repairs.
  func carries(_ payloadType: UInt8) -> Bool { payloadType == codec.payloadType || payloadType == codec.rtxPayloadType }

  /// Takes the SSRC of a packet that bore the stream's mid.
  func learn(_ header: RTPHeader) {
    if header.payloadType == codec.rtxPayloadType {
      rtxSSRC = header.ssrc
    } else {
      ssrc = header.ssrc
      begin()
    }
  }

  /// Takes a packet of the stream or of its repairs.
  func receive(_ packet: UnsafeMutableRawBufferPointer, _ header: RTPHeader, now: Instant) {
    if header.payloadType == codec.rtxPayloadType, header.ssrc != ssrc { return receiveRepair(packet, header, now: now) }
    guard header.payloadType == codec.payloadType, header.ssrc == ssrc else { return }
    _ = stream?.receive(header, now: now)
    buffer.insert(header, payload: header.payload(of: UnsafeRawBufferPointer(packet)), now: now)
  }

  private func receiveRepair(_ packet: UnsafeMutableRawBufferPointer, _ header: RTPHeader, now: Instant) {
    guard let ssrc,
      let original = Retransmission.unwrap(packet, header: header, payloadType: codec.payloadType, ssrc: ssrc),
      let header = RTPHeader(parsing: UnsafeRawBufferPointer(original))
    else { return }
    guard stream?.receiveRepaired(header.sequenceNumber, now: now) == .filledGap else { return }
    counted.repaired += 1
    buffer.insert(header, payload: header.payload(of: UnsafeRawBufferPointer(original)), now: now)
  }

  /// The next whole frame, in order; nil if absent yet.
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

  /// The user wants a key frame: a decoder lost its picture, or somebody begins to watch.
  func requestKeyFrame() { if kind == .video, ssrc != nil { wantsKeyFrame = true } }

  func take(_ report: SenderInformation, now: Instant) { stream?.statistics.receive(report, now: now) }

  func reportBlock(now: Instant) -> ReportBlock? {
    guard let ssrc, let packets = stream?.statistics.packetCount, packets > 0 else { return nil }
    return stream?.statistics.reportBlock(ssrc: ssrc, now: now)
  }

  // MARK: requests

  private var keyFrameDue: Instant? {
    guard wantsKeyFrame else { return nil }
    return lastKeyFrameRequest?.advanced(microseconds: Self.keyFrameInterval) ?? Instant(microseconds: .min)
  }

  private var nackDue: Instant? { codec.feedback.contains(.nack) ? stream?.losses.deadline : nil }

  /// When a request or a frame is due; nil if nothing is waited for.
  var deadline: Instant? { [keyFrameDue, nackDue, buffer.deadline].lazy.compactMap { $0 }.min() }

  func wantsRequest(_ now: Instant) -> Bool { [keyFrameDue, nackDue].contains { $0.map { $0 <= now } ?? false } }

  func writeRequests(to writer: inout RTCPWriter, sender: SSRC, roundTrip: Int64, now: Instant) {
    if let due = keyFrameDue, due <= now, let ssrc, writer.pictureLoss(sender: sender, media: ssrc) {
      // One request, one PLI: who still needs the picture after it asks again.
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
