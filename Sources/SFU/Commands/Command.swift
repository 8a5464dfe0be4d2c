import RoomWebRTC

/// A room's number in this process.
struct RoomNumber: Hashable, Sendable {
  var rawValue: UInt32
}

/// A command from the control plane to a worker.
enum Command: Sendable {
  case openRoom(RoomNumber, events: @Sendable (MediaEvent) -> Void)
  case closeRoom(RoomNumber)
  case order(RoomNumber, MediaOrder)
  /// Makes a transport of the first room one of the second.
  case transfer(RoomNumber, TransportTransfer, to: RoomNumber)
  case sendData(RoomNumber, DataMessage, to: [TransportID])
  case inject(RoomNumber, MediaTrackID, RTPParameters, TrackInjection)
  /// Copies the track's packets into the injection of another worker, or of another room.
  case link(RoomNumber, MediaTrackID, TrackInjection)
  case unlink(RoomNumber, MediaTrackID, TrackInjection)
  /// To an annex. A worker has no use of these.
  case annex(AnnexCommand)
  /// The levels of tracks that other workers of the room receive.
  case setLevels(RoomNumber, [TrackLevel])
  case tap(RoomNumber, MediaTrackID, TrackTap)
  case setTapSize(RoomNumber, MediaTrackID, PictureSize?)
  case untap(RoomNumber, MediaTrackID, TrackTap)
  case statistics(RoomNumber, reply: @Sendable (MediaStatistics) -> Void)
  case counters(reply: @Sendable (WorkerCounters) -> Void)
  case stop
}

/// What an annex does about tracks that other servers send to it, and that it sends on.
enum AnnexCommand: Sendable {
  /// The track exists there, or its parameters have changed.
  case carry(MediaTrackID, RTPParameters, layers: Int)
  /// The track's packets come from this server, by the injection.
  case feed(MediaTrackID, TrackInjection)
  case endFeeding(MediaTrackID, TrackInjection)
  /// The track's packets come from another annex.
  /// - Parameter isContinued: the annex has received the track from elsewhere so far.
  case relay(MediaTrackID, from: MediaAnnexID, isContinued: Bool)
  /// To the annex that sent the track on.
  case endRelaying(MediaTrackID, to: MediaAnnexID)
}
