import WebRTC

/// Which of the addresses that the server names media may go to, and by which other one instead.
struct MediaRoute: Sendable {
  var way: MediaWay
  var override: (@Sendable (TransportAddress) -> TransportAddress)?

  /// The server's description with the addresses that are left.
  func applied(to parameters: TransportParameters) -> TransportParameters {
    var parameters = parameters
    parameters.candidates = parameters.candidates.compactMap { candidate in
      let isTCP = candidate.address.isTCP
      guard way == .automatic || isTCP == (way == .tcp) else { return nil }
      var candidate = candidate
      if let override { candidate.address = override(candidate.address) }
      return candidate.address.isTCP == isTCP ? candidate : nil
    }
    return parameters
  }
}
