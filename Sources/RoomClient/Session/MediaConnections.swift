import Logging
import RoomProtocol
import RoomWebRTC

/// The two media transports of a session: whether they are connected, when to replace them, and their statistics.
///
/// Confined to the session's actor.
final class MediaConnections {
  let publisher: Publisher
  let subscriber: Subscriber
  var publishRepair = MediaRepair()
  var subscribeRepair = MediaRepair()
  private var meter = StatisticsMeter(began: .now)
  private let logger: Logger

  init(publisher: Publisher, subscriber: Subscriber, logger: Logger) {
    self.publisher = publisher
    self.subscriber = subscriber
    self.logger = logger
  }

  /// Applies an event of a transport; ignores one of an old transport. Returns the app's events.
  func apply(_ event: MediaChannel.Event, _ direction: TransportKind, generation: Int) -> [RoomEvent] {
    guard generation == (direction == .publish ? publisher.generation : subscriber.generation) else { return [] }
    switch event {
    case .connected: return connection(direction, isUp: true) { $0.connected() }
    case .disconnected:
      let events = connection(direction, isUp: false) { $0.disconnected(now: .now) }
      // The address of this side may have changed.
      if direction == .publish { publisher.networkChanged() } else { subscriber.networkChanged() }
      return events
    case .failed(let reason):
      logger.debug("the \(direction) transport failed: \(reason)")
      return connection(direction, isUp: false) { $0.failed(now: .now) }
    case .firstFrame(let trackId):
      if direction == .subscribe { subscriber.begun(trackId) }
      return subscriber.track(trackId).map { [.firstFrame($0)] } ?? []
    }
  }

  private func connection(_ direction: TransportKind, isUp: Bool, _ note: (inout MediaRepair) -> Void) -> [RoomEvent] {
    let wasUp: Bool
    switch direction {
    case .publish:
      wasUp = publisher.isConnected || isUp && publisher.replacesConnected
      publisher.connected(isUp)
      note(&publishRepair)
    case .subscribe:
      wasUp = subscriber.isConnected || isUp && subscriber.replacesConnected
      subscriber.connected(isUp)
      note(&subscribeRepair)
    }
    return wasUp == isUp ? [] : [.mediaConnectionChanged(direction, connected: isUp)]
  }

  func networkChanged() {
    publisher.networkChanged()
    subscriber.networkChanged()
  }

  /// Returns the directions whose transport must be replaced now; each once for each attempt.
  func dueRepairs(now: ContinuousClock.Instant) -> [TransportKind] {
    var due: [TransportKind] = []
    if !publisher.isEmpty, publishRepair.isDue(now: now) { due.append(.publish) }
    if subscriber.isOpen, subscribeRepair.isDue(now: now) { due.append(.subscribe) }
    return due
  }

  /// Returns the statistics since the last report.
  /// - Parameter userId: the publisher of the local tracks.
  func statistics(of userId: UserID, isolation: isolated (any Actor)? = #isolation) async -> RoomStatistics {
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
