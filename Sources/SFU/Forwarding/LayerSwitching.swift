import RoomRTP

// The change of a subscription to another layer: at a key frame of the new layer, and between two frames of the old one.
//
// Packets get their numbers in the order in which they are sent, so the rest of a frame can't follow later: a frame that the change
// cuts is lost for the receiver. Publishers that pace their packets interleave the layers' frames.

extension Forwarder {
  /// The longest wait for the end of the old layer's frame, in microseconds. On a path that carries less, the frame is cut: the
  /// change is more urgent.
  private static let framePatience: Int64 = 30_000

  // MARK: Packet path

  /// Notes a key frame among the pending packets of a layer that subscriptions wait for. Part of the packet path: allocates
  /// nothing.
  func noteSwitchStart(of index: Int, at first: Int32, now: Instant) {
    let track = tracks[index]
    guard track.pointee.switchStart == 0 else { return }
    var entry = first
    while entry >= 0 {
      let sequence = pending.sequence(entry)
      if let packet = track.pointee.ring[sequence], packet.pointee.flags.contains(.keyFrame) {
        track.pointee.switchStart = sequence
        track.pointee.switchSince = now
        return switching.append(index)
      }
      entry = pending.next(entry)
    }
  }

  /// Moves subscriptions to the layers in `switching`, each as soon as what it was sent ends with a whole frame. Part of the packet
  /// path: allocates nothing.
  func takeSwitching(_ now: Instant) {
    guard !switching.isEmpty else { return }
    setSendTime(now)
    for position in switching.indices.reversed() {
      let index = switching[position]
      let track = tracks[index]
      // `open` sends all that is in the ring; pending packets would follow again.
      guard track.pointee.firstPending < 0 || track.pointee.switchStart == 0 else { continue }
      let isOverdue = now - track.pointee.switchSince >= Self.framePatience
      let isPossible = !track.pointee.isMuted && track.pointee.switchStart != 0
      var subscription = isPossible ? Int(track.pointee.firstSwitching) : -1
      var isWaited = false
      while subscription >= 0 {
        let next = Int(subscriptions[subscription].pointee.nextSwitching)
        if isOverdue || isBetweenFrames(subscription) {
          take(subscription, to: index, now: now)
        } else {
          isWaited = true
        }
        subscription = next
      }
      if !isWaited {
        track.pointee.switchStart = 0
        switching.remove(at: position)
      }
    }
  }

  /// Returns whether what the subscription was sent ends with a whole frame.
  private func isBetweenFrames(_ index: Int) -> Bool {
    let subscription = subscriptions[index]
    guard subscription.pointee.map.isOpen else { return true }
    let track = tracks[subscription.pointee.track]
    // Without a cursor, all that arrived has been sent but what is pending.
    if subscription.pointee.cursor == .max, track.pointee.firstPending >= 0 { return false }
    let last = min(subscription.pointee.cursor, track.pointee.highest &+ 1) &- 1
    guard last >= subscription.pointee.map.first, let packet = track.pointee.ring[last] else { return true }
    return packet.pointee.flags.contains(.marker)
  }

  private func take(_ index: Int, to layer: Int, now: Instant) {
    cancelSwitch(index)
    let subscription = subscriptions[index]
    let old = tracks[subscription.pointee.track]
    // What the old layer still has pending is sent first: its numbers are taken.
    if old.pointee.firstPending >= 0 { forward(old.pointee.firstPending, of: old, to: index, now: now) }
    move(index, to: layer)
    counters.layerSwitches &+= 1
    let track = tracks[layer]
    let transport = transports[subscription.pointee.transport]
    guard transport.pointee.isConnected, let start = track.pointee.ring[track.pointee.switchStart],
      subscription.pointee.canSend(start.pointee.codec)
    else {
      track.pointee.keyFrames.request()
      return
    }
    outgoing.endMessage()
    open(
      at: track.pointee.switchStart, of: track, to: index, joins: outgoing.segments(to: transport.pointee.destination),
      now: now)
  }

  // MARK: Lists

  /// Moves a subscription between the lists of two layers. It sends the new one from its next key frame.
  private func move(_ subscription: Int, to track: Int) {
    let slot = subscriptions[subscription]
    let old = slot.pointee.track
    slot.pointee.closeMap(on: tracks[old].pointee)
    unlinkFromTrack(subscription)
    slot.pointee.track = track
    setLimit(subscription)
    link(subscription, to: track)
    // Before the first packet there is no stream to continue.
    if slot.pointee.packets == 0 { slot.pointee.source = track }
  }

  func link(_ subscription: Int, to track: Int) {
    subscriptions[subscription].pointee.nextInTrack = tracks[track].pointee.firstSubscription
    tracks[track].pointee.firstSubscription = Int32(truncatingIfNeeded: subscription)
    tracks[track].pointee.subscriptionCount += 1
  }

  func unlinkFromTrack(_ subscription: Int) {
    let track = tracks[subscriptions[subscription].pointee.track]
    unlink(subscription, from: &track.pointee.firstSubscription) {
      subscriptions[$0].pointee.nextInTrack
    } set: {
      subscriptions[$0].pointee.nextInTrack = $1
    }
    track.pointee.subscriptionCount -= 1
  }

  /// Leaves the subscription on its layer.
  func cancelSwitch(_ subscription: Int) {
    let slot = subscriptions[subscription]
    guard slot.pointee.wanted >= 0 else { return }
    unlink(subscription, from: &tracks[Int(slot.pointee.wanted)].pointee.firstSwitching) {
      subscriptions[$0].pointee.nextSwitching
    } set: {
      subscriptions[$0].pointee.nextSwitching = $1
    }
    slot.pointee.wanted = -1
    slot.pointee.nextSwitching = -1
  }

  /// Lets the subscription change to this layer at its next key frame, or at once if nothing is being sent.
  func aim(_ subscription: Int, at track: Int) {
    let slot = subscriptions[subscription]
    if slot.pointee.track == track { return cancelSwitch(subscription) }
    guard slot.pointee.wanted != Int32(truncatingIfNeeded: track) else { return }
    cancelSwitch(subscription)
    if slot.pointee.map.isOpen {
      slot.pointee.wanted = Int32(truncatingIfNeeded: track)
      slot.pointee.nextSwitching = tracks[track].pointee.firstSwitching
      tracks[track].pointee.firstSwitching = Int32(truncatingIfNeeded: subscription)
    } else {
      move(subscription, to: track)
    }
    if !slot.pointee.isStopped { tracks[track].pointee.keyFrames.request() }
  }
}
