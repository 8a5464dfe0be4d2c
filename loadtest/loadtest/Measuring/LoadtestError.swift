/// The reason why a measurement can't start or continue.
enum LoadtestError: Error, CustomStringConvertible {
  /// The operating system refuses something that the bots need.
  case system(String)
  /// A server's executable is missing, does not start, or exited.
  case server(String)
  /// The server refused a bot or sent an invalid message.
  case refused(String)
  /// A bot received no media.
  case noMedia(String)
  /// A signal ended the run.
  case stopped

  var description: String {
    switch self {
    case .system(let text), .server(let text), .refused(let text), .noMedia(let text): text
    case .stopped: "stopped"
    }
  }
}
