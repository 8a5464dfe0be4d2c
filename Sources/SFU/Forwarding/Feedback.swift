import RoomRTP
import RoomWebRTC

// Incoming RTCP: sender reports and BYEs from publishers; reports, NACKs and key frame requests from subscribers.

extension Forwarder {
  func receiveRTCP(_ bytes: UnsafeRawBufferPointer, on index: Int, now: Instant) {
    var reader = RTCPReader(bytes)
    while let packet = reader.next() {
      switch packet {
      case .senderReport(let report):
        receive(report.sender, on: index, now: now)
        for block in report.blocks { receive(block, on: index, now: now) }
      case .receiverReport(let report):
        for block in report.blocks { receive(block, on: index, now: now) }
      case .goodbye(let sources):
        for ssrc in sources { end(ssrc, on: index) }
      case .nack(let request): resend(request, on: index, now: now)
      case .pictureLoss(let request):
        requestKeyFrame(of: request.media, on: index)
      case .fullIntraRequest(let request):
        for entry in request { fullIntra(entry, on: index) }
      case .transportFeedback(let feedback): receive(feedback, on: index, now: now)
      case .bitrateEstimate(let estimate): receive(estimate, on: index, now: now)
      case .malformed: drop(.malformedRTCP)
      case .sourceDescription, .unknown: break
      }
    }
    if reader.isMalformed { drop(.malformedRTCP) }
  }

  private func receive(_ report: SenderInformation, on index: Int, now: Instant) {
    let track = mediaStreams[StreamKey(transport: index, ssrc: report.ssrc)]
    guard track >= 0 else { return }
    let slot = tracks[track]
    slot.pointee.reception._withUnsafeGuaranteedRef { $0.stream.statistics.receive(report, now: now) }
    let timestamp = report.rtpTimestamp &+ slot.pointee.timestampOffset
    slot.pointee.clock.report(ntp: report.ntpTime, rtpTimestamp: timestamp, now: now)
    writeLinks(of: slot, report: report.ntpTime, timestamp: timestamp, arrival: now)
    slot.pointee.taps.write(
      TapRecord.head(
        ofReport: report.ntpTime, timestamp: timestamp &+ slot.pointee.tapTimestampOffset, arrival: now))
  }

  private func receive(_ block: ReportBlock, on index: Int, now: Instant) {
    let subscription = outgoingStreams[StreamKey(transport: index, ssrc: block.ssrc)]
    guard subscription >= 0 else { return }
    let slot = subscriptions[subscription]
    slot.pointee.lost = Int64(block.cumulativeLost)
    slot.pointee.fractionLost = block.fractionLost
    slot.pointee.jitter = block.jitter
    defer { receivedReport(block, on: index, now: now) }
    if slot.pointee.redPayloadType != TrackSlot.noPayloadType { noteAudioLoss(block.fractionLost, on: index, now: now) }
    // Our reports have the publisher's time, so the round trip is measured from the send time of the report named here.
    guard block.lastSenderReport != 0, block.lastSenderReport == slot.pointee.reportNTP else { return }
    let delay = (Int64(block.delaySinceLastSenderReport) &* 1_000_000) >> 16
    let sample = now - slot.pointee.reportAt &- delay
    guard (0..<60_000_000).contains(sample) else { return }
    let transport = transports[index]
    // Smoothed as in TCP.
    transport.pointee.roundTrip =
      transport.pointee.roundTrip == 0 ? max(1, sample) : max(1, (transport.pointee.roundTrip &* 7 &+ sample) / 8)
  }

  /// Ends a source that sent BYE. Its SSRC becomes free, and its next packets restart the stream.
  private func end(_ ssrc: SSRC, on index: Int) {
    let key = StreamKey(transport: index, ssrc: ssrc)
    let track = mediaStreams[key]
    guard track >= 0 else { return }
    let slot = tracks[track]
    slot.pointee.reception._withUnsafeGuaranteedRef {
      $0.stream = ReceiveStream(ssrc: ssrc, clockRate: slot.pointee.clockRate, policy: slot.pointee.isVideo ? .video : .audio)
    }
    slot.pointee.isNewSource = slot.pointee.highest != 0
  }

