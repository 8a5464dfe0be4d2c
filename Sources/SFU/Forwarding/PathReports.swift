import RoomRTP

// What the control plane learns of the paths: what is sent of a track, and how well a transport carries its media.

extension Forwarder {
  /// Reports what the subscription is sent, if that changed.
  func reportStream(_ index: Int) {
    let slot = subscriptions[index]
    let track = tracks[slot.pointee.track]
    guard slot.pointee.isStarved || slot.pointee.source == slot.pointee.track else { return }
    let current = SubscriptionSlot.Reported(
      isStarved: slot.pointee.isStarved, layer: track.pointee.layer, width: track.pointee.width, height: track.pointee.height)
    guard current != slot.pointee.reported else { return }
    slot.pointee.reported = current
    func size(_ value: UInt16) -> Int? { value > 0 ? Int(value) : nil }
    let state = StreamState(
      isPaused: current.isStarved, width: size(current.width), height: size(current.height))
    report(
      .streamChanged(slot.pointee.id, on: transports[slot.pointee.transport].pointee.id, state), to: track.pointee.room)
  }

  /// Reports changed qualities of all transports. Called once a second.
  func reportQuality(_ now: Instant) {
    for index in 0..<transports.end where transports.isLive(index) && transports[index].pointee.isConnected {
      let transport = transports[index]
      let publishing =
        transport.pointee.firstTrack >= 0 ? transport.pointee.publishingQuality.update(publishingView(index), now: now) : nil
      let subscribing =
        transport.pointee.firstSubscription >= 0
        ? transport.pointee.subscribingQuality.update(subscribingView(index), now: now) : nil
      guard publishing != nil || subscribing != nil else { continue }
      report(
        .qualityChanged(transport.pointee.id, publishing: publishing, subscribing: subscribing), to: transport.pointee.room)
    }
  }

  private func publishingView(_ index: Int) -> QualityMeter.View {
    let transport = transports[index]
    var view = QualityMeter.View(roundTrip: transport.pointee.roundTrip, isSilent: transport.pointee.phase == .silent)
    for track in tracks(on: index) where tracks[track].pointee.rate.kbps > 0 {
      view.loss = max(view.loss, Double(tracks[track].pointee.fractionLost) / 256)
    }
    return view
  }

  private func subscribingView(_ index: Int) -> QualityMeter.View {
    let transport = transports[index]
    var view = QualityMeter.View(roundTrip: transport.pointee.roundTrip, isSilent: transport.pointee.phase == .silent)
    for subscription in subscriptions(on: index) {
      let slot = subscriptions[subscription]
      if slot.pointee.isStarved { view.isPaused = true }
      if slot.pointee.ceiling != nil || slot.pointee.pathLimit != .all || slot.pointee.share != nil { view.isReduced = true }
      if slot.pointee.rate.kbps > 0 { view.loss = max(view.loss, Double(slot.pointee.fractionLost) / 256) }
    }
    return view
  }
}
