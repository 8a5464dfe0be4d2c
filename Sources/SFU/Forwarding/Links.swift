import RoomRTP

// Links: a track that has subscribers at another worker, in another room or at another node is copied there once, packet by packet, into
// the ring of an injection. Key frame requests and the layers that are wanted there come back through the injection's atomic variables.

extension Forwarder {
  /// The maximum number of workers of a plane: the bits of `wokenWorkers`.
  static let maximumWorkers = 64
  /// The number of the thread that sends records to other servers, among those that links wake.
  static let networkWorker = maximumWorkers - 1

  // MARK: The sending end

  /// Begins to copy a track's packets, from the newest key frame if it is recent, so that subscribers there start as fast as here.
  func link(_ first: Int, to injection: TrackInjection, now: Instant) {
    let worker = injection.reader
    guard (0..<Self.maximumWorkers).contains(worker) else { return }
    linkDescriptors[worker] = injection.wakeDescriptor
    var next: TrackInjection? = injection
    forEachLayer(of: first) { index in
      guard let injection = next, let book = trackBooks[index], book.links.count < TapList.capacity else { return }
      next = injection.nextLayer
      book.links.append(WorkerLink(injection: injection))
      updateLinks(of: index)
      copyRecent(of: tracks[index], to: injection, now: now)
    }
    linked.append(first)
    wokenWorkers |= 1 << UInt64(worker)
    if tracks[first].pointee.isLayered { chooseLayers(of: first, now: now) }
  }

  func unlink(_ first: Int, from injection: TrackInjection) {
    let ends = Array(sequence(first: injection, next: \.nextLayer))
    forEachLayer(of: first) { index in
      trackBooks[index]?.links.removeAll { link in ends.contains { $0 === link.injection } }
      updateLinks(of: index)
    }
    if let index = linked.firstIndex(of: first) { linked.remove(at: index) }
  }

  /// Ends all links of a track, which ends itself.
  func endLinks(of first: Int) {
    forEachLayer(of: first) { index in
      trackBooks[index]?.links = []
      updateLinks(of: index)
    }
    linked.removeAll { $0 == first }
  }

  private func updateLinks(of index: Int) {
    let track = tracks[index]
    track.pointee.links.removeAll()
    track.pointee.linkedWorkers = 0
    for link in trackBooks[index]?.links ?? [] {
      track.pointee.links.append(link.injection.ring)
      track.pointee.linkedWorkers |= 1 << UInt64(link.injection.reader)
    }
  }

  /// The most packets that an end gets which has received the track from elsewhere so far: less than what the ring of a link has room
  /// for, and than what a receiver takes for a restart of the stream.
  private static let missed: (video: Int64, audio: Int64) = (256, 64)

  /// Writes what is known of the track, and all packets since the newest key frame if it is recent and complete, or else the last one.
  /// An end that continues gets the last packets in any case.
  private func copyRecent(of track: UnsafeMutablePointer<TrackSlot>, to injection: TrackInjection, now: Instant) {
    let ring = injection.ring
    if let report = track.pointee.clock.lastReport {
      ring.write(InjectedRecord.head(ofReport: report.ntp, timestamp: report.rtp, arrival: report.at), nil)
    }
    let rate = track.pointee.rate
    ring.write(
      TapRing.Head(
        sequence: Int64(rate.kbps) << 32 | Int64(rate.framesPerSecond), time: UInt64(max(0, rate.wireRate)),
        timestamp: UInt32(track.pointee.width) << 16 | UInt32(track.pointee.height), kind: InjectedRecord.past), nil)
    defer { ring.write(TapRing.Head(arrival: track.pointee.keyFrameAt.microseconds, kind: InjectedRecord.present), nil) }
    let highest = track.pointee.highest
    guard highest > 0, !track.pointee.isMuted else { return }
    var start = track.pointee.recentStart(now: now).map(track.pointee.frameStart(of:)) ?? highest
    if injection.isContinued {
      start = min(start, max(1, highest - (track.pointee.isVideo ? Self.missed.video : Self.missed.audio)))
    }
    for number in min(start, highest)...highest {
      guard let packet = track.pointee.ring[number] else { continue }
      let (head, descriptor, payload) = record(of: packet)
      ring.write(head, prefix: descriptor, payload)
    }
  }

  /// Returns a packet as the record of a link, as the publisher sent it.
  @inline(__always) private func record(
    of packet: UnsafeMutablePointer<StoredPacket>
  ) -> (TapRing.Head, UnsafeRawBufferPointer?, UnsafeRawPointer) {
    if packet.pointee.flags.contains(.hasPicture) { PacketRing.setPicture(packet, StreamOffsets()) }
    let descriptor = packet.pointee.flags.contains(.hasDescriptor) ? PacketRing.descriptor(packet) : nil
    let level = packet.pointee.flags.contains(.hasAudioLevel) ? AudioLevel(wire: packet.pointee.audioLevel) : nil
    var head = TapRing.Head(
      sequence: packet.pointee.sequence, time: TapRing.Head.time(of: level), timestamp: packet.pointee.timestamp,
      length: packet.pointee.length &+ UInt16(truncatingIfNeeded: descriptor?.count ?? 0), kind: InjectedRecord.linkedPacket,
      format: packet.pointee.codec | (packet.pointee.flags.contains(.marker) ? InjectedRecord.marker : 0))
    head.descriptorLength = descriptor?.count ?? 0
    return (head, descriptor, UnsafeRawPointer(PacketRing.payload(packet)))
  }

