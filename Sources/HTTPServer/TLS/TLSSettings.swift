/// HTTPS, signalling over it (`wss://`) and RTMPS, on ports in addition to those without TLS.
public struct TLSSettings: Sendable, Hashable {
  /// A PEM file: the server's certificate, followed by its intermediate certificates.
  public var certificate: String
  /// A PEM file: the certificate's private key, without a passphrase.
  public var key: String
  /// The TCP port of HTTPS; 0 lets the kernel choose, and `RoomServer.securePort` returns it.
  public var port: UInt16 = 0
  /// The TCP port of RTMPS, if RTMP is on; 0 lets the kernel choose, and `RoomServer.secureRTMPPort` returns it.
  public var rtmpPort: UInt16 = 0
  /// Seconds for which browsers must use HTTPS for every port of the host (RFC 6797); 0 sends no such header.
  public var strictTransportSeconds = 0
  /// The interval between two checks whether the files have changed. A renewed certificate is used for new connections.
  public var checkInterval: Duration = .seconds(60)

  /// The additional headers of every answer over HTTPS.
  package var headers: [(name: String, value: String)] {
    strictTransportSeconds > 0 ? [("Strict-Transport-Security", "max-age=\(strictTransportSeconds)")] : []
  }

  /// Creates settings with the default ports.
  public init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}
