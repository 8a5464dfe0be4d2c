/// The server's own certificate, and its ports.
enum TLSSection: SettingSection {
  static let title = "TLS"
  static let settings: [Setting] = [
    .text(
      "certificate", "file", at: \.certificate, default: "none, no TLS",
      """
      A PEM file of the server's certificate, followed by its intermediate certificates. Enables HTTPS, wss:// and RTMPS. A \
      renewed file is loaded within a minute, without a restart
      """),
    .text("certificate-key", "file", at: \.certificateKey, "A PEM file of the certificate's key, without a passphrase"),
    .port("https-port", at: \.tls.port, requires: "certificate", "The TCP port of HTTPS and wss://"),
    .port("rtmps-port", at: \.tls.rtmpPort, requires: "certificate", "The TCP port of RTMPS"),
    .count(
      "hsts", 0...1_000_000_000, at: \.tls.strictTransportSeconds, unit: "seconds",
      """
      Seconds for which browsers that used HTTPS once must use it for every port of the host (HSTS); 0 sends no such header. A \
      year is 31536000
      """),
  ]
}
