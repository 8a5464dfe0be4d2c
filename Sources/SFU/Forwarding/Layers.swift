import RoomRTP

// The layers of simulcasts: which one each subscription and the taps get, and the switch at a key frame.
//
// Each layer is a slot with its own ring, loss tracker, clock and list of subscriptions, so the packet path forwards it like any
// other track. A subscription that changes layers is also in the new layer's list `firstSwitching`, until a key frame arrives
// there.

extension Forwarder {
  static let layerInterval: Int64 = 100_000
  /// Time without packets after which a layer is not live, in microseconds.
  private static let livePatience: Int64 = 500_000
  /// Time for which a layer must be live before subscriptions leave another live layer for it, in microseconds.
  private static let steadyTime: Int64 = 500_000

  // MARK: Access

  /// Calls `body` with the index of each layer of the track whose first slot this is, in the order of the offer.
  func forEachLayer(of first: Int, _ body: (Int) -> Void) {
    var index = first
    while index >= 0 {
      let next = Int(tracks[index].pointee.nextLayer)
      body(index)
      index = next
    }
  }

  /// Returns the index of the slot that represents the track.
  func firstLayer(of index: Int) -> Int { tracks[index].pointee.isLayered ? Int(tracks[index].pointee.firstLayer) : index }

  /// Returns the layer of this position in the same track.
  @inline(__always) func layer(_ layer: UInt8, of track: UnsafeMutablePointer<TrackSlot>) -> UnsafeMutablePointer<TrackSlot> {
    if track.pointee.layer == layer { return track }
    var index = Int(track.pointee.firstLayer)
    while index >= 0 {
      if tracks[index].pointee.layer == layer { return tracks[index] }
      index = Int(tracks[index].pointee.nextLayer)
    }
    return track
  }

  /// Returns the layer that has the track's taps.
  func tappedLayer(of first: Int) -> Int { trackBooks[first]?.tapped ?? first }

  /// Returns the number of subscriptions to all layers.
  func subscriptionCount(of first: Int) -> Int {
    var count = 0
    forEachLayer(of: first) { count += tracks[$0].pointee.subscriptionCount }
    return count
  }

  /// Requests a key frame of every layer that is in use, and of the first.
  func requestKeyFrame(of first: Int) {
    forEachLayer(of: first) { index in
      let layer = tracks[index]
      if index == first || layer.pointee.firstSubscription >= 0 || layer.pointee.taps.count > 0 {
        layer.pointee.keyFrames.request()
      }
    }
  }

  // MARK: Packets of a layer

  /// Records what must be rewritten in a VP8 packet for each subscription, and its place among the temporal layers. Part of the
  /// packet path: allocates nothing.
  func notePicture(
    _ slot: UnsafeMutablePointer<TrackSlot>, _ packet: UnsafeMutablePointer<StoredPacket>, _ descriptor: VP8Descriptor?,
    hole: StoredPacket?, after highest: Int64
  ) {
    if let descriptor, descriptor.pictureIDOffset > 0 || descriptor.temporalLevel0Offset > 0 {
      packet.pointee.flags.insert(.hasPicture)
      if descriptor.isLongPictureID { packet.pointee.flags.insert(.hasLongPicture) }
      packet.pointee.picture = descriptor.pictureID ?? 0
      packet.pointee.pictureAt = UInt8(truncatingIfNeeded: descriptor.pictureIDOffset)
      packet.pointee.level0 = descriptor.temporalLevel0Index ?? 0
      packet.pointee.level0At = UInt8(truncatingIfNeeded: descriptor.temporalLevel0Offset)
      if packet.pointee.sequence > highest {
        slot.pointee.lastPicture = packet.pointee.picture
        slot.pointee.lastLevel0 = packet.pointee.level0
      }
    }
    guard slot.pointee.temporal.isActive || TemporalLayers.begins(with: descriptor) else { return }
    slot.pointee.temporal.take(packet, descriptor, hole: hole, after: highest, in: slot.pointee.ring)
  }

  /// Records what a layer's packet says of the layer. Part of the packet path: allocates nothing.
  func noteLayer(
    _ index: Int, _ slot: UnsafeMutablePointer<TrackSlot>, _ packet: UnsafeMutablePointer<StoredPacket>, now: Instant
  ) {
    counters.layerPackets[Int(slot.pointee.rank)] &+= 1
    guard packet.pointee.flags.contains(.keyFrame) else { return }
    if slot.pointee.awaitsTaps { moveTaps(to: index, at: packet.pointee.sequence, now: now) }
  }