  // MARK: Key frames

  private func fullIntra(_ entry: FullIntraRequest.Entry, on index: Int) {
    let subscription = outgoingStreams[StreamKey(transport: index, ssrc: entry.media)]
    guard subscription >= 0 else { return }
    let slot = subscriptions[subscription]
    // A repeated number is the same request (RFC 5104 §4.3.1.2).
    guard slot.pointee.firSequence != Int16(entry.sequenceNumber) else { return }
    slot.pointee.firSequence = Int16(entry.sequenceNumber)
    requestKeyFrame(of: entry.media, on: index)
  }

  private func requestKeyFrame(of ssrc: SSRC, on index: Int) {
    let subscription = outgoingStreams[StreamKey(transport: index, ssrc: ssrc)]
    guard subscription >= 0 else { return }
    counters.keyFrameRequestsReceived &+= 1
    let slot = subscriptions[subscription]
    slot.pointee.keyFrameRequests &+= 1
    tracks[slot.pointee.track].pointee.keyFrames.request()
  }

  /// Sends publishers the key frame requests that are due.
  func sendKeyFrameRequests(_ now: Instant) {
    for index in 0..<tracks.end where tracks.isLive(index) {
      let track = tracks[index]
      guard track.pointee.keyFrames.isWanted, !track.pointee.isMuted else { continue }
      if track.pointee.injected != nil {
        guard track.pointee.keyFrames.isDue(now, interval: limits.keyFrameInterval) else { continue }
        track.pointee.keyFrameRequestsSent &+= 1
        trackBooks[index]?.injection?.keyFrameIsWanted()
        continue
      }
      guard track.pointee.ssrc != 0,
        track.pointee.wantsPLI || track.pointee.wantsFIR, transports[track.pointee.transport].pointee.isConnected,
        track.pointee.keyFrames.isDue(now, interval: limits.keyFrameInterval)
      else { continue }
      track.pointee.keyFrameRequestsSent &+= 1
      counters.keyFrameRequestsSent &+= 1
      let sender = transports[track.pointee.transport].pointee.localSSRC
      sendRTCP(on: track.pointee.transport) { writer in
        if track.pointee.wantsPLI {
          writer.pictureLoss(sender: sender, media: track.pointee.ssrc)
        } else {
          track.pointee.firSequence &+= 1
          writer.fullIntraRequest(sender: sender, media: track.pointee.ssrc, sequenceNumber: track.pointee.firSequence)
        }
      }
    }
  }

  // MARK: Resending

  private func resend(_ request: NegativeAcknowledgement, on index: Int, now: Instant) {
    let subscription = outgoingStreams[StreamKey(transport: index, ssrc: request.media)]
    guard subscription >= 0 else { return }
    let slot = subscriptions[subscription]
    counters.nacksReceived &+= 1
    slot.pointee.nacks &+= 1
    guard slot.pointee.answersNACK, !slot.pointee.isStopped else { return }
    let transport = transports[index]
    guard transport.pointee.isConnected else { return }
    let track = tracks[slot.pointee.track]
    setSendTime(now)
    for asked in request {
      counters.nackedPackets &+= 1
      guard let repair = repair(asked, of: track, slot) else {
        drop(.historyMiss)
        continue
      }
      // On a paced path, what the receiver will leave for the new layer's key frame would delay that.
      guard slot.pointee.cursor == .max || repair.offsets.layer == slot.pointee.map.offsets.layer else {
        drop(.repairBudget)
        continue
      }
      guard slot.pointee.throttle.allows(asked, now: now, interval: transport.pointee.resendInterval) else {
        drop(.nackThrottled)
        continue
      }
      sendAgain(repair, to: subscription, slot, on: transport, isVideo: track.pointee.isVideo, now: now)
    }
    guard track.pointee.isVideo, slot.pointee.rtxSSRC != 0, transport.pointee.path?.pointee.doublesRepairs ?? false else {
      return
    }
    // After all others, so that a burst of losses does not take both.
    for asked in request where slot.pointee.throttle.allowsAgain(asked, now: now) {
      guard let repair = repair(asked, of: track, slot) else { continue }
      counters.repairsDoubled &+= 1
      sendAgain(repair, to: subscription, slot, on: transport, isVideo: true, now: now)
    }
  }

