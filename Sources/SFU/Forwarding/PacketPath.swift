import RoomRTP
import RoomWebRTC

// A packet's path through the forwarder, top to bottom. Nothing in this file allocates, locks or counts references.

extension Forwarder {
  /// Longer than any datagram in Ethernet's 1500 bytes. Anything longer is not media.
  private static let longestDatagram = 1600

  /// 1. Receives a batch: first stores each datagram's packet in the publisher's ring, then sends all new packets, subscriber
  ///    by subscriber. Decrypts the datagrams in place. `socket` is the socket's index in `Setup.sockets`.
  func receive(_ batch: borrowing ReceiveBatch, count: Int, at socket: UInt8, now: Instant) {
    for index in 0..<count {
      let datagram = batch[index]
      guard var address = withUnsafePointer(to: &datagram.pointee.address, { TransportAddress($0) }) else {
        drop(.unknownKind)
        continue
      }
      address.socket = socket
      receive(
        UnsafeMutableRawBufferPointer(start: datagram.pointee.data, count: Int(datagram.pointee.length)), from: address,
        now: now)
    }
    finishReceiving(now)
  }

  func finishReceiving(_ now: Instant) {
    // First, so that the other workers send at the same time.
    wakeWorkers()
    forwardPending(now, all: false)
    flush()
  }

  /// 2. Finds the transport by the first byte and the address (RFC 7983).
  func receive(_ bytes: UnsafeMutableRawBufferPointer, from address: TransportAddress, now: Instant) {
    counters.packetsReceived &+= 1
    counters.bytesReceived &+= UInt64(bytes.count)
    guard bytes.count <= Self.longestDatagram else { return drop(.oversized) }
    guard let first = bytes.first else { return drop(.unknownKind) }
    switch DatagramKind.classify(firstByte: first) {
    case .stun: receiveSTUN(bytes, from: address, now: now)
    case .dtls: receiveDTLS(bytes, from: address, now: now)
    case .rtp, .rtcp: receiveMedia(bytes, from: address, now: now)
    case .unknown: drop(.unknownKind)
    }
  }

  /// 3. Decrypts the packet in place.
  private func receiveMedia(_ bytes: UnsafeMutableRawBufferPointer, from address: TransportAddress, now: Instant) {
    let index = addresses[AddressKey(address)]
    guard index >= 0 else { return drop(.unknownAddress) }
    let transport = transports[index]
    let received = transport.pointee.peer._withUnsafeGuaranteedRef { $0.receive(bytes, from: address, now: now) }
    switch received {
    case .rtp(let length):
      transport.pointee.received(bytes.count)
      counters.rtpReceived &+= 1
      receiveRTP(UnsafeRawBufferPointer(start: bytes.baseAddress, count: length), on: index, transport, now: now)
    case .rtcp(let length):
      transport.pointee.received(bytes.count)
      counters.rtcpReceived &+= 1
      receiveRTCP(UnsafeRawBufferPointer(start: bytes.baseAddress, count: length), on: index, now: now)
    case .dropped(let reason): drop(MediaDrop(reason))
    case .consumed: break
    }
    if transport.pointee.phase == .silent { drain(index, now: now) }
  }

