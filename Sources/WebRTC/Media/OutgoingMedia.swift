import RoomRTP

/// The sending half of a media session: its streams, their pacing, and the far end's reports.
final class OutgoingMedia {
  private(set) var senders: [Mid: MediaSender] = [:]
  private(set) var estimator: BandwidthEstimator
  /// The smoothed round-trip time in microseconds; nil before the first report.
  private(set) var roundTrip: Int64?
  private var pacer: Pacer
  private var sent = SentPackets()
  private var hasTransportFeedback = false
  private var toldTarget = 0

  init(_ bandwidth: BandwidthEstimator.Configuration) {
    estimator = BandwidthEstimator(bandwidth)
    pacer = Pacer(target: estimator.target)
  }

  /// Replaces the streams. Returns the SSRCs that ended.
  func replace(with parameters: [RTPParameters]) -> [SSRC] {
    var kept: [Mid: MediaSender] = [:]
    for parameters in parameters {
      if let known = senders[parameters.mid], known.continues(parameters) {
        kept[parameters.mid] = known
      } else if let new = MediaSender(parameters) {
        kept[parameters.mid] = new
      }
    }
    let ended = senders.values.filter { kept[$0.mid] !== $0 }.flatMap(\.ssrcs)
    senders = kept
    return ended
  }

  /// Sends a frame. Returns false if there is no such stream.
  func send(_ frame: EncodedFrame, mid: Mid, level: AudioLevel?, now: Instant) -> Bool {
    guard let sender = senders[mid] else { return false }
    for packet in sender.packets(for: frame, level: level, now: now) { pacer.add(packet) }
    return true
  }

  // MARK: Sending

  /// Returns when the next packet may be sent; nil if none is queued.
  func deadline(_ now: Instant) -> Instant? { pacer.deadline(now) }

  /// Returns the next packet that may be sent now, complete except for its protection.
  func next(_ now: Instant) -> OutgoingPacket? {
    guard var packet = pacer.next(now) else { return nil }
    packet.bytes.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      if packet.absSendTimeOffset > 0 { base.store24(AbsSendTime(now).rawValue, packet.absSendTimeOffset) }
      if packet.transportSequenceOffset > 0 { base.store16(sent.nextSequence, packet.transportSequenceOffset) }
    }
    return packet
  }

  /// Records that the packet returned by `next` was sent, with its size in bytes.
  func didSend(_ packet: OutgoingPacket, size: Int, now: Instant) {
    if packet.transportSequenceOffset > 0 { sent.sent(size: size, at: now) }
  }

  // MARK: Feedback

  func take(_ feedback: TransportFeedback, now: Instant) {
    hasTransportFeedback = true
    estimator.feedback(sent.outcomes(feedback), roundTripTime: roundTrip, now: now)
    pacer.setTarget(estimator.target)
  }

  func take(_ block: ReportBlock, now: Instant) {
    guard let sender = sender(block.ssrc) else { return }
    if let measured = sender.take(block, now: now) {
      roundTrip = roundTrip.map { ($0 * 3 + measured) / 4 } ?? measured
    }
    if !hasTransportFeedback {
      estimator.receiverReport(fractionLost: Double(block.fractionLost) / 256, now: now)
      pacer.setTarget(estimator.target)
    }
  }

  func take(_ nack: NegativeAcknowledgement, now: Instant) {
    guard let sender = sender(nack.media) else { return }
    for number in nack {
      if let packet = sender.repair(number, roundTrip: roundTrip, now: now) { pacer.add(packet) }
    }
  }

  /// Returns the stream for which a key frame is requested; nil if it is not sent here or the FIR is repeated.
  func keyFrameRequested(of ssrc: SSRC, fir: FullIntraRequest.Entry? = nil) -> Mid? {
    guard let sender = sender(ssrc), sender.kind == .video, fir.map(sender.isNewRequest) ?? true else { return nil }
    sender.keyFrameRequested()
    return sender.mid
  }

  /// Returns the target bitrate if it changed by more than a twentieth since it was last reported.
  func takeTargetChange() -> Int? {
    guard !senders.isEmpty, abs(estimator.target - toldTarget) * 20 > toldTarget else { return nil }
    toldTarget = estimator.target
    return toldTarget
  }

  private func sender(_ ssrc: SSRC) -> MediaSender? { senders.values.first { $0.ssrc == ssrc } }
}
