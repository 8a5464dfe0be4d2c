import RoomCMicroHTTPD

/// The TLS options of a libmicrohttpd daemon. The certificate of a connection is chosen when it is accepted.
enum DaemonTLS {
  /// - Parameter certificate: nil for a daemon without TLS.
  static func withOptions<Result>(of certificate: CurrentCertificate?, _ body: ([MHD_OptionItem]) -> Result) -> Result {
    guard let certificate else { return body([]) }
    // The daemon does not start without a certificate of its own, which no connection uses.
    let pem = certificate.certificate.pem
    return pem.certificate.withUnsafeBytes { chain in
      pem.key.withUnsafeBytes { key in
        // The library only reads these texts.
        func text(_ option: MHD_OPTION, _ start: UnsafeRawPointer?) -> MHD_OptionItem {
          MHD_OptionItem(option: option, value: 0, ptr_value: UnsafeMutableRawPointer(mutating: start))
        }
        return body([
          text(.HTTPS_MEM_CERT, chain.baseAddress), text(.HTTPS_MEM_KEY, key.baseAddress),
          text(.HTTPS_PRIORITIES, priorities.utf8Start),
        ])
      }
    }
  }

  /// TLS 1.2 and 1.3, with forward secrecy and authenticated encryption.
  private static let priorities: StaticString = """
    NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA\
    :-CIPHER-ALL:+AES-256-GCM:+CHACHA20-POLY1305:+AES-128-GCM:%SERVER_PRECEDENCE
    """
}
