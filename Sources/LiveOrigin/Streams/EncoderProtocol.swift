/// What publishes a stream of encoded frames: an encoder, by its protocol, or a player of the server. The raw value is the name in the API and in metrics.
package enum EncoderProtocol: String, Sendable, Hashable, CaseIterable {
  case rtmp, srt, player

  /// The name in logs.
  package var name: String { self == .player ? rawValue : rawValue.uppercased() }
}
