public import WebRTC

/// The control plane's end of one room's media. Commands go into the worker's mailbox, keep their order and answer nothing:
/// what comes of them is told by events. Ids are the caller's.
public final class MediaRoom: Sendable {
  /// The host candidates of the room's worker, for session descriptions.
  public var candidates: [ICECandidate] { [] }

  init() {}

  /// Listens for the client that knows `credentials`, which are this side's own. A room's transport is either for publishing or
  /// for subscribing, by what is put on it.
  public func openTransport(_ id: TransportID, credentials: ICECredentials) {}

  /// Tells the far end's description; again for an ICE restart, with `credentials` where this side's changed too.
  public func connectTransport(_ id: TransportID, remote: TransportParameters) {}

  /// Forgets the transport with its tracks and subscriptions; its address is not heard any more from this moment.
  public func closeTransport(_ id: TransportID) {}

  /// What comes on `transport` with these SSRCs, mid or rid is `track`. Again for the same track: takes new parameters.
  public func publish(_ track: TrackID, on transport: TransportID, parameters: RTPParameters) {}

  /// Ends the track and its subscriptions.
  public func unpublish(_ track: TrackID) {}

  /// Stops forwarding, or goes on with it; video goes on at the next key frame, which is asked for.
  public func setMuted(_ track: TrackID, _ muted: Bool) {}

  /// Sends `track` on `transport` with these parameters: their SSRCs, the payload type of the codec that is the track's, mid and
  /// extensions. Video starts at a key frame.
  public func subscribe(_ id: SubscriptionID, to track: TrackID, on transport: TransportID, parameters: RTPParameters) {}

  public func unsubscribe(_ id: SubscriptionID) {}

  public func statistics() async -> MediaStatistics { MediaStatistics() }

  /// Closes all transports and forgets the room. Events already on their way may still come.
  public func close() {}
}