  /// 4. Parses the header once. Its SSRC or its mid identifies the track. A repair stream's packet is converted to the
  ///    original.
  private func receiveRTP(
    _ packet: UnsafeRawBufferPointer, on index: Int, _ transport: UnsafeMutablePointer<TransportSlot>, now: Instant
  ) {
    guard var header = RTPHeader(parsing: packet), let base = packet.baseAddress else { return drop(.malformedRTP) }
    let values = RTPExtensionValues(packet: packet, header: header, ids: transport.pointee.extensions)
    if let sequence = values.transportSequence, let feedback = transport.pointee.feedback {
      feedback._withUnsafeGuaranteedRef { $0.recorder.record(sequence, arrival: now) }
    }
    let key = StreamKey(transport: index, ssrc: header.ssrc)
    var isRepair = false
    var track = mediaStreams[key]
    if track < 0 {
      track = repairStreams[key]
      isRepair = track >= 0
    }
    if track < 0 {
      guard let learned = learn(header, values, packet: packet, on: index) else { return }
      (track, isRepair) = learned
    }
    let slot = tracks[track]
    var payload = base + header.headerLength
    if isRepair {
      // RFC 4588 §4: the original sequence number, then the original payload. Without a number, it is padding that probes
      // bandwidth.
      let codec = TrackSlot.index(of: header.payloadType, in: slot.pointee.rtxPayloadTypes)
      guard codec >= 0, header.payloadLength > 2 else { return drop(.uselessRetransmission) }
      header.sequenceNumber = payload.load16(0)
      header.payloadType = slot.pointee.payloadTypes[codec]
      header.payloadLength -= 2
      payload += 2
    }
    let level = values.audioLevel
    if header.payloadType == slot.pointee.redPayloadType {
      return storeRedundant(header, payload: payload, audioLevel: level?.wire, track: track, slot, now: now)
    }
    let descriptor = values.dependencyDescriptor.map { UnsafeRawBufferPointer(rebasing: packet[$0]) }
    store(
      header, payload: payload, audioLevel: level?.wire, descriptor: descriptor, isRepair: isRepair, track: track, slot,
      now: now)
  }

  /// 5. Records loss, jitter and level, and stores the plain payload once, in the track's ring.
  func store(
    _ header: RTPHeader, payload: UnsafeRawPointer, audioLevel: UInt8?, descriptor: UnsafeRawBufferPointer? = nil,
    isRepair: Bool, track: Int, _ slot: UnsafeMutablePointer<TrackSlot>, now: Instant
  ) {
    var codec = Int(slot.pointee.codec)
    if slot.pointee.payloadTypes[codec] != header.payloadType {
      codec = TrackSlot.index(of: header.payloadType, in: slot.pointee.payloadTypes)
      guard codec >= 0 else { return drop(.unknownPayloadType) }
    }
    guard header.payloadLength <= PacketRing.payloadLimit else { return drop(.oversized) }
    let arrival = slot.pointee.reception._withUnsafeGuaranteedRef { reception in
      isRepair
        ? reception.stream.receiveRepaired(header.sequenceNumber, now: now) : reception.stream.receive(header, now: now)
    }
    if slot.pointee.highest == 0 {
      guard !isRepair else { return drop(.uselessRetransmission) }
      begin(slot, at: header, now: now)
    } else if arrival == .restarted || (slot.pointee.isNewSource && !isRepair) {
      forwardPending(now, all: true)
      restart(slot, at: header, descriptor: descriptor, now: now)
    }
    let highest = slot.pointee.highest
    let sequence = highest &+ Int64(Int16(bitPattern: header.sequenceNumber &- UInt16(truncatingIfNeeded: highest)))
    switch arrival {
    case .duplicate: return drop(.duplicate)
    case .late:
      // Given up as lost, but still useful. A number far ahead is a stray packet.
      guard sequence <= highest else { return drop(.duplicate) }
    case .inOrder, .afterGap, .filledGap, .restarted: break
    }
    let ring = slot.pointee.ring
    // Each number is stored once, and so sealed once per subscriber.
    guard sequence > highest &- Int64(ring.capacity), sequence > 0, ring[sequence] == nil else { return drop(.duplicate) }

    let bytes = UnsafeRawBufferPointer(start: payload, count: header.payloadLength)
    var flags = StoredPacket.Flags()
    if header.marker { flags.insert(.marker) }
    if audioLevel != nil { flags.insert(.hasAudioLevel) }
    let timestamp = header.timestamp &+ slot.pointee.timestampOffset
    var vp8: VP8Descriptor?
    if slot.pointee.isVideo {
      let format = slot.pointee.formats[codec]
      if format == VideoFormat.vp8 { vp8 = VP8Descriptor(parsing: bytes) }
      if vp8?.startsKeyFrame(bytes) ?? VideoFormat.isKeyFrame(format, payload: bytes) { flags.insert(.keyFrame) }
      if flags.contains(.keyFrame), let size = VideoFormat.pictureSize(format, payload: bytes) { noteSize(size, of: slot) }
      noteVideo(slot, isNewest: sequence > highest, isKeyFrame: flags.contains(.keyFrame), timestamp: timestamp)
    } else if let audioLevel {
      slot.pointee.loudest = min(slot.pointee.loudest, audioLevel & 0x7F)
    }
    slot.pointee.codec = UInt8(truncatingIfNeeded: codec)
    slot.pointee.packets &+= 1
    slot.pointee.bytes &+= UInt64(header.payloadLength)
    slot.pointee.rate.add(bytes: header.payloadLength)
    if sequence > highest {
      slot.pointee.highest = sequence
      slot.pointee.lastTimestamp = timestamp
      if flags.contains(.keyFrame) {
        slot.pointee.keyFrameSequence = sequence
        slot.pointee.keyFrameAt = now
      }
      slot.pointee.lastArrival = now
      slot.pointee.clock.packetArrived(rtpTimestamp: timestamp, now: now, wallOffset: wallOffset)
    }
    let place = ring.place(sequence)
    let hole = TemporalLayers.hole(of: sequence, in: place)
    place.pointee = StoredPacket(
      sequence: sequence, timestamp: timestamp, length: UInt16(truncatingIfNeeded: header.payloadLength),
      codec: UInt8(truncatingIfNeeded: codec), flags: flags, audioLevel: audioLevel ?? 0)
    if slot.pointee.redundantSubscriptions > 0 { ring.copyEarlier(into: place) }
    if let descriptor { keep(descriptor, of: place, slot, isNewest: sequence > highest) }
    PacketRing.payload(place).copyMemory(from: payload, byteCount: header.payloadLength)
    if slot.pointee.isLayered || slot.pointee.temporal.isActive || TemporalLayers.begins(with: vp8) {
      notePicture(slot, place, vp8, hole: hole, after: highest)
    }
    if slot.pointee.isLayered { noteLayer(track, slot, place, now: now) }
    guard !slot.pointee.isMuted else { return drop(.muted) }
    if slot.pointee.taps.count > 0 { writeTaps(of: slot, place, payload, now: now) }
    if slot.pointee.links.count > 0 { writeLinks(of: slot, place) }
    guard slot.pointee.firstSubscription >= 0 || slot.pointee.firstSwitching >= 0, !slot.pointee.takesPast else { return }
    if pending.isFull { forwardPending(now, all: true) }
    pending.append(sequence, track: track, slot, endsFrame: !slot.pointee.isVideo || header.marker, now: now)
  }

