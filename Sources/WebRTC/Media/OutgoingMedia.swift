import RoomRTP

/// The sending half of a media session: its streams, their pacing, and the far end's reports.
final class OutgoingMedia {
  private(set) var senders: [SentStream: MediaSender] = [:]
  private(set) var estimator: PathEstimator
  /// The smoothed round-trip time in microseconds; nil before the first report.
  private(set) var roundTrip: Int64?
  private var pacer: Pacer
  private var sent = SentPackets()
  private var toldTarget = 0

  init(_ bandwidth: PathEstimator.Configuration) {
    estimator = PathEstimator(bandwidth)
    pacer = Pacer(target: estimator.target)
  }

  /// Replaces the streams. Returns the SSRCs that ended.
  func replace(with parameters: [RTPParameters]) -> [SSRC] {
    var kept: [SentStream: MediaSender] = [:]
    for parameters in parameters {
      for encoding in parameters.encodings {
        let stream = SentStream(mid: parameters.mid, rid: encoding.rid)
        if let known = senders[stream], known.continues(parameters, encoding) {
          kept[stream] = known
        } else if let new = MediaSender(parameters, encoding) {
          kept[stream] = new
        }
      }
    }
    let ended = senders.values.filter { kept[$0.stream] !== $0 }.flatMap(\.ssrcs)
    senders = kept
    return ended
  }

  /// Sends a frame. Returns false if there is no such stream.
  func send(_ frame: EncodedFrame, _ stream: SentStream, level: AudioLevel?, now: Instant) -> Bool {
    guard let sender = senders[stream] else { return false }
    for packet in sender.packets(for: frame, level: level, now: now) { pacer.add(packet) }
    return true
  }

  /// Sets the bitrate that could be sent in bits per second; nil if it is unknown.
  func setWanted(_ bitrate: Int?) { estimator.wanted = bitrate }

  // MARK: Sending

  /// Returns when the next packet may be sent; nil if none is queued.
  func deadline(_ now: Instant) -> Instant? { pacer.deadline(now) }

  /// Returns the next packet that may be sent now, complete except for its protection.
  func next(_ now: Instant) -> OutgoingPacket? {
    guard var packet = pacer.next(now) ?? padding(now) else { return nil }
    packet.bytes.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      if packet.absSendTimeOffset > 0 { base.store24(AbsSendTime(now).rawValue, packet.absSendTimeOffset) }
      if packet.transportSequenceOffset > 0 { base.store16(sent.nextSequence, packet.transportSequenceOffset) }
    }
    packet.probe = pacer.probeID(now)
    return packet
  }

  private func padding(_ now: Instant) -> OutgoingPacket? {
    guard pacer.wantsPadding(now), let packet = padder?.padding() else { return nil }
    pacer.padded(packet.length)
    return packet
  }

  /// The stream whose RTX carries padding: a video that has sent something.
  private var padder: MediaSender? { senders.values.first { $0.canPad } }

  /// Records that the packet returned by `next` was sent, with its size in bytes.
  func didSend(_ packet: OutgoingPacket, size: Int, now: Instant) {
    guard packet.transportSequenceOffset > 0 else { return }
    sent.sent(size: size, probe: packet.probe, at: now)
    estimator.sent(probe: packet.probe, at: now)
  }

  // MARK: Feedback

  func take(_ feedback: TransportFeedback, now: Instant) {
    sent.take(feedback) { estimator.take($0) }
    estimator.update(roundTrip: roundTrip, now: now)
    pacer.setTarget(estimator.target)
    if padder != nil, let probe = estimator.nextProbe(now: now) { pacer.begin(probe, now: now) }
  }

  /// Takes a report block. Returns the stream that it is about; nil if it is not sent here.
  @discardableResult func take(_ block: ReportBlock, now: Instant) -> MediaSender? {
    guard let sender = sender(block.ssrc) else { return nil }
    let measured = sender.take(block, target: estimator.target, now: now)
    if let measured { roundTrip = roundTrip.map { ($0 * 3 + measured) / 4 } ?? measured }
    estimator.report(fractionLost: Double(block.fractionLost) / 256, roundTrip: measured, now: now)
    pacer.setTarget(estimator.target)
    return sender
  }

  /// Limits the target to the far end's own estimate in bits per second (REMB).
  func limit(to bitrate: UInt64) {
    estimator.limit(to: bitrate)
    pacer.setTarget(estimator.target)
  }

  /// The time at which the far end is silent for too long; nil if nothing is expected of it.
  var silenceDeadline: Instant? { estimator.deadline }

  /// Lowers the target while the far end is silent.
  func endureSilence(_ now: Instant) {
    estimator.advance(to: now)
    pacer.setTarget(estimator.target)
  }

  func take(_ nack: NegativeAcknowledgement, now: Instant) {
    guard let sender = sender(nack.media) else { return }
    for number in nack {
      if let packet = sender.repair(number, roundTrip: roundTrip, now: now) { pacer.add(packet) }
    }
  }

  /// Returns the stream for which a key frame is requested; nil if it is not sent here or the FIR is repeated.
  func keyFrameRequested(of ssrc: SSRC, fir: FullIntraRequest.Entry? = nil) -> SentStream? {
    guard let sender = sender(ssrc), sender.kind == .video, fir.map(sender.isNewRequest) ?? true else { return nil }
    sender.keyFrameRequested()
    return sender.stream
  }

  /// The statistics of each m-line, over all its layers.
  var statistics: [Mid: SenderStatistics] {
    var all: [Mid: SenderStatistics] = [:]
    for sender in senders.values { all[sender.mid] = all[sender.mid]?.adding(sender.statistics) ?? sender.statistics }
    return all
  }

  /// Returns the target bitrate if it changed by more than a twentieth since it was last reported.
  func takeTargetChange() -> Int? {
    guard !senders.isEmpty, abs(estimator.target - toldTarget) * 20 > toldTarget else { return nil }
    toldTarget = estimator.target
    return toldTarget
  }

  private func sender(_ ssrc: SSRC) -> MediaSender? { senders.values.first { $0.ssrc == ssrc } }
}
