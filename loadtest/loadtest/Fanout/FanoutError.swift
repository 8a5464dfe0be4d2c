/// Why a measurement can't be made, or can't go on.
enum FanoutError: Error, CustomStringConvertible {
  /// The machine refuses something that the bots need.
  case system(String)
  /// A server's program is not there, does not start, or ended.
  case server(String)
  /// The server refused a bot, or said something that was not understood.
  case refused(String)
  /// A bot got no media.
  case noMedia(String)
  /// A signal came.
  case stopped

  var description: String {
    switch self {
    case .system(let text), .server(let text), .refused(let text), .noMedia(let text): text
    case .stopped: "stopped"
    }
  }
}
