import RoomRTP

// The temporal layers of VP8: a subscription may get a lower frame rate, because its path carries no more or because it wants no
// more. What is left out leaves no hole in sequence numbers and picture ids (`TemporalLayers`).

extension Forwarder {
  /// Time for which a rise waits for a frame that allows it before a key frame is requested, in microseconds.
  private static let syncPatience: Int64 = 3_000_000

  // MARK: Packets

  /// Sends a packet under a limit: nothing if the limit leaves it out, or an empty packet if it has a number nevertheless. Part of
  /// the packet path: allocates nothing.
  /// - Parameters:
  ///   - place: The number that the packet would have if the limit had left out nothing since `leftOut`.
  func passLimited(
    _ packet: UnsafeMutablePointer<StoredPacket>, at place: Int64, _ offsets: StreamOffsets, since leftOut: UInt32,
    of track: UnsafeMutablePointer<TrackSlot>, to index: Int, _ subscription: UnsafeMutablePointer<SubscriptionSlot>,
    on transport: UnsafeMutablePointer<TransportSlot>, padding: Int, joins: Bool
  ) {
    guard packet.pointee.temporal.hasNumber(offsets.limit) else {
      counters.temporalLeftOut &+= 1
      return
    }
    let number = place &- Int64(track.pointee.leftOut(before: packet.pointee, offsets.limit) &- leftOut)
    let isSent = packet.pointee.temporal.isSent(offsets.limit)
    send(
      isSent ? packet : filler(for: packet), as: number, offsets, of: track, to: index, subscription, on: transport,
      padding: isSent ? padding : 0, joins: joins)
  }

  /// Returns an empty packet in place of one that has a number and should be left out. Valid until the next call or probe.
  private func filler(for packet: UnsafeMutablePointer<StoredPacket>) -> UnsafeMutablePointer<StoredPacket> {
    paddingPacket.head.pointee.timestamp = packet.pointee.timestamp
    paddingPacket.head.pointee.codec = packet.pointee.codec
    return paddingPacket.head
  }

  /// Changes the limit of what is sent, if a frame begins with this packet that allows it. Part of the packet path: allocates
  /// nothing.
  func changeLimit(
    at packet: UnsafeMutablePointer<StoredPacket>, of track: UnsafeMutablePointer<TrackSlot>,
    _ subscription: UnsafeMutablePointer<SubscriptionSlot>, isAscending: Bool
  ) {
    let place = packet.pointee.temporal
    let sequence = packet.pointee.sequence
    guard place.flags.contains([.isCounted, .startsFrame]), subscription.pointee.map.isOpen,
      sequence >= subscription.pointee.map.first,
      isAscending || subscription.pointee.cursor == .max && place.flags.contains(.isInOrder)
    else { return }
    var offsets = subscription.pointee.map.offsets
    let before = offsets.limit
    let limit = before.next(
      to: subscription.pointee.limit, at: place, isKeyFrame: packet.pointee.flags.contains(.keyFrame),
      top: track.pointee.temporal.top)
    guard limit != before else { return }
    offsets.limit = limit
    offsets.picture = offsets.picture &+ packet.pointee.picture(before) &- packet.pointee.picture(limit)
    subscription.pointee.map.close(before: sequence, leftOut: track.pointee.leftOut(before: packet.pointee, before))
    subscription.pointee.map.open(
      at: sequence, with: offsets, leftOut: track.pointee.leftOut(before: packet.pointee, limit))
  }

  /// Returns the packet that was sent under this number, and how; nil if it was not sent yet, or the ring no longer has it. Valid
  /// until the next call or probe.
  func sentPacket(
    _ number: Int64, of subscription: UnsafeMutablePointer<SubscriptionSlot>, on track: UnsafeMutablePointer<TrackSlot>
  ) -> (packet: UnsafeMutablePointer<StoredPacket>, offsets: StreamOffsets)? {
    guard let (place, offsets, leftOut) = subscription.pointee.map.incoming(number) else { return nil }
    let source = layer(offsets.layer, of: track)
    // The cursor is a number of the newest layer; all numbers of earlier ones were sent.
    guard let sequence = source.pointee.number(at: place, since: leftOut, offsets.limit),
      sequence < subscription.pointee.cursor || offsets.layer != subscription.pointee.map.offsets.layer,
      let packet = source.pointee.ring[sequence]
    else { return nil }
    guard offsets.limit != .all else { return (packet, offsets) }
    guard packet.pointee.temporal.hasNumber(offsets.limit) else { return nil }
    return (packet.pointee.temporal.isSent(offsets.limit) ? packet : filler(for: packet), offsets)
  }

  // MARK: Limits

  /// Updates the limits of all subscriptions, since frame rates change. Called once in `layerInterval`.
  func updateLimits(_ now: Instant) {
    for index in 0..<tracks.end where tracks.isLive(index) && tracks[index].pointee.temporal.isActive {
      let track = tracks[index]
      var subscription = Int(track.pointee.firstSubscription)
      while subscription >= 0 {
        setLimit(subscription)
        let slot = subscriptions[subscription]
        awaitSync(of: slot, on: track, now: now)
        subscription = Int(slot.pointee.nextInTrack)
      }
    }
  }

  /// Sets the limit of one subscription by its path and what it wants.
  func setLimit(_ index: Int) {
    let subscription = subscriptions[index]
    let track = tracks[subscription.pointee.track]
    subscription.pointee.limit =
      track.pointee.temporal.isActive
      ? min(
        subscription.pointee.pathLimit,
        track.pointee.limit(framesPerSecond: subscription.pointee.limits.framesPerSecond)) : .all
  }

  /// Requests a key frame if an encoder sends no frame that allows a rise.
  private func awaitSync(
    of subscription: UnsafeMutablePointer<SubscriptionSlot>, on track: UnsafeMutablePointer<TrackSlot>, now: Instant
  ) {
    let current = subscription.pointee.map.offsets.limit
    guard subscription.pointee.map.isOpen, subscription.pointee.limit > current, current.rawValue < track.pointee.temporal.top
    else {
      subscription.pointee.risesSince = nil
      return
    }
    let since = subscription.pointee.risesSince ?? now
    subscription.pointee.risesSince = since
    guard now - since >= Self.syncPatience else { return }
    subscription.pointee.risesSince = now
    track.pointee.keyFrames.request()
  }
}

extension TemporalLimit {
  /// Returns the limit from this frame on, whose place is that of its first packet. A fall needs nothing. A rise needs a frame of
  /// the next layer that refers only to layer 0: what the others refer to was not sent.
  /// - Parameter top: The highest layer of the stream.
  func next(to wanted: Self, at frame: TemporalPlace, isKeyFrame: Bool, top: UInt8) -> Self {
    if wanted < self || isKeyFrame { return wanted }
    guard frame.flags.contains(.isSync), frame.layer == rawValue &+ 1, let next = Self(rawValue: frame.layer) else {
      return self
    }
    return frame.layer >= top ? wanted : min(next, wanted)
  }
}