  /// Records the size of a key frame, and reports its shape if that is new. Part of the packet path.
  func noteSize(_ size: (width: Int, height: Int), of slot: UnsafeMutablePointer<TrackSlot>) {
    if slot.pointee.isLayered {
      slot.pointee.width = UInt16(clamping: size.width)
      slot.pointee.height = UInt16(clamping: size.height)
    }
    let shape = PictureShape(width: size.width, height: size.height)
    guard shape != slot.pointee.shape else { return }
    slot.pointee.shape = shape
    if slot.pointee.isReported {
      report(.shapeChanged(slot.pointee.id, isLandscape: shape == .landscape), to: slot.pointee.room)
    }
  }

  // MARK: Receptions

  func setReception(_ subscription: Int, _ reception: Reception, now: Instant) {
    let slot = subscriptions[subscription]
    slot.pointee.limits = SubscriptionSlot.Limits(reception)
    slot.pointee.priority = UInt8(clamping: reception.priority)
    let track = tracks[slot.pointee.track]
    if reception.isPaused, !slot.pointee.isPaused { stop(subscription) }
    let isResumed = slot.pointee.isPaused && !reception.isPaused
    slot.pointee.isPaused = reception.isPaused
    // The next allocation decides whether a track that did not fit does now.
    allocateSoon(slot.pointee.transport)
    if track.pointee.isLayered { chooseLayers(of: Int(track.pointee.firstLayer), now: now) }
    if track.pointee.isLinked { chooseLinked() }
    setLimit(subscription)
    if isResumed, track.pointee.isVideo { tracks[slot.pointee.track].pointee.keyFrames.request() }
  }

  /// Closes the gate and leaves the subscription on its layer.
  func stop(_ subscription: Int) {
    cancelSwitch(subscription)
    let slot = subscriptions[subscription]
    slot.pointee.closeMap(on: tracks[slot.pointee.track].pointee)
    counters.pauses &+= 1
  }

  // MARK: Choosing

  /// Updates the layers of all subscriptions, and what publishers are asked to send.
  func chooseLayers(_ now: Instant) {
    for first in layered { chooseLayers(of: first, now: now) }
  }

  /// Notes which videos of links without several layers somebody needs.
  func chooseLinked() {
    for index in injections where tracks[index].pointee.isLinked && !tracks[index].pointee.isLayered {
      guard let book = trackBooks[index], let injection = book.injection, injection.isVideo else { continue }
      injection.setWanted(isNeeded(index, book))
    }
  }

  private func isNeeded(_ index: Int, _ book: TrackState) -> Bool {
    if !book.taps.isEmpty || book.links.contains(where: { $0.injection.isWanted }) { return true }
    var subscription = Int(tracks[index].pointee.firstSubscription)
    while subscription >= 0 {
      if !subscriptions[subscription].pointee.isPaused { return true }
      subscription = Int(subscriptions[subscription].pointee.nextInTrack)
    }
    return false
  }

  func chooseLayers(of first: Int, now: Instant) {
    let set = layerSet(of: first, now: now)
    let isInjected = tracks[first].pointee.injected != nil
    let isLinked = tracks[first].pointee.isLinked
    trackBooks[first]?.layers = set
    if !isInjected { reportLayers(of: first, set) }
    var used: UInt8 = 0
    func use(_ layer: LayerSet.Layer?) {
      if let layer { used |= 1 << tracks[layer.index].pointee.layer }
    }
    forEachLayer(of: first) { index in
      if trackBooks[index]?.links.contains(where: { $0.injection.isWanted }) ?? false {
        used |= 1 << tracks[index].pointee.layer
      }
      var subscription = Int(tracks[index].pointee.firstSubscription)
      while subscription >= 0 {
        let slot = subscriptions[subscription]
        let next = Int(slot.pointee.nextInTrack)
        if !slot.pointee.isPaused { use(set.wanted(slot.pointee.limits)) }
        let allowed = slot.pointee.ceiling.map(set.prefix(through:)) ?? set
        if let target = allowed.sent(slot.pointee.limits, current: slot.pointee.track) {
          aim(subscription, at: target.index)
          if slot.pointee.ceiling != nil, !slot.pointee.isPaused { use(target) }
        }
        // A layer that is not encoded now may fit even if the others do not.
        if isInjected, slot.pointee.missingSince != nil { use(set.ascending.first) }
        reportStream(subscription)
        subscription = next
      }
    }
    guard let book = trackBooks[first] else { return }
    let size = book.sufficientSize
    if !book.taps.isEmpty { use(set.wanted(enoughFor: size)) }
    aimTaps(of: first, at: set.sent(enoughFor: size, current: book.tapped ?? first)?.index)
    // The smallest stays, so that a first subscriber gets a picture at once; of an injected track the first, which others use
    // too. Of a linked track, the other worker decides this. What has never been sent stays too.
    if !isLinked { use(set.ascending.first { isInjected ? $0.index == first : $0.isKnown }) }
    for layer in set.ascending where !layer.isKnown { use(layer) }
    for (rank, layer) in set.ascending.enumerated() { tracks[layer.index].pointee.rank = UInt8(rank) }
    guard book.demand.update(used: used, count: set.ascending.count, now: now) else { return }
    guard !isInjected else {
      return forEachLayer(of: first) { layer in
        trackBooks[layer]?.injection?.setWanted(book.demand.wanted & 1 << tracks[layer].pointee.layer != 0)
      }
    }
    let rids = book.parameters.encodings.prefix(set.ascending.count).enumerated()
      .filter { book.demand.wanted & 1 << UInt8($0.offset) != 0 }.compactMap(\.element.rid)
    report(.layersWanted(tracks[first].pointee.id, rids), to: tracks[first].pointee.room)
  }