  /// 6. Forwards by subscriber: all new packets of a track to one subscriber, then to the next. Packets of an incomplete frame
  ///    wait briefly for the rest of it, unless `all` is set.
  func forwardPending(_ now: Instant, all: Bool) {
    guard pending.trackCount > 0 else { return }
    setSendTime(now)
    pending.takeReady(now, all: all, of: tracks)
    for index in 0..<pending.readyCount {
      let track = tracks[Int(pending.ready[index])]
      let first = track.pointee.firstPending
      track.pointee.firstPending = -1
      if track.pointee.isVideo { pending.equalise(first, in: track.pointee.ring) }
      if track.pointee.firstSwitching >= 0 { noteSwitchStart(of: Int(pending.ready[index]), at: first, now: now) }
      var subscription = Int(track.pointee.firstSubscription)
      while subscription >= 0 {
        forward(first, of: track, to: subscription, now: now)
        subscription = Int(subscriptions[subscription].pointee.nextInTrack)
      }
    }
    pending.removeReady()
    takeSwitching(now)
  }

  /// 7. Passes packets through the subscription's gate.
  func forward(_ first: Int32, of track: UnsafeMutablePointer<TrackSlot>, to index: Int, now: Instant) {
    let subscription = subscriptions[index]
    let transport = transports[subscription.pointee.transport]
    guard transport.pointee.isConnected else { return drop(.notConnected) }
    outgoing.endMessage()
    let joins = track.pointee.isVideo && outgoing.segments(to: transport.pointee.destination)
    // Without RTX a lost packet is retransmitted under the same cipher index, so it must not differ by a byte.
    let pads = joins && subscription.pointee.rtxSSRC != 0
    var entry = first
    while entry >= 0 {
      let sequence = pending.sequence(entry)
      let padding = pads ? pending.padding(entry) : 0
      entry = pending.next(entry)
      guard let packet = track.pointee.ring[sequence] else {
        // A packet one whole lap ahead has overwritten it.
        drop(.historyMiss)
        continue
      }
      // On a paced path, new packets wait for their turn in the ring.
      guard sequence < subscription.pointee.cursor else { continue }
      guard subscription.pointee.map.isOpen else {
        guard !subscription.pointee.isStopped else { return }
        let isStart = !track.pointee.isVideo || packet.pointee.flags.contains(.keyFrame)
        guard isStart, subscription.pointee.canSend(packet.pointee.codec) else {
          drop(subscription.pointee.isLagging ? .lagging : .awaitingKeyFrame)
          continue
        }
        // The other pending packets are in the ring too, so `open` sends them as well.
        return open(at: sequence, of: track, to: index, joins: joins, now: now)
      }
      guard pass(packet, of: track, to: index, subscription, on: transport, padding: padding, joins: joins) else {
        drop(.awaitingKeyFrame)
        continue
      }
    }
  }

