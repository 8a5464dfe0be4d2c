import RoomRTP
import RoomWebRTC

// Starting and ending subscriptions.

extension Forwarder {
  func subscribe(
    _ id: SubscriptionID, to trackID: MediaTrackID, on transportID: TransportID, _ parameters: RTPParameters, continues: Bool,
    in number: RoomNumber, now: Instant
  ) {
    guard let book = book(number) else { return }
    guard book.subscriptions[id] == nil, let track = book.tracks[trackID], let transport = book.transports[transportID],
      let source = trackBooks[track], let target = transportBooks[transport],
      let encoding = parameters.encodings.first, let ssrc = encoding.ssrc,
      outgoingStreams[StreamKey(transport: transport, ssrc: ssrc)] < 0,
      transports[transport].pointee.subscriptionCount < limits.tracksPerTransport,
      subscriptionCount(of: track) < limits.subscriptionsPerTrack,
      target.retired.count < TransportState.maximumRetired,
      let slot = SubscriptionSlot(
        id: id, track: track, transport: transport, ssrc: ssrc, encoding: encoding, source: source.parameters.codecs,
        parameters: parameters, continues: continues, retired: target.retired,
        random: &random),
      let index = subscriptions.insert(slot)
    else { return refuse(.refused(.subscription(id)), in: number) }
    outgoingStreams.set(StreamKey(transport: transport, ssrc: ssrc), index)
    subscriptionBooks[index] = SubscriptionState(
      parameters: parameters, canonicalName: parameters.cname.isEmpty ? source.canonicalName : parameters.cname)
    book.subscriptions[id] = index
    link(index, to: track)
    setRedundancy(index, transports[transport].pointee.redundancy.distance)
    subscriptions[index].pointee.nextInTransport = transports[transport].pointee.firstSubscription
    transports[transport].pointee.firstSubscription = Int32(truncatingIfNeeded: index)
    transports[transport].pointee.subscriptionCount += 1
    beginPath(for: index)
    if let path = transports[transport].pointee.path {
      subscriptions[index].pointee.header.setPlayoutDelay(milliseconds: path.pointee.playoutDelay.milliseconds)
    }
    if tracks[track].pointee.isLayered, !tracks[track].pointee.takesPast {
      startLow(transport, now: now)
      chooseLayers(of: track, now: now)
    }
    allocateSoon(transport)
    // The chosen layer, if the track has several.
    if transports[transport].pointee.isConnected { start(index, now: now) } else { prepare(index, now: now) }
  }

  /// The age in microseconds from which a key frame in the ring is not used for subscribers to come, so that what they are sent
  /// at once stays short, and lasts for the time of a handshake.
  private static let fresh: Int64 = 500_000

  /// Requests a key frame for a video whose transport is still connecting, so that it arrives during the handshake.
  func prepare(_ index: Int, now: Instant) {
    let subscription = subscriptions[index]
    let track = tracks[subscription.pointee.track]
    guard track.pointee.isVideo, !track.pointee.takesPast, !subscription.pointee.isStopped,
      track.pointee.recentStart(now: now, within: Self.fresh) == nil
    else { return }
    track.pointee.keyFrames.request()
  }

  /// Starts a video with the key frame in the track's ring, if it is recent and complete, or else requests one.
  func start(_ index: Int, now: Instant) {
    let subscription = subscriptions[index]
    let track = tracks[subscription.pointee.track]
    guard track.pointee.isVideo, !track.pointee.takesPast, !subscription.pointee.isStopped, !subscription.pointee.map.isOpen
    else { return }
    // A stream that continues would show the past again.
    if subscription.pointee.map.isNew, subscription.pointee.resumed == nil, let sequence = track.pointee.recentStart(now: now),
      let packet = track.pointee.ring[sequence], subscription.pointee.canSend(packet.pointee.codec)
    {
      // Packets that are still pending would be sent twice.
      if track.pointee.firstPending >= 0 { forwardPending(now, all: true) }
      guard !subscription.pointee.map.isOpen else { return }
      setSendTime(now)
      counters.startsFromRing &+= 1
      return open(at: sequence, of: track, to: index, joins: false, now: now)
    }
    track.pointee.keyFrames.request()
  }

  func removeSubscription(_ index: Int) {
    guard subscriptions.isLive(index) else { return }
    let subscription = subscriptions[index]
    cancelSwitch(index)
    setRedundancy(index, 0)
    let track = subscription.pointee.track
    let transport = subscription.pointee.transport
    if subscription.pointee.packets > 0, !subscription.pointee.continues {
      sendRTCP(on: transport) { writer in
        writer.receiverReport(ssrc: subscription.pointee.ssrc)
        writer.goodbye(ssrc: subscription.pointee.ssrc)
      }
    }
    if let book = transportBooks[transport] {
      book.retired[subscription.pointee.ssrc] = subscription.pointee.retired(on: tracks[subscription.pointee.source].pointee)
      if subscription.pointee.rtxSSRC != 0 {
        book.retired[subscription.pointee.rtxSSRC] = RetiredStream(next: subscription.pointee.rtxNext)
      }
    }
    outgoingStreams.remove(StreamKey(transport: transport, ssrc: subscription.pointee.ssrc))
    unlinkFromTrack(index)
    unlink(index, from: &transports[transport].pointee.firstSubscription) {
      subscriptions[$0].pointee.nextInTransport
    } set: {
      subscriptions[$0].pointee.nextInTransport = $1
    }
    transports[transport].pointee.subscriptionCount -= 1
    if let path = transports[transport].pointee.path, path.pointee.nextSubscription == Int32(truncatingIfNeeded: index) {
      path.pointee.nextSubscription = -1
    }
    allocateSoon(transport)
    rooms[tracks[track].pointee.room]?.subscriptions[subscription.pointee.id] = nil
    subscriptionBooks[index] = nil
    subscriptions.remove(index)
  }
}