  private func reportLayers(of first: Int, _ set: LayerSet) {
    guard let book = trackBooks[first] else { return }
    let layers = set.ascending.compactMap { layer -> TrackLayer? in
      let place = Int(tracks[layer.index].pointee.layer)
      guard layer.isKnown, layer.width > 0, book.parameters.encodings.indices.contains(place),
        let rid = book.parameters.encodings[place].rid
      else { return nil }
      return TrackLayer(rid: rid, size: PictureSize(width: layer.width, height: layer.height))
    }
    guard layers != book.reported else { return }
    book.reported = layers
    report(.layersChanged(tracks[first].pointee.id, layers), to: tracks[first].pointee.room)
  }

  private func layerSet(of first: Int, now: Instant) -> LayerSet {
    var layers: [LayerSet.Layer] = []
    forEachLayer(of: first) { index in
      let slot = tracks[index]
      let isKnown = slot.pointee.highest != 0
      let isLive = isKnown && now - slot.pointee.lastArrival < Self.livePatience
      if !isLive { slot.pointee.liveSince = now }
      layers.append(
        LayerSet.Layer(
          index: index, width: Int(slot.pointee.width), height: Int(slot.pointee.height),
          framesPerSecond: slot.pointee.rate.framesPerSecond,
          lowestFramesPerSecond: slot.pointee.temporal.isActive ? slot.pointee.rate(.base).framesPerSecond : nil,
          kbps: slot.pointee.rate.kbps, isKnown: isKnown, isLive: isLive,
          isSteady: isLive && now - slot.pointee.liveSince >= Self.steadyTime))
    }
    return LayerSet(layers)
  }

  // MARK: Taps

  /// Lets the taps change to this layer at its next key frame.
  private func aimTaps(of first: Int, at target: Int?) {
    guard let book = trackBooks[first] else { return }
    let current = book.tapped ?? first
    forEachLayer(of: first) { tracks[$0].pointee.awaitsTaps = false }
    guard let target, target != current else { return }
    guard !book.taps.isEmpty else {
      book.tapped = target
      return
    }
    tracks[target].pointee.awaitsTaps = true
    if !tracks[target].pointee.keyFrames.isWanted { tracks[target].pointee.keyFrames.request() }
  }

  /// Continues the taps with this layer from the frame that contains `sequence`.
  private func moveTaps(to index: Int, at sequence: Int64, now: Instant) {
    let track = tracks[index]
    let first = Int(track.pointee.firstLayer)
    let old = tracks[tappedLayer(of: first)]
    track.pointee.awaitsTaps = false
    trackBooks[first]?.tapped = index
    let start = track.pointee.frameStart(of: sequence)
    let end = LayerSeam.End(
      timestamp: old.pointee.lastTimestamp &+ old.pointee.tapTimestampOffset, at: old.pointee.lastArrival,
      clock: old.pointee.clock, offset: old.pointee.tapTimestampOffset)
    if old.pointee.highest != 0 {
      track.pointee.tapSequenceOffset = old.pointee.highest &+ old.pointee.tapSequenceOffset &+ 1 &- start
      track.pointee.tapTimestampOffset = LayerSeam.offset(
        after: end, to: track.pointee.lastTimestamp, clock: track.pointee.clock, now: now,
        clockRate: track.pointee.clockRate)
    }
    track.pointee.tapFrom = start
    track.pointee.taps = old.pointee.taps
    old.pointee.taps = TapList()
    if let report = track.pointee.clock.lastReport {
      let timestamp = report.rtp &+ track.pointee.tapTimestampOffset
      track.pointee.taps.write(TapRecord.head(ofReport: report.ntp, timestamp: timestamp, arrival: report.at))
    }
    // The caller writes the packet `sequence` itself.
    for earlier in start..<max(start, sequence) {
      guard let packet = track.pointee.ring[earlier], !track.pointee.isMuted else { continue }
      writeTaps(of: track, packet, PacketRing.payload(packet), now: now)
    }
  }
}