  /// Copies a packet that was just stored. Part of the packet path: allocates nothing.
  func writeLinks(of track: UnsafeMutablePointer<TrackSlot>, _ packet: UnsafeMutablePointer<StoredPacket>) {
    let (head, descriptor, payload) = record(of: packet)
    track.pointee.links.write(head, prefix: descriptor, payload)
    wokenWorkers |= track.pointee.linkedWorkers
  }

  /// Copies a sender report; its timestamp is that of the stored packets.
  func writeLinks(of track: UnsafeMutablePointer<TrackSlot>, report ntp: NTPTime, timestamp: UInt32, arrival: Instant) {
    guard track.pointee.links.count > 0 else { return }
    track.pointee.links.write(InjectedRecord.head(ofReport: ntp, timestamp: timestamp, arrival: arrival))
    wokenWorkers |= track.pointee.linkedWorkers
  }

  /// Wakes the workers whose links have new records.
  @inline(__always) func wakeWorkers() {
    guard wokenWorkers != 0 else { return }
    while wokenWorkers != 0 {
      let worker = wokenWorkers.trailingZeroBitCount
      wokenWorkers &= wokenWorkers &- 1
      calls.wake(calls.context, linkDescriptors[worker])
    }
  }

  /// Takes the key frame requests of other workers.
  func takeLinkedRequests() {
    for first in linked {
      forEachLayer(of: first) { index in
        guard let book = trackBooks[index] else { return }
        for link in book.links.indices where book.links[link].requests != book.links[link].injection.keyFrameRequests {
          book.links[link].requests = book.links[link].injection.keyFrameRequests
          tracks[index].pointee.keyFrames.request()
        }
      }
    }
  }

  // MARK: The receiving end

  /// Stores a packet of a link.
  func takeLinked(
    _ head: TapRing.Head, _ bytes: UnsafeRawBufferPointer, track: Int, _ slot: UnsafeMutablePointer<TrackSlot>, now: Instant
  ) {
    let codec = Int(head.format & ~InjectedRecord.marker)
    let length = head.descriptorLength
    guard let base = bytes.baseAddress, length <= bytes.count, codec < TrackSlot.maximumCodecs,
      slot.pointee.payloadTypes[codec] != TrackSlot.noPayloadType
    else { return drop(.unknownPayloadType) }
    counters.linked &+= 1
    var header = RTPHeader()
    header.sequenceNumber = UInt16(truncatingIfNeeded: head.sequence)
    header.timestamp = head.timestamp
    header.marker = head.format & InjectedRecord.marker != 0
    header.payloadType = slot.pointee.payloadTypes[codec]
    header.payloadLength = bytes.count - length
    store(
      header, payload: base + length, audioLevel: head.level?.wire,
      descriptor: length > 0 ? UnsafeRawBufferPointer(start: base, count: length) : nil, isRepair: false, track: track, slot,
      now: now)
  }

  /// Sets what the other worker knows of the track.
  func beginPast(_ head: TapRing.Head, of slot: UnsafeMutablePointer<TrackSlot>) {
    slot.pointee.width = UInt16(truncatingIfNeeded: head.timestamp >> 16)
    slot.pointee.height = UInt16(truncatingIfNeeded: head.timestamp)
    slot.pointee.rate = RateMeter(
      kbps: Int(head.sequence >> 32), framesPerSecond: Int(head.sequence & 0xFFFF_FFFF), wireRate: Int(clamping: head.time))
  }

  /// Ends the packets from before the link began. With those of all layers, subscriptions begin as on a track that arrives here.
  func endPast(of track: Int, _ slot: UnsafeMutablePointer<TrackSlot>, keyFrameAt: Instant, now: Instant) {
    slot.pointee.takesPast = false
    slot.pointee.keyFrameAt = keyFrameAt
    slot.pointee.rate.begin(at: now)
    // They have arrived for long enough.
    slot.pointee.liveSince = Instant(microseconds: 0)
    let first = firstLayer(of: track)
    var isComplete = true
    var subscribers: [Int] = []
    forEachLayer(of: first) { layer in
      if tracks[layer].pointee.takesPast { isComplete = false }
      subscribers += subscriptions(to: layer)
    }
    guard isComplete else { return }
    if slot.pointee.isLayered {
      // What the paths choose among.
      chooseLayers(of: first, now: now)
      for subscription in subscribers { startLow(subscriptions[subscription].pointee.transport, now: now) }
      chooseLayers(of: first, now: now)
    }
    for subscription in subscribers {
      let transport = subscriptions[subscription].pointee.transport
      allocateSoon(transport)
      if transports[transport].pointee.isConnected { start(subscription, now: now) } else { prepare(subscription, now: now) }
    }
  }

  /// Returns the subscriptions to a track or a layer.
  private func subscriptions(to index: Int) -> [Int] {
    var all: [Int] = []
    var subscription = Int(tracks[index].pointee.firstSubscription)
    while subscription >= 0 {
      all.append(subscription)
      subscription = Int(subscriptions[subscription].pointee.nextInTrack)
    }
    return all
  }

  /// Lets the next packet restart the stream.
  func restartLinked(_ track: Int, _ slot: UnsafeMutablePointer<TrackSlot>) {
    trackBooks[track]?.reception.stream = ReceiveStream(
      ssrc: 0, clockRate: slot.pointee.clockRate, policy: slot.pointee.isVideo ? .video : .audio)
    slot.pointee.isNewSource = slot.pointee.highest != 0
  }
}

extension InjectedRecord {
  static func head(ofReport ntp: NTPTime, timestamp: UInt32, arrival: Instant) -> TapRing.Head {
    TapRing.Head(arrival: arrival.microseconds, time: ntp.rawValue, timestamp: timestamp, kind: report)
  }
}
