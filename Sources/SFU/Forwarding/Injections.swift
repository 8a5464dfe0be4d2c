import RoomRTP
import RoomWebRTC

// Tracks whose packets come from this process.

extension Forwarder {
  /// The maximum number of consecutive records of one track, so that a burst is sent in parts that fit in the rings.
  private static let injectedAtOnce = 64

  func inject(_ id: MediaTrackID, _ parameters: RTPParameters, from injection: TrackInjection, in number: RoomNumber) {
    guard let book = book(number), let room = roomIndices[number] else { return }
    if injection.isLink, let index = book.tracks[id] {
      // The publisher changed its parameters.
      return forEachLayer(of: index) { setCodecs(of: $0, parameters) }
    }
    let sources = Array(sequence(first: injection, next: \.nextLayer))
    let isWithinLimit = !injection.isReported || injections.count - linkEnds + sources.count <= limits.injectionsPerWorker
    guard book.tracks[id] == nil, !parameters.codecs.isEmpty, isWithinLimit,
      let layers = insertLayers(
        sources.count, of: id, in: room, on: TrackSlot.noTransport, parameters, name: "\(number.rawValue)-\(id.rawValue)")
    else {
      // The worker that receives the track reports it. Subscriptions to a link that does not exist are refused.
      if injection.isReported { refuse(.refused(.track(id)), in: number) }
      return
    }
    for (index, source) in zip(layers, sources) {
      trackBooks[index]?.injection = source
      if injection.isLink { trackBooks[index]?.demand = .ofLink }
      tracks[index].pointee.injected = source.ring
      tracks[index].pointee.isLinked = injection.isLink
      tracks[index].pointee.isReported = injection.isReported
      tracks[index].pointee.takesPast = injection.isLink
      tracks[index].pointee.setCodecs(parameters.codecs)
      injections.append(index)
    }
    if !injection.isReported { linkEnds += sources.count }
    begin(id, at: layers[0], in: book)
  }

  /// Reads the injections' records and forwards them.
  func takeInjected(now: Instant) {
    guard !injections.isEmpty else { return }
    var isMore = true
    while isMore {
      isMore = false
      for index in injections where takeInjected(index, now: now) { isMore = true }
      finishReceiving(now)
    }
  }

  /// Reads records of one injection. Returns true if there may be more.
  private func takeInjected(_ index: Int, now: Instant) -> Bool {
    let slot = tracks[index]
    guard let ring = slot.pointee.injected else { return false }
    for _ in 0..<Self.injectedAtOnce {
      guard ring.read({ head, payload in take(head, payload, track: index, slot, now: now) }) else { return false }
    }
    return true
  }

  private func take(
    _ head: TapRing.Head, _ payload: UnsafeRawBufferPointer, track: Int, _ slot: UnsafeMutablePointer<TrackSlot>, now: Instant
  ) {
    switch head.kind {
    case InjectedRecord.linkedPacket: takeLinked(head, payload, track: track, slot, now: now)
    case InjectedRecord.restarted: restartLinked(track, slot)
    case InjectedRecord.past: beginPast(head, of: slot)
    case InjectedRecord.present: endPast(of: track, slot, keyFrameAt: Instant(microseconds: head.arrival), now: now)
    case InjectedRecord.packet:
      guard let base = payload.baseAddress else { return }
      counters.injected &+= 1
      var header = RTPHeader()
      header.sequenceNumber = UInt16(truncatingIfNeeded: head.sequence)
      header.timestamp = head.timestamp
      header.marker = head.format & InjectedRecord.marker != 0
      guard slot.pointee.payloadTypes[0] != TrackSlot.noPayloadType else { return drop(.unknownPayloadType) }
      header.payloadType = slot.pointee.payloadTypes[0]
      header.payloadLength = payload.count
      store(header, payload: base, audioLevel: head.level?.wire, isRepair: false, track: track, slot, now: now)
    case InjectedRecord.report:
      let ntp = NTPTime(rawValue: head.time)
      let timestamp = head.timestamp &+ slot.pointee.timestampOffset
      let arrival = Instant(microseconds: head.arrival)
      slot.pointee.clock.report(ntp: ntp, rtpTimestamp: timestamp, now: arrival)
      writeLinks(of: slot, report: ntp, timestamp: timestamp, arrival: arrival)
      slot.pointee.taps.write(TapRecord.head(ofReport: ntp, timestamp: timestamp, arrival: arrival))
    default: break
    }
  }
}