  /// A packet to send again.
  private struct Repair {
    var packet: UnsafeMutablePointer<StoredPacket>
    /// Its number in the subscription.
    var number: Int64
    var offsets: StreamOffsets
  }

  /// Returns the packet that was sent under this number; nil if the ring no longer has it.
  private func repair(
    _ asked: UInt16, of track: UnsafeMutablePointer<TrackSlot>, _ subscription: UnsafeMutablePointer<SubscriptionSlot>
  ) -> Repair? {
    let next = subscription.pointee.nextNumber(on: track.pointee)
    let behind = UInt16(truncatingIfNeeded: next) &- asked
    let number = next &- Int64(behind)
    guard behind != 0, let (packet, offsets) = sentPacket(number, of: subscription, on: track) else { return nil }
    return Repair(packet: packet, number: number, offsets: offsets)
  }

  /// Retransmits a packet if the path's budget allows it: by RTX under the repair stream's own SSRC and numbers (RFC 4588), or
  /// else the same packet, byte for byte, with the copies it was sent with. Its header has no field that changes with time, so
  /// nothing else is ever sealed under its index.
  private func sendAgain(
    _ repair: Repair, to index: Int, _ subscription: UnsafeMutablePointer<SubscriptionSlot>,
    on transport: UnsafeMutablePointer<TransportSlot>, isVideo: Bool, now: Instant
  ) {
    let packet = repair.packet
    let length = Int(packet.pointee.length)
    guard transport.pointee.path?.pointee.allowsRepair(bytes: length, isVideo: isVideo, now: now) ?? true else {
      return drop(.repairBudget)
    }
    if packet.pointee.flags.contains(.hasPicture) { PacketRing.setPicture(packet, repair.offsets) }
    guard makeRoom() else { return drop(.sendBufferFull) }
    let payload = PacketRing.payload(packet)
    let codec = Int(packet.pointee.codec)
    let repairType = subscription.pointee.rtxPayloadTypes[codec]
    let sealed: Int
    if subscription.pointee.rtxSSRC != 0 {
      guard repairType != TrackSlot.noPayloadType else { return drop(.unknownPayloadType) }
      // The two bytes before the payload are free for the original sequence number, or the end of a copy.
      let before = (payload - 2).loadUnaligned(as: UInt16.self)
      defer { (payload - 2).storeBytes(of: before, as: UInt16.self) }
      (payload - 2).store16(UInt16(truncatingIfNeeded: repair.number), 0)
      sealed = seal(
        packet, timestampOffset: repair.offsets.timestamp, payload: payload - 2, length: length + 2, payloadType: repairType,
        ssrc: subscription.pointee.rtxSSRC, index: subscription.pointee.rtxNext, subscription, on: transport)
      subscription.pointee.rtxNext &+= 1
    } else {
      let payloadType = subscription.pointee.payloadTypes[codec]
      guard payloadType != TrackSlot.noPayloadType else { return drop(.unknownPayloadType) }
      let form = subscription.pointee.sentForm(of: packet, as: repair.number, payloadType: payloadType)
      sealed = seal(
        packet, timestampOffset: repair.offsets.timestamp, payload: form.start, length: form.length,
        payloadType: form.payloadType,
        ssrc: subscription.pointee.ssrc, index: repair.number, subscription, on: transport)
      form.restore()
    }
    guard sealed > 0 else { return drop(.sendFailed) }
    commit(sealed, to: transport.pointee.destination, subscription: isVideo ? Int32(truncatingIfNeeded: index) : -1)
    counters.retransmitted &+= 1
    subscription.pointee.retransmitted &+= 1
    subscription.pointee.rate.add(bytes: length)
    transport.pointee.sent(sealed)
  }
}
