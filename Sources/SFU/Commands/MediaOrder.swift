import RoomWebRTC

/// A command to the transports, tracks and subscriptions of one room's media. The room gives it, a worker performs it; an annex
/// receives it as JSON, so the names of the cases and of their values are a wire format.
package enum MediaOrder: Sendable, Hashable, Codable {
  /// Opens a transport and waits for the client that knows the local ICE credentials. `local` is this end, as a session description
  /// states it: its candidates name the worker.
  /// - Parameter at: an annex that opens it; nil for this process.
  case open(TransportID, local: TransportParameters, at: MediaAnnexID?)
  /// Sets new local credentials for an ICE restart. `connect` then sets the remote ones.
  case restart(TransportID, ICECredentials)
  /// Sets the remote parameters: again for an ICE restart.
  case connect(TransportID, TransportParameters)
  /// Removes the transport with its tracks and subscriptions.
  case close(TransportID)
  /// Enables data channels once both descriptions have them.
  case enableData(TransportID, DataParameters, sendingOn: OutgoingChannels)
  case publish(MediaTrackID, on: TransportID, RTPParameters)
  /// Ends a track that was published, injected, or carried to an annex.
  case unpublish(MediaTrackID)
  case mute(MediaTrackID, Bool)
  case subscribe(SubscriptionID, to: MediaTrackID, on: TransportID, RTPParameters, continues: Bool)
  case unsubscribe(SubscriptionID)
  case setReception(SubscriptionID, Reception)
  case requestKeyFrame(MediaTrackID)
}
