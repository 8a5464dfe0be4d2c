import ArgumentParser
import RoomHTTPServer
import RoomServer

/// The server's own certificate, and its ports.
struct TLSOptions: ParsableArguments {
  @Option(help: .setting("certificate")) var certificate: String?
  @Option(help: .setting("certificate-key")) var certificateKey: String?
  @Option(help: .setting("https-port")) var httpsPort: UInt16?
  @Option(help: .setting("rtmps-port")) var rtmpsPort: UInt16?
  @Option(help: .setting("hsts")) var hsts: Int?

  /// Applies the TLS options to a configuration.
  /// - Throws: if only one of the two files is given, or a port without a certificate.
  func apply(to configuration: inout ServerConfiguration, _ settings: ServeSettings) throws {
    let files = (settings.text("certificate", certificate), settings.text("certificate-key", certificateKey))
    let ports = (try settings.number("https-port", httpsPort), try settings.number("rtmps-port", rtmpsPort))
    let strictTransport = try settings.number("hsts", hsts, in: 0...1_000_000_000)
    guard case (let certificate?, let key?) = files else {
      guard files == (nil, nil) else { throw ValidationError("--certificate and --certificate-key require each other") }
      guard ports == (nil, nil) else { throw ValidationError("--https-port and --rtmps-port require --certificate") }
      return
    }
    var tls = TLSSettings(certificate: certificate, key: key)
    tls.port = ports.0 ?? 8443
    tls.rtmpPort = ports.1 ?? 1936
    tls.strictTransportSeconds = strictTransport ?? 0
    configuration.tls = tls
  }
}
