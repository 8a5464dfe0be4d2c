extension MediaDescription {
  /// Whether this is data channels over DTLS, in the form of RFC 8841.
  var isData: Bool {
    kind == "application" && (transport == "UDP/DTLS/SCTP" || transport == "TCP/DTLS/SCTP")
      && formats.contains("webrtc-datachannel")
  }

  /// The parameters of an m-line of data channels; nil without a valid `a=sctp-port`.
  var data: DataParameters? {
    guard isData, let port = attributes.value("sctp-port").flatMap({ UInt16($0) }), port > 0 else { return nil }
    // 64 kB without the attribute, and no limit if it is 0 (RFC 8841 §6.1).
    let size = attributes.value("max-message-size").map { Int($0) ?? 65_536 } ?? 65_536
    return DataParameters(port: port, maximumMessage: size <= 0 ? nil : size)
  }
}