  /// Starts a subscription at the first packet of the frame that contains `sequence`, with all packets since. On a paced path
  /// they wait for their turn.
  func open(
    at sequence: Int64, of track: UnsafeMutablePointer<TrackSlot>, to index: Int, joins: Bool, now: Instant
  ) {
    let subscription = subscriptions[index]
    let transport = transports[subscription.pointee.transport]
    let start = track.pointee.isVideo ? track.pointee.frameStart(of: sequence) : sequence
    // Never a packet that was sent before: its index would seal another time of sending.
    let first = subscription.pointee.map.start(at: start, layer: track.pointee.layer)
    let offsets = subscription.pointee.offsets(
      on: track.pointee, at: sequence, from: first, after: tracks[subscription.pointee.source].pointee)
    subscription.pointee.map.open(
      at: first, with: offsets, leftOut: track.pointee.leftOut(before: first, offsets.limit) ?? 0)
    subscription.pointee.source = subscription.pointee.track
    subscription.pointee.isLagging = false
    subscription.pointee.openedAt = now
    if track.pointee.isVideo, let path = transport.pointee.path, path.pointee.isPaced {
      subscription.pointee.cursor = first
      return
    }
    var current = first
    let highest = track.pointee.highest
    while current <= highest {
      defer { current += 1 }
      guard let packet = track.pointee.ring[current] else { continue }
      _ = pass(packet, of: track, to: index, subscription, on: transport, joins: joins, isAscending: true)
    }
  }

  /// 8. Sends a packet under the number that the subscription has for it, unless its temporal layer is left out. Returns false if
  ///    it has none. `isAscending` states that no packet with a higher number was sent before.
  @inline(__always) func pass(
    _ packet: UnsafeMutablePointer<StoredPacket>, of track: UnsafeMutablePointer<TrackSlot>, to index: Int,
    _ subscription: UnsafeMutablePointer<SubscriptionSlot>, on transport: UnsafeMutablePointer<TransportSlot>,
    padding: Int = 0, joins: Bool, isAscending: Bool = false
  ) -> Bool {
    if subscription.pointee.limit != subscription.pointee.map.offsets.limit {
      changeLimit(at: packet, of: track, subscription, isAscending: isAscending)
    }
    guard let (number, offsets, leftOut) = subscription.pointee.map.outgoing(packet.pointee.sequence) else { return false }
    if offsets.limit == .all {
      send(packet, as: number, offsets, of: track, to: index, subscription, on: transport, padding: padding, joins: joins)
    } else {
      passLimited(
        packet, at: number, offsets, since: leftOut, of: track, to: index, subscription, on: transport, padding: padding,
        joins: joins)
    }
    return true
  }

