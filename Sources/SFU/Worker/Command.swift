import WebRTC

/// A room's number in this process.
struct RoomNumber: Hashable, Sendable {
  var rawValue: UInt32
}

/// What the control plane asks of a worker.
enum Command: Sendable {
  case openRoom(RoomNumber, events: @Sendable (MediaEvent) -> Void)
  case closeRoom(RoomNumber)
  case openTransport(RoomNumber, TransportID, ICECredentials, DTLSRole)
  case restartTransport(RoomNumber, TransportID, ICECredentials)
  case connectTransport(RoomNumber, TransportID, TransportParameters)
  case closeTransport(RoomNumber, TransportID)
  case publish(RoomNumber, TrackID, on: TransportID, RTPParameters)
  case inject(RoomNumber, TrackID, RTPParameters, TrackInjection)
  case unpublish(RoomNumber, TrackID)
  case setMuted(RoomNumber, TrackID, Bool)
  case subscribe(RoomNumber, SubscriptionID, to: TrackID, on: TransportID, RTPParameters, continues: Bool)
  case unsubscribe(RoomNumber, SubscriptionID)
  case tap(RoomNumber, TrackID, TrackTap)
  case untap(RoomNumber, TrackID, TrackTap)
  case requestKeyFrame(RoomNumber, TrackID)
  case statistics(RoomNumber, reply: @Sendable (MediaStatistics) -> Void)
  case counters(reply: @Sendable (WorkerCounters) -> Void)
  case stop
}
