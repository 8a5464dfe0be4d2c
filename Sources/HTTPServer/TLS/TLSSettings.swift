/// HTTPS, signalling over it (`wss://`) and RTMPS, on ports beside those without TLS.
public struct TLSSettings: Sendable, Hashable {
  /// A PEM file: the server's certificate, and behind it those that lead to its authority's.
  public var certificate: String
  /// A PEM file: the certificate's private key, without a passphrase.
  public var key: String
  /// The TCP port of HTTPS; 0 lets the kernel choose, `RoomServer.securePort` tells which.
  public var port: UInt16 = 0
  /// The TCP port of RTMPS, where RTMP is on; 0 lets the kernel choose, `RoomServer.secureRTMPPort` tells which.
  public var rtmpPort: UInt16 = 0
  /// Seconds for which browsers are to come by HTTPS alone (RFC 6797), to every port of the host; 0 tells them nothing.
  public var strictTransportSeconds = 0
  /// Between two looks at whether the files have changed: a renewed certificate serves new connections.
  public var lookInterval: Duration = .seconds(60)

  /// What every answer over HTTPS has besides.
  package var headers: [(name: String, value: String)] {
    strictTransportSeconds > 0 ? [("Strict-Transport-Security", "max-age=\(strictTransportSeconds)")] : []
  }

  /// See the properties.
  public init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}
