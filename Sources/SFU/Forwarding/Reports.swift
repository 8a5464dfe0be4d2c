import RoomRTP
import RoomWebRTC

// Periodic sending: NACKs, transport-wide feedback, reports, levels.

extension Forwarder {
  /// Sends publishers NACKs for missing packets.
  func requestMissing(_ now: Instant) {
    for index in 0..<tracks.end where tracks.isLive(index) {
      let track = tracks[index]
      guard track.pointee.wantsNACK, !track.pointee.isMuted else { continue }
      let reception = track.pointee.reception
      guard let deadline = reception._withUnsafeGuaranteedRef({ $0.stream.losses.deadline }), deadline <= now else { continue }
      let transport = transports[track.pointee.transport]
      guard transport.pointee.isConnected else { continue }
      var asked = 0
      sendRTCP(on: track.pointee.transport) { writer in
        asked = reception._withUnsafeGuaranteedRef {
          $0.stream.writeRequests(
            to: &writer, sender: transport.pointee.localSSRC, now: now, roundTrip: transport.pointee.roundTrip)
        }
      }
      guard asked > 0 else { continue }
      counters.nacksSent &+= 1
      track.pointee.nacksSent &+= UInt64(asked)
    }
  }

  func sendTransportFeedback(_ now: Instant) {
    for index in 0..<transports.end where transports.isLive(index) {
      let transport = transports[index]
      guard let feedback = transport.pointee.feedback, transport.pointee.isConnected else { continue }
      // What does not fit in one packet goes into the next, up to four.
      for _ in 0..<4 where feedback._withUnsafeGuaranteedRef({ $0.recorder.pendingCount }) > 0 {
        sendRTCP(on: index) { writer in
          let reported = feedback._withUnsafeGuaranteedRef {
            $0.recorder.writeFeedback(to: &writer, sender: transport.pointee.localSSRC, media: firstSource(of: index))
          }
          if reported > 0 { counters.transportFeedbackSent &+= 1 }
        }
      }
    }
  }

  /// Returns a source for feedback to name; the feedback itself covers all streams of the transport.
  private func firstSource(of index: Int) -> SSRC {
    var track = Int(transports[index].pointee.firstTrack)
    while track >= 0 {
      if tracks[track].pointee.ssrc != 0 { return tracks[track].pointee.ssrc }
      track = Int(tracks[track].pointee.nextInTransport)
    }
    return 0
  }

  // MARK: Sender and receiver reports

  /// Microseconds between two reports on a transport, spread so that not all transports report at once.
  private static let reportInterval: Int64 = 1_000_000

  func sendReports(_ now: Instant) {
    for index in 0..<transports.end where transports.isLive(index) {
      let transport = transports[index]
      guard transport.pointee.isConnected, transport.pointee.nextReport <= now else { continue }
      transport.pointee.nextReport = now.advanced(
        microseconds: Self.reportInterval &* Int64.random(in: 80...120, using: &random) / 100)
      if transport.pointee.firstTrack >= 0 { reportReception(on: index, now: now) }
      if transport.pointee.firstSubscription >= 0 { reportSending(on: index, now: now) }
    }
  }

  private func reportReception(on index: Int, now: Instant) {
    let transport = transports[index]
    let sender = transport.pointee.localSSRC
    var track = Int(transport.pointee.firstTrack)
    while track >= 0 {
      sendRTCP(on: index) { writer in
        writer.receiverReport(ssrc: sender)
        // Leaves room for the description and the estimate that follow.
        while track >= 0, writer.remaining > 2 * ReportBlock.length + 100 {
          let slot = tracks[track]
          if slot.pointee.ssrc != 0, slot.pointee.highest > 0 {
            let block = slot.pointee.reception._withUnsafeGuaranteedRef {
              $0.stream.statistics.reportBlock(ssrc: slot.pointee.ssrc, now: now)
            }
            slot.pointee.fractionLost = block.fractionLost
            guard writer.append(block) else { break }
          }
          track = Int(slot.pointee.nextInTransport)
        }
        writer.sourceDescription(ssrc: sender, canonicalName: Self.ownName)
        if track < 0 { writeEstimate(of: index, to: &writer) }
      }
      // Without room to send, the rest waits for the next report.
      if !transport.pointee.isConnected || outgoing.isFull { return }
    }
  }

  private static let ownName = "roomserver"

