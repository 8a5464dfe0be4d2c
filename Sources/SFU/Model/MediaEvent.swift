public import RoomRTP

/// An event that a media worker reports to the control plane about one room. Events arrive on the worker's thread, in order and
/// in batches; the receiver must pass them on and return.
public enum MediaEvent: Sendable, Hashable, Codable {
  /// ICE and DTLS are complete. Also sent when a disconnected transport receives packets again.
  case transportConnected(TransportID)
  /// No packet was received for some seconds (`PeerEvent.disconnected`). The transport may recover.
  case transportDisconnected(TransportID)
  /// The transport is no longer usable. The control plane must close it.
  case transportFailed(TransportID, TransportFailure)
  /// The remote end closed the transport (DTLS close_notify). The control plane must close it too.
  case transportClosed(TransportID)
  /// The first packet of a track arrived, or the first after it was published again.
  case firstPacket(MediaTrackID)
  /// The pictures of a video are landscape, or not. Sent at its first key frame in VP8 or H.264, and on changes.
  case shapeChanged(MediaTrackID, isLandscape: Bool)
  /// The tracks that were audible in the last 200 ms, and those that became silent, with −127. Sent only on changes.
  case audioLevels([TrackLevel])
  /// The active speakers, loudest first. Sent only on changes.
  case activeSpeakers([MediaTrackID])
  /// The layers of a simulcast that subscribers or taps use, in the order of the offer, and the smallest in any case. Sent only
  /// on changes. The publisher can stop sending the others.
  case layersWanted(MediaTrackID, [Rid])
  /// The layers of a simulcast that have arrived and have a known size, smallest first. Sent only on changes.
  case layersChanged(MediaTrackID, [TrackLayer])
  /// What a subscriber is sent of a video track. Sent only on changes, for tracks with layers or that were paused once.
  case streamChanged(SubscriptionID, on: TransportID, StreamState)
  /// How well a transport carries what it publishes, or what it subscribes to. Sent only on changes.
  case qualityChanged(TransportID, publishing: LinkQuality?, subscribing: LinkQuality?)
  /// A message arrived over a data channel.
  case messageReceived(TransportID, DataMessage)
  /// The command was refused because of a limit or an unknown id.
  case refused(Refusal)
}

/// A layer of a simulcast.
public struct TrackLayer: Sendable, Hashable, Codable {
  /// The layer's name in the publisher's offer.
  public var rid: Rid
  /// Of its last key frame, in pixels.
  public var size: PictureSize

  /// Creates the layer of this name and size.
  public init(rid: Rid, size: PictureSize) {
    self.rid = rid
    self.size = size
  }
}

/// The loudness of an audio track, as reported by the publisher (RFC 6464).
public struct TrackLevel: Sendable, Hashable, Codable {
  /// The audio track.
  public var track: MediaTrackID
  /// The level in dBov, −127 (silence) … 0 (loudest).
  public var level: Int

  /// Creates the level of this track, in dBov.
  public init(track: MediaTrackID, level: Int) {
    self.track = track
    self.level = level
  }
}

/// Why a transport is no longer usable.
public enum TransportFailure: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The DTLS certificate does not match the fingerprint in the session description.
  case fingerprint
  /// The DTLS handshake failed, for this reason.
  case handshake(String)
  /// ICE or DTLS did not complete in 30 s, or no packet was received for that long. An ICE restart may help.
  case timeout
  /// The SRTP keys could not be set up.
  case keys
  /// The client was too slow for the messages to it.
  case slow

  /// A description for logs.
  public var description: String {
    switch self {
    case .fingerprint: "fingerprint"
    case .handshake(let reason): "DTLS handshake: \(reason)"
    case .timeout: "timeout"
    case .keys: "keys"
    case .slow: "too slow for its messages"
    }
  }
}

/// A refused command.
public enum Refusal: Sendable, Hashable, Codable {
  /// The worker already has `MediaLimits.transportsPerWorker` transports, or the id is in use.
  case transport(TransportID)
  /// The transport is missing or already has `MediaLimits.tracksPerTransport` tracks, or the id or an SSRC is in use.
  case track(MediaTrackID)
  /// The track or the transport is missing, a limit is reached, or the parameters have no codec of the track.
  case subscription(SubscriptionID)
}
