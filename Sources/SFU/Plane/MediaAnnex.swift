import RoomWebRTC

/// The part of a room's media that another server runs for the clients that are connected to it: their transports, and the tracks
/// that cross to and from it. ``MediaRoom/add(_:)`` makes it one more member of the room, like a worker of this process.
///
/// No method waits. The other server performs all orders in their order, with the methods of a `MediaRoom` of its own.
package protocol MediaAnnex: AnyObject, Sendable {
  /// What the thread waits on that sends the records of the injections of ``feed(_:from:)``.
  var wakeDescriptor: Int32 { get }

  func perform(_ order: MediaOrder)

  /// Sends a message on the data channels of these transports, which the other server has.
  func send(_ message: DataMessage, to ids: [TransportID])

  /// Lets the other server have a track, before its packets come. Called again if the parameters have changed.
  func carry(_ track: MediaTrackID, _ parameters: RTPParameters, layers: Int)

  /// Sends the records of `injection` as those of a track of the other server.
  func feed(_ track: MediaTrackID, from injection: TrackInjection)
  func endFeeding(_ track: MediaTrackID, from injection: TrackInjection)

  /// Lets another annex send the records of a track to this one.
  /// - Parameter isContinued: whether this one has received the track from elsewhere so far.
  func relay(_ track: MediaTrackID, from parent: any MediaAnnex, isContinued: Bool)
  /// Ends what ``relay(_:from:isContinued:)`` of another annex began here.
  func endRelaying(_ track: MediaTrackID, to child: any MediaAnnex)

  /// Requests a track that the other server receives: its records go into `injection`.
  func fetch(_ track: MediaTrackID, into injection: TrackInjection)

  /// Ends the reception of a track that was fetched.
  func endFetching(_ track: MediaTrackID)

  func statistics() async -> MediaStatistics

  /// Ends all of it. Nothing else is called afterwards.
  func close()
}
