import RoomProtocol
import RoomWebRTC

/// Events of the media transports, their repair, and the statistics.
extension RoomSession {
  func media(_ event: MediaChannel.Event, _ direction: TransportKind, generation: Int) {
    guard generation == (direction == .publish ? publisher.generation : subscriber.generation), !machine.state.isClosed else {
      return
    }
    switch event {
    case .connected: mediaChanged(direction, isUp: true) { $0.connected() }
    case .disconnected:
      mediaChanged(direction, isUp: false) { $0.disconnected(now: .now) }
      // The address of this side may have changed.
      if direction == .publish { publisher.networkChanged() } else { subscriber.networkChanged() }
    case .failed(let reason):
      logger.debug("the \(direction) transport failed: \(reason)")
      mediaChanged(direction, isUp: false) { $0.failed(now: .now) }
    case .firstFrame(let trackId):
      if let track = subscriber.track(trackId) { store.say(.firstFrame(track)) }
    }
  }

  func mediaChanged(_ direction: TransportKind, isUp: Bool, _ note: (inout MediaRepair) -> Void) {
    let wasUp: Bool
    switch direction {
    case .publish:
      wasUp = publisher.isConnected
      publisher.connected(isUp)
      note(&publishRepair)
    case .subscribe:
      wasUp = subscriber.isConnected
      subscriber.connected(isUp)
      note(&subscribeRepair)
    }
    if wasUp != isUp { store.say(.mediaConnectionChanged(direction, connected: isUp)) }
  }

  func networkChanged() async {
    publisher.networkChanged()
    subscriber.networkChanged()
    // The socket may be dead without an error; a ping detects it.
    link?.probe(now: .now)
  }

  func repairMedia(now: ContinuousClock.Instant) {
    guard case .connected = machine else { return }
    if !publisher.isEmpty, publishRepair.isDue(now: now) {
      Task {
        do {
          try await republish(keepingIds: true)
        } catch {
          logger.debug("the publish transport could not be replaced: \(error)")
        }
      }
    }
    if subscriber.isOpen, subscribeRepair.isDue(now: now) { link?.tell(.resubscribe) }
  }

  func statistics() async -> RoomStatistics {
    let userId = store.value.me?.userId ?? ""
    var transports: [TransportStatistics] = []
    var locals: [StatisticsMeter.Local] = []
    var remotes: [StatisticsMeter.Remote] = []
    let (published, received) = (publisher.published, subscriber.received)
    if let statistics = await publisher.transport?.statistics() {
      transports.append(
        TransportStatistics(
          direction: .publish, connected: publisher.isConnected,
          roundTripTime: statistics.roundTripTime.map { .microseconds($0) },
          targetKbps: Double(statistics.targetBitrate) / 1000, overTCP: statistics.remoteAddress?.isTCP ?? false))
      for (trackId, mid, track) in published {
        let video = track as? LocalVideoTrack
        locals.append(
          StatisticsMeter.Local(
            info: TrackInfo(trackId: trackId, kind: track.kind, width: video?.width, height: video?.height), userId: userId,
            counts: statistics.senders[mid] ?? SenderStatistics(), framesDropped: track.fed?.feed.dropped ?? 0))
      }
    }
    if let statistics = await subscriber.transport?.statistics() {
      transports.append(
        TransportStatistics(
          direction: .subscribe, connected: subscriber.isConnected,
          roundTripTime: statistics.roundTripTime.map { .microseconds($0) },
          overTCP: statistics.remoteAddress?.isTCP ?? false))
      for (mid, track) in received {
        remotes.append(
          StatisticsMeter.Remote(
            info: track.info, userId: track.userId, counts: statistics.receivers[mid] ?? ReceiverStatistics(),
            unread: track.unread, roundTripTime: statistics.roundTripTime))
      }
    }
    return meter.report(locals: locals, remotes: remotes, transports: transports, now: .now)
  }
}