  /// Writes the bitrate that the limits allow to publishers without transport-wide feedback, and to all what their subscribers
  /// can take.
  private func writeEstimate(of index: Int, to writer: inout RTCPWriter) {
    let transport = transports[index]
    guard transport.pointee.wantsBitrateEstimate || transport.pointee.publishLimit != nil || transport.pointee.limitReports > 0
    else { return }
    if transport.pointee.publishLimit == nil { transport.pointee.limitReports = max(0, transport.pointee.limitReports - 1) }
    let most = transport.pointee.wantsBitrateEstimate ? limits.bitratePerPublisher : Self.noLimit
    var sources: [SSRC] = []
    var track = Int(transports[index].pointee.firstTrack)
    while track >= 0, sources.count < 16 {
      if tracks[track].pointee.isVideo, tracks[track].pointee.ssrc != 0 { sources.append(tracks[track].pointee.ssrc) }
      track = Int(tracks[track].pointee.nextInTransport)
    }
    guard !sources.isEmpty else { return }
    sources.withUnsafeBufferPointer {
      _ = writer.bitrateEstimate(
        sender: transports[index].pointee.localSSRC, bitrate: UInt64(max(0, min(most, transport.pointee.publishLimit ?? most))),
        streams: $0)
    }
  }

  /// In bits per second.
  private static let noLimit = 100_000_000

  private func reportSending(on index: Int, now: Instant) {
    var subscription = Int(transports[index].pointee.firstSubscription)
    while subscription >= 0 {
      sendRTCP(on: index) { writer in
        while subscription >= 0, writer.remaining > 400 {
          let slot = subscriptions[subscription]
          let track = tracks[slot.pointee.source]
          if slot.pointee.packets > 0, slot.pointee.resumed == nil,
            let moment = track.pointee.clock.moment(now, clockRate: track.pointee.clockRate)
          {
            writer.senderReport(
              SenderInformation(
                ssrc: slot.pointee.ssrc, ntpTime: moment.ntp, rtpTimestamp: moment.rtp &+ slot.pointee.map.offsets.timestamp,
                packetCount: UInt32(truncatingIfNeeded: slot.pointee.packets),
                octetCount: UInt32(truncatingIfNeeded: slot.pointee.bytes)))
            writer.sourceDescription(
              ssrc: slot.pointee.ssrc, canonicalName: subscriptionBooks[subscription]?.canonicalName ?? Self.ownName)
            slot.pointee.reportNTP = moment.ntp.compact
            slot.pointee.reportAt = now
          }
          subscription = Int(slot.pointee.nextInTransport)
        }
      }
      if !transports[index].pointee.isConnected || outgoing.isFull { return }
    }
  }

  // MARK: Levels and rates

  /// The level of silence, in −dBov.
  private static let silence: UInt8 = 127

  func reportLevels() {
    for index in 0..<tracks.end where tracks.isLive(index) && !tracks[index].pointee.isVideo {
      let track = tracks[index]
      track.pointee.lastLevel = track.pointee.isMuted ? Self.silence : track.pointee.loudest
      track.pointee.loudest = Self.silence
    }
    for number in rooms.indices {
      guard let room = rooms[number], !room.tracks.isEmpty || !room.otherLevels.isEmpty else { continue }
      var levels: [TrackLevel] = []
      // What another worker reports, but this one's subscriptions compete with.
      var linked: [TrackLevel] = []
      for (id, index) in room.tracks where !tracks[index].pointee.isVideo && tracks[index].pointee.lastLevel < Self.silence {
        let level = TrackLevel(track: id, level: -Int(tracks[index].pointee.lastLevel))
        if tracks[index].pointee.isReported { levels.append(level) } else { linked.append(level) }
      }
      for (id, level) in room.otherLevels where level > -Int(Self.silence) {
        levels.append(TrackLevel(track: id, level: level))
      }
      let changed = room.speakers.update(linked + levels)
      let audible = Set(levels.map(\.track))
      // A track that has just become silent is reported once.
      for id in room.audible where !audible.contains(id) && (room.tracks[id] != nil || room.otherLevels[id] != nil) {
        levels.append(TrackLevel(track: id, level: -Int(Self.silence)))
      }
      room.audible = audible
      if !levels.isEmpty { report(.audioLevels(levels), to: number) }
      if changed { report(.activeSpeakers(room.speakers.speakers), to: number) }
    }
  }

  func rollRates(_ now: Instant) {
    for index in 0..<transports.end where transports.isLive(index) {
      transports[index].pointee.receiveRate.roll(now)
      transports[index].pointee.sendRate.roll(now)
      transports[index].pointee.path?.pointee.repairRate.roll(now)
    }
    for index in 0..<tracks.end where tracks.isLive(index) {
      tracks[index].pointee.rate.roll(now)
      if tracks[index].pointee.temporal.isActive { tracks[index].pointee.temporal.roll(now) }
    }
    for index in 0..<subscriptions.end where subscriptions.isLive(index) { subscriptions[index].pointee.rate.roll(now) }
  }
}
