import RoomWebRTC

/// The media addresses of the server that may be used, and their replacements.
struct MediaRoute: Sendable {
  var mediaProtocol: MediaProtocol
  var override: (@Sendable (TransportAddress) -> TransportAddress)?

  /// Returns the server's description with the remaining addresses.
  func applied(to parameters: TransportParameters) -> TransportParameters {
    var parameters = parameters
    parameters.candidates = parameters.candidates.compactMap { candidate in
      let isTCP = candidate.address.isTCP
      guard mediaProtocol == .automatic || isTCP == (mediaProtocol == .tcp) else { return nil }
      var candidate = candidate
      if let override { candidate.address = override(candidate.address) }
      return candidate.address.isTCP == isTCP ? candidate : nil
    }
    return parameters
  }
}
