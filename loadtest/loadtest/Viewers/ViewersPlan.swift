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
  /// HLS by segments.
  case hls
  /// HLS by parts, with reloads that wait.
  case lowLatencyHLS = "ll-hls"

  /// The ending of the play URL's path; nil for RTMP.
  var ending: String? {
    switch self {
    case .rtmp: nil
    case .flv: ".flv"
    case .hls, .lowLatencyHLS: ".m3u8"
    }
  }

  /// A viewer that receives a smaller share of the stream is starved. Segments arrive at once: one more or less in the window is
  /// no loss.
  var enough: Double {
    switch self {
    case .rtmp, .flv: 0.95
    case .lowLatencyHLS: 0.9
    case .hls: 0.7
    }
  }
}
