public import RoomClient
public import RoomCodecs
public import RoomMedia
package import RoomWebRTC

/// What a session pushes, and how it connects. All but the video configuration is fixed for the session's lifetime.
public struct StreamingSetup: Sendable {
  /// The configuration of the H.264 encoder; nil pushes audio only.
  public var video: VideoConfiguration?
  /// The audio settings; nil pushes video only. RTMP gets AAC in this format. WHIP gets Opus with the same channels and bitrate.
  public var audio: AACEncoderSettings?
  /// The certificates that are accepted from a server with an `rtmps://` or `https://` URL.
  public var trust: ServerTrust
  /// Resolves host names in place of the system; nil asks the system.
  public var resolver: StreamingResolver?
  /// What follows a change of the network. By default the session ignores it, and a dead connection is noticed after some seconds.
  public var networkChange: NetworkChangePolicy
  /// Replaces a media address of a WHIP server by the address to send to, for a test network in between.
  package var mediaAddressOverride: (@Sendable (TransportAddress) -> TransportAddress)?

  /// Creates a setup. The defaults are the preset `medium1`, AAC in stereo at 44,100 Hz and 128 kbit/s, and the system's trust and
  /// resolver.
  public init(
    video: VideoConfiguration? = VideoPreset.medium1.configuration(), audio: AACEncoderSettings? = .init(),
    trust: ServerTrust = .system, resolver: StreamingResolver? = nil, networkChange: NetworkChangePolicy = .ignore
  ) {
    self.video = video
    self.audio = audio
    self.trust = trust
    self.resolver = resolver
    self.networkChange = networkChange
  }
}