  /// 9. Writes the rewritten header into the outgoing slab, and seals the payload to its position behind it.
  @inline(__always) func send(
    _ packet: UnsafeMutablePointer<StoredPacket>, as number: Int64, _ offsets: StreamOffsets,
    of track: UnsafeMutablePointer<TrackSlot>, to index: Int, _ subscription: UnsafeMutablePointer<SubscriptionSlot>,
    on transport: UnsafeMutablePointer<TransportSlot>, padding: Int,
    joins: Bool
  ) {
    let payloadType = subscription.pointee.payloadTypes[Int(packet.pointee.codec)]
    guard payloadType != TrackSlot.noPayloadType else { return drop(.unknownPayloadType) }
    guard makeRoom() else {
      if track.pointee.isVideo { markLagging(index) }
      return drop(.sendBufferFull)
    }
    if packet.pointee.flags.contains(.hasPicture) { PacketRing.setPicture(packet, offsets) }
    let form = subscription.pointee.form(of: packet, as: number, payloadType: payloadType)
    let length = seal(
      packet, timestampOffset: offsets.timestamp, payload: form.start, length: form.length, padding: padding,
      payloadType: form.payloadType, ssrc: subscription.pointee.ssrc, index: number, subscription, on: transport)
    form.restore()
    guard length > 0 else { return drop(.sendFailed) }
    commit(
      length, to: transport.pointee.destination, subscription: track.pointee.isVideo ? Int32(truncatingIfNeeded: index) : -1,
      joins: joins)
    if packet.pointee.flags.contains(.marker) { outgoing.endMessage() }
    counters.rtpForwarded &+= 1
    transport.pointee.sent(length)
    if form.payloadType != payloadType { counters.audioRedundant &+= 1 }
    subscription.pointee.sent(form.length)
  }

  /// Writes header and ciphertext of one packet at the batch's `next`. Returns the length, or 0 on failure. `padding` bytes of
  /// RTP padding follow the payload. Only this function writes the time and the order of sending.
  @inline(__always) func seal(
    _ packet: UnsafeMutablePointer<StoredPacket>, timestampOffset: UInt32, payload: UnsafeRawPointer, length: Int,
    padding: Int = 0, payloadType: UInt8, ssrc: SSRC, index: Int64, _ subscription: UnsafeMutablePointer<SubscriptionSlot>,
    on transport: UnsafeMutablePointer<TransportSlot>
  ) -> Int {
    guard let sealer = transport.pointee.sealer else { return 0 }
    let flags = packet.pointee.flags
    if subscription.pointee.header.transportSequenceOffset > 0 { transport.pointee.transportSequence &+= 1 }
    let place = outgoing.next
    var headerLength = subscription.pointee.header.write(
      to: place, payloadType: payloadType, marker: flags.contains(.marker), sequence: UInt16(truncatingIfNeeded: index),
      timestamp: packet.pointee.timestamp &+ timestampOffset, ssrc: ssrc, absSendTime: sendTime,
      transportSequence: transport.pointee.transportSequence,
      audioLevel: flags.contains(.hasAudioLevel) ? packet.pointee.audioLevel : nil, padded: padding > 0)
    if flags.contains(.hasDescriptor) {
      headerLength = subscription.pointee.header.append(PacketRing.descriptor(packet), to: place, length: headerLength)
    }
    let sealed = sealer._withUnsafeGuaranteedRef {
      $0.seal(
        header: UnsafeRawPointer(place), headerLength: headerLength, payload: payload, payloadLength: length &+ padding,
        index: UInt64(bitPattern: index), ssrc: ssrc, into: place)
    }
    if let path = transport.pointee.path, subscription.pointee.header.transportSequenceOffset > 0 {
      path.pointee.record(transport.pointee.transportSequence, size: sealed, at: sentAt)
    }
    return sealed
  }

  /// Stops this subscription's video up to the next key frame, because the socket accepts no more of it.
  func markLagging(_ index: Int, asksForKeyFrame: Bool = true) {
    guard subscriptions.isLive(index) else { return }
    let subscription = subscriptions[index]
    guard subscription.pointee.map.isOpen else { return }
    let track = tracks[subscription.pointee.track]
    subscription.pointee.closeMap(on: track.pointee)
    subscription.pointee.isLagging = true
    if asksForKeyFrame { track.pointee.keyFrames.request() }
  }
}
