/// What a media worker tells the control plane about one room. Told from the worker's thread, in order, a batch at a time:
/// the receiver hands it on and returns.
public enum MediaEvent: Sendable, Hashable {
  /// ICE and DTLS are done; also told when a disconnected transport is heard again.
  case transportConnected(TransportID)
  /// Nothing was heard for some seconds (`PeerEvent.disconnected`); may come back.
  case transportDisconnected(TransportID)
  /// The transport can't be used any more; the control plane closes it.
  case transportFailed(TransportID, TransportFailure)
  /// The far end closed it (DTLS close_notify); the control plane closes it too.
  case transportClosed(TransportID)
  /// The first packet of a track came, or the first after it was published anew.
  case firstPacket(MediaTrackID)
  /// The tracks that made a sound in the last 200 ms, and those that fell silent with −127. Not told while nothing changes.
  case audioLevels([TrackLevel])
  /// Who speaks, loudest first; told when it changes.
  case activeSpeakers([MediaTrackID])
  /// The command could not be carried out because of a limit or an id that is not there.
  case refused(Refusal)
}

/// The loudness of an audio track, by the publisher's own account (RFC 6464).
public struct TrackLevel: Sendable, Hashable {
  /// An audio track.
  public var track: MediaTrackID
  /// dBov, −127 (silence) … 0 (loudest).
  public var level: Int

  /// The level of this track, dBov.
  public init(track: MediaTrackID, level: Int) {
    self.track = track
    self.level = level
  }
}

/// Why a transport can't be used any more.
public enum TransportFailure: Sendable, Hashable, CustomStringConvertible {
  /// The DTLS certificate is not the one that the session description names.
  case fingerprint
  /// The DTLS handshake failed, for this reason.
  case handshake(String)
  /// ICE or DTLS did not get through in 30 s, or nothing was heard for so long; an ICE restart may help.
  case timeout
  /// The keys of SRTP could not be set up.
  case keys

  /// For logs.
  public var description: String {
    switch self {
    case .fingerprint: "fingerprint"
    case .handshake(let reason): "DTLS handshake: \(reason)"
    case .timeout: "timeout"
    case .keys: "keys"
    }
  }
}

/// A command that was not carried out.
public enum Refusal: Sendable, Hashable {
  /// The worker has `MediaLimits.transportsPerWorker` transports, or the id is taken.
  case transport(TransportID)
  /// The transport is not there, or has `MediaLimits.tracksPerTransport` tracks, or the id or an SSRC is taken.
  case track(MediaTrackID)
  /// The track or the transport is not there, or a limit is reached, or the parameters name no codec of the track.
  case subscription(SubscriptionID)
}
