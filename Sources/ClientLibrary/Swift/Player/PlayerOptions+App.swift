import RoomCClient
import RoomClient
import RoomMedia

extension StreamPlayer.Options {
  /// Reads the options of the app; NULL for the defaults.
  init(_ pointer: UnsafePointer<rc_player_options>?) throws(Refusal) {
    self.init()
    guard let pointer else { return }
    let given = try structure(pointer, rc_player_options(), "options")
    buffer = .milliseconds(try integer(given.buffer_ms, "buffer_ms", in: 100...10_000))
    latencyLimit = .milliseconds(try integer(given.latency_limit_ms, "latency_limit_ms", in: 0...60_000))
    reconnect = try ReconnectPolicy(tries: given.reconnect_tries)
    trust = try ServerTrust(any: given.trust_any_server, certificates: given.certificates)
  }
}

extension StreamPlayer.State {
  /// The state in the form of the app.
  var forApp: rc_player_state {
    switch self {
    case .connecting: RC_PLAYER_CONNECTING
    case .buffering: RC_PLAYER_BUFFERING
    case .playing: RC_PLAYER_PLAYING
    case .reconnecting: RC_PLAYER_RECONNECTING
    case .ended: RC_PLAYER_ENDED
    case .failed: RC_PLAYER_FAILED
    }
  }
}
