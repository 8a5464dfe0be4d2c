import Foundation

/// A server that is measured.
struct MeasuredServer<Target: Sendable>: Sendable {
  /// What the bots need to reach it.
  var target: Target
  /// The server's process, if known.
  var pid: Int32?
  /// The URL of the server's metrics, if it has any.
  var metrics: URL?
  /// Set if the server was started for this measurement.
  var process: ServerProcess?

  func map<Other: Sendable>(_ transform: (Target) throws -> Other) rethrows -> MeasuredServer<Other> {
    MeasuredServer<Other>(target: try transform(target), pid: pid, metrics: metrics, process: process)
  }

  /// Runs `body`, and then stops the server if it was started for this measurement.
  func measure<Result: Sendable>(_ body: (Self) async throws -> Result) async throws -> Result {
    try await running {
      try await body(self)
    } end: {
      await process?.stop()
    }
  }
}

/// The addresses of a server of this project, and the tokens that it accepts.
struct RoomserverAddress: Sendable {
  /// The URL of the signalling.
  let signalling: String
  /// The base URL that the paths of the HTTP API are appended to.
  let base: URL
  let tokens: TokenMint

  /// - Throws: ``LoadtestError`` if the URL is invalid.
  init(_ signalling: String, _ tokens: TokenMint) throws(LoadtestError) {
    guard var parts = URLComponents(string: signalling), parts.host != nil else {
      throw .system("the address of the signalling is not valid: \(signalling)")
    }
    parts.scheme = parts.scheme == "wss" ? "https" : "http"
    parts.path = "/"
    parts.query = nil
    guard let base = parts.url else { throw .system("the address of the signalling is not valid: \(signalling)") }
    self.signalling = signalling
    self.base = base
    self.tokens = tokens
  }

  var metrics: URL { base.appending(path: "metrics") }
}
