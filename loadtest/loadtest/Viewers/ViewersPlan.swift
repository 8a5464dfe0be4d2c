/// What is measured, the same for every server.
struct ViewersPlan: Sendable {
  var watching = WatchingProtocol.rtmp
  var count = 1000
  /// Length of the steady window.
  var seconds = 20.0
  /// Viewers that come within a second.
  var joinsPerSecond = 200
  /// Threads that run viewers.
  var threads = 1

  /// Every so many viewers one is looked at whole.
  static let sampling = 50
}

/// How viewers watch.
enum WatchingProtocol: String, Sendable, CaseIterable, Codable {
  case rtmp
  /// FLV over HTTP.
  case flv
}
