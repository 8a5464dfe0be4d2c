/// The parameters of a measurement, the same for every server.
struct ViewersPlan: Sendable {
  var watching = WatchingProtocol.rtmp
  var count = 1000
  /// Length of the measurement window, in seconds.
  var seconds = 20.0
  /// Number of viewers that join per second.
  var joinsPerSecond = 200
  /// Number of threads that run viewers.
  var threads = 1

  /// One viewer out of this many is sampled: its messages are checked in full.
  static let sampling = 50
}

/// The protocol that viewers use.
enum WatchingProtocol: String, Sendable, CaseIterable, Codable {
  case rtmp
  /// HTTP-FLV.
  case flv
}
