import RoomWebRTC

/// The part of a room's media that another server runs for the clients that are connected to it: their transports, and the tracks
/// that cross to and from it. ``MediaRoom/add(_:)`` makes it one more member of the room, like a worker of this process.
///
/// No method waits. The other server performs all orders in their order, with the methods of a `MediaRoom` of its own.
package protocol MediaAnnex: AnyObject, Sendable {
  /// What the thread waits on that sends the records of the injections of ``carry(_:_:from:)``.
  var wakeDescriptor: Int32 { get }

  func perform(_ order: AnnexOrder)

  /// Sends a track to the other server, with the records of `injection`. Called again if the parameters have changed.
  func carry(_ track: MediaTrackID, _ parameters: RTPParameters, from injection: TrackInjection)

  /// Requests a track that the other server receives: its records go into `injection`.
  func fetch(_ track: MediaTrackID, into injection: TrackInjection)

  /// Ends the reception of a track that was fetched.
  func endFetching(_ track: MediaTrackID)

  func statistics() async -> MediaStatistics

  /// Ends all of it. Nothing else is called afterwards.
  func close()
}

/// A command to the media of a room at another server.
package enum AnnexOrder: Sendable, Hashable, Codable {
  /// With this end's parameters, whose candidates are of one worker of the other server.
  case open(TransportID, local: TransportParameters)
  case restart(TransportID, ICECredentials)
  case connect(TransportID, TransportParameters)
  case close(TransportID)
  case publish(MediaTrackID, on: TransportID, RTPParameters)
  /// Ends a track that was published there, or carried there.
  case unpublish(MediaTrackID)
  case mute(MediaTrackID, Bool)
  case subscribe(SubscriptionID, to: MediaTrackID, on: TransportID, RTPParameters, continues: Bool)
  case unsubscribe(SubscriptionID)
  case setReception(SubscriptionID, Reception)
  case requestKeyFrame(MediaTrackID)
}

extension MediaRoom {
  /// Performs an order of the server that owns the room. Carried tracks have ``receive(_:parameters:layers:)``.
  package func perform(_ order: AnnexOrder) {
    switch order {
    case .open(let id, let local): openTransport(id, local: local)
    case .restart(let id, let credentials): restartTransport(id, credentials: credentials)
    case .connect(let id, let remote): connectTransport(id, remote: remote)
    case .close(let id): closeTransport(id)
    case .publish(let track, let transport, let parameters): publish(track, on: transport, parameters: parameters)
    case .unpublish(let track): unpublish(track)
    case .mute(let track, let isMuted): setMuted(track, isMuted)
    case .subscribe(let id, let track, let transport, let parameters, let continues):
      subscribe(id, to: track, on: transport, parameters: parameters, continues: continues)
    case .unsubscribe(let id): unsubscribe(id)
    case .setReception(let id, let reception): setReception(id, reception)
    case .requestKeyFrame(let track): requestKeyFrame(track)
    }
  }
}

extension AnnexOrder {
  /// The order for a worker's command; nil if it is none for the transports and tracks of an annex.
  init?(_ command: Command) {
    switch command {
    case .restartTransport(_, let id, let credentials): self = .restart(id, credentials)
    case .connectTransport(_, let id, let remote): self = .connect(id, remote)
    case .closeTransport(_, let id): self = .close(id)
    case .publish(_, let track, let transport, let parameters): self = .publish(track, on: transport, parameters)
    case .unpublish(_, let track): self = .unpublish(track)
    case .setMuted(_, let track, let isMuted): self = .mute(track, isMuted)
    case .subscribe(_, let id, let track, let transport, let parameters, let continues):
      self = .subscribe(id, to: track, on: transport, parameters, continues: continues)
    case .unsubscribe(_, let id): self = .unsubscribe(id)
    case .setReception(_, let id, let reception): self = .setReception(id, reception)
    case .requestKeyFrame(_, let track): self = .requestKeyFrame(track)
    default: return nil
    }
  }
}

/// Identifies an annex of a room.
package struct MediaAnnexID: Hashable, Sendable, CustomStringConvertible {
  /// Its number among the members of the room: larger than that of any worker.
  let member: Int

  package var description: String { "\(member - Forwarder.maximumWorkers)" }
}

/// Where clients reach the transports of an annex.
package struct MediaAnnexAddresses: Sendable, Hashable, Codable {
  package var fingerprint: Fingerprint
  /// The host candidates of each worker.
  package var candidates: [[ICECandidate]]

  package init(fingerprint: Fingerprint, candidates: [[ICECandidate]]) {
    self.fingerprint = fingerprint
    self.candidates = candidates
  }
}
