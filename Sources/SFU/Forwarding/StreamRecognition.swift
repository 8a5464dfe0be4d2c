import RoomRTP
import RoomWebRTC

// Recognising, starting and restarting published streams.

extension Forwarder {
  /// Finds and records the track of an SSRC that was not signalled: by mid (and rid) or, without them, by its payload type
  /// alone (RFC 8843 §9.2). Returns nil and counts a drop if there is none.
  func learn(
    _ header: RTPHeader, _ values: RTPExtensionValues, packet: UnsafeRawBufferPointer, on index: Int
  ) -> (track: Int, isRepair: Bool)? {
    let transport = transports[index]
    var found: (track: Int, isRepair: Bool)?
    var track = Int(transport.pointee.firstTrack)
    while track >= 0 {
      let slot = tracks[track]
      if let isRepair = slot.pointee.carries(header.payloadType), matches(track, values, packet: packet, isRepair: isRepair) {
        // Without a mid, two tracks with one payload type are indistinguishable.
        if found != nil, values.mid == nil { found = nil; break }
        found = (track, isRepair)
        if values.mid != nil { break }
      }
      track = Int(slot.pointee.nextInTransport)
    }
    guard let found else {
      drop(.unknownSSRC)
      return nil
    }
    guard transport.pointee.learnedSSRCs < limits.learnedSSRCsPerTransport else {
      drop(.ssrcLimit)
      return nil
    }
    transport.pointee.learnedSSRCs += 1
    assign(header.ssrc, to: found.track, isRepair: found.isRepair)
    return found
  }

  private func matches(_ track: Int, _ values: RTPExtensionValues, packet: UnsafeRawBufferPointer, isRepair: Bool) -> Bool {
    guard let parameters = trackBooks[track]?.parameters else { return false }
    if let mid = values.mid { guard packet[mid].elementsEqual(parameters.mid.rawValue.utf8) else { return false } }
    let layer = Int(tracks[track].pointee.layer)
    let wanted = layer < parameters.encodings.count ? parameters.encodings[layer].rid : nil
    if let rid = (isRepair ? values.repairedRid : values.rid) ?? values.rid {
      guard let wanted else { return true }
      return packet[rid].elementsEqual(wanted.rawValue.utf8)
    }
    if values.mid != nil { return wanted == nil }
    let slot = tracks[track]
    return (isRepair ? slot.pointee.rtxSSRC : slot.pointee.ssrc) == 0
  }

  /// Assigns `ssrc` to the track, and removes the track's previous one.
  func assign(_ ssrc: SSRC, to track: Int, isRepair: Bool) {
    let slot = tracks[track]
    let transport = slot.pointee.transport
    if isRepair {
      if slot.pointee.rtxSSRC != 0 { repairStreams.remove(StreamKey(transport: transport, ssrc: slot.pointee.rtxSSRC)) }
      slot.pointee.rtxSSRC = ssrc
      repairStreams.set(StreamKey(transport: transport, ssrc: ssrc), track)
    } else {
      if slot.pointee.ssrc != 0 {
        mediaStreams.remove(StreamKey(transport: transport, ssrc: slot.pointee.ssrc))
      }
      slot.pointee.ssrc = ssrc
      mediaStreams.set(StreamKey(transport: transport, ssrc: ssrc), track)
      trackBooks[track]?.reception.begin(ssrc: ssrc, clockRate: slot.pointee.clockRate, isVideo: slot.pointee.isVideo)
      slot.pointee.isNewSource = slot.pointee.highest != 0
    }
  }

  /// Starts a track at its first packet.
  func begin(_ slot: UnsafeMutablePointer<TrackSlot>, at header: RTPHeader, now: Instant) {
    // One lap above zero, so that packets older than the first still have a positive number.
    slot.pointee.highest = 65_536 + Int64(header.sequenceNumber) - 1
    slot.pointee.restorableFrom = slot.pointee.highest &+ 1
    slot.pointee.lastTimestamp = header.timestamp &- 1
    // One event for all layers.
    var begun = 0
    if slot.pointee.isLayered {
      forEachLayer(of: Int(slot.pointee.firstLayer)) { if tracks[$0].pointee.highest != 0 { begun += 1 } }
    }
    if begun <= 1, slot.pointee.isReported { report(.firstPacket(slot.pointee.id), to: slot.pointee.room) }
  }

  /// Restarts a stream whose publisher restarted: another SSRC, or numbers far from the last. For subscribers the stream
  /// continues: sequence numbers without a gap, timestamps advanced by the time that passed, the next frame number.
  func restart(
    _ slot: UnsafeMutablePointer<TrackSlot>, at header: RTPHeader, descriptor: UnsafeRawBufferPointer?, now: Instant
  ) {
    let highest = slot.pointee.highest
    var subscription = Int(slot.pointee.firstSubscription)
    while subscription >= 0 {
      let next = subscriptions[subscription]
      next.pointee.map.close(before: highest &+ 1, leftOut: next.pointee.leftOut(on: slot.pointee))
      subscription = Int(next.pointee.nextInTrack)
    }
    if slot.pointee.isVideo { slot.pointee.keyFrames.request() }
    slot.pointee.highest = ((highest >> 16) &+ 2) << 16 | Int64(header.sequenceNumber)
    slot.pointee.highest &-= 1
    slot.pointee.restorableFrom = slot.pointee.highest &+ 1
    let elapsed = max(1, now - slot.pointee.lastArrival)
    let ticks = UInt32(truncatingIfNeeded: elapsed &* Int64(slot.pointee.clockRate) / 1_000_000)
    slot.pointee.timestampOffset = slot.pointee.lastTimestamp &+ max(1, ticks) &- header.timestamp
    if let first = descriptor?.baseAddress {
      slot.pointee.frameOffset = slot.pointee.lastPicture &+ 1 &- DependencyDescriptor.frameNumber(first)
    }
    slot.pointee.clock = SenderClock()
    slot.pointee.links.write(TapRing.Head(kind: InjectedRecord.restarted))
    slot.pointee.isNewSource = false
    slot.pointee.switchStart = 0
  }

  /// Stores the dependency descriptor of a packet, unless its track is a simulcast: the frames of layers have numbers of their
  /// own. Part of the packet path: allocates nothing.
  func keep(
    _ descriptor: UnsafeRawBufferPointer, of packet: UnsafeMutablePointer<StoredPacket>,
    _ slot: UnsafeMutablePointer<TrackSlot>, isNewest: Bool
  ) {
    guard slot.pointee.isVideo, !slot.pointee.isLayered, let first = descriptor.baseAddress else { return }
    let frame = DependencyDescriptor.frameNumber(first) &+ slot.pointee.frameOffset
    guard PacketRing.setDescriptor(packet, descriptor, frame: frame) else { return }
    if isNewest { slot.pointee.lastPicture = frame }
  }

  /// Counts frames and key frames. A key frame ends the pending request for one.
  @inline(__always) func noteVideo(
    _ slot: UnsafeMutablePointer<TrackSlot>, isNewest: Bool, isKeyFrame: Bool, timestamp: UInt32
  ) {
    if isNewest, timestamp != slot.pointee.lastTimestamp {
      slot.pointee.frames &+= 1
      slot.pointee.rate.addFrame()
    }
    guard isKeyFrame else { return }
    if slot.pointee.keyFrameCount == 0 || slot.pointee.lastKeyFrame != timestamp {
      slot.pointee.keyFrameCount &+= 1
      slot.pointee.lastKeyFrame = timestamp
    }
    slot.pointee.keyFrames.keyFrameArrived()
  }
}
