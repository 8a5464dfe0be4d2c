import RoomWebRTC

/// A room's number in this process.
struct RoomNumber: Hashable, Sendable {
  var rawValue: UInt32
}

/// A command from the control plane to a worker.
enum Command: Sendable {
  case openRoom(RoomNumber, events: @Sendable (MediaEvent) -> Void)
  case closeRoom(RoomNumber)
  case openTransport(RoomNumber, TransportID, ICECredentials, DTLSRole)
  case restartTransport(RoomNumber, TransportID, ICECredentials)
  case connectTransport(RoomNumber, TransportID, TransportParameters)
  case closeTransport(RoomNumber, TransportID)
  case enableData(RoomNumber, TransportID, DataParameters, sendingOn: OutgoingChannels)
  case sendData(RoomNumber, DataMessage, to: [TransportID])
  case publish(RoomNumber, MediaTrackID, on: TransportID, RTPParameters)
  case inject(RoomNumber, MediaTrackID, RTPParameters, TrackInjection)
  /// Copies the track's packets into the injection of another worker, whose number among all is `worker`.
  case link(RoomNumber, MediaTrackID, TrackInjection, worker: Int)
  case unlink(RoomNumber, MediaTrackID, TrackInjection)
  /// The levels of tracks that other workers of the room receive.
  case setLevels(RoomNumber, [TrackLevel])
  case unpublish(RoomNumber, MediaTrackID)
  case setMuted(RoomNumber, MediaTrackID, Bool)
  case subscribe(RoomNumber, SubscriptionID, to: MediaTrackID, on: TransportID, RTPParameters, continues: Bool)
  case unsubscribe(RoomNumber, SubscriptionID)
  case setReception(RoomNumber, SubscriptionID, Reception)
  case tap(RoomNumber, MediaTrackID, TrackTap)
  case setTapSize(RoomNumber, MediaTrackID, PictureSize?)
  case untap(RoomNumber, MediaTrackID, TrackTap)
  case requestKeyFrame(RoomNumber, MediaTrackID)
  case statistics(RoomNumber, reply: @Sendable (MediaStatistics) -> Void)
  case counters(reply: @Sendable (WorkerCounters) -> Void)
  case stop
}
