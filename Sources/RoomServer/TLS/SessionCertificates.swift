import CGnuTLS
import CMicroHTTPD

/// Gives each connection of a libmicrohttpd with TLS the certificate that is current when it comes, and keeps that until it is over.
enum SessionCertificates {
  /// What the daemon has to be started with.
  /// - Parameter certificate: has to outlive the daemon; nil for one without TLS.
  static func withOptions<Result>(of certificate: CurrentCertificate?, _ body: ([MHD_OptionItem]) -> Result) -> Result {
    guard let certificate else { return body([]) }
    let notify: MHD_NotifyConnectionCallback = { context, connection, kept, event in
      guard let context, let connection, let kept else { return }
      switch event {
      case .CONNECTION_NOTIFY_STARTED:
        guard let session = mhd_tls_session(connection) else { return }
        let own = Unmanaged<CurrentCertificate>.fromOpaque(context).takeUnretainedValue().certificate
        own.serve(gnutls_session_t(session))
        kept.pointee = Unmanaged.passRetained(own).toOpaque()
      case .CONNECTION_NOTIFY_CLOSED:
        // The session is gone already.
        guard let own = kept.pointee else { return }
        kept.pointee = nil
        Unmanaged<ServerCertificate>.fromOpaque(own).release()
      default: break
      }
    }
    // The daemon won't start without a certificate of its own, which no connection gets to see.
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
          MHD_OptionItem(
            option: .NOTIFY_CONNECTION, value: unsafeBitCast(notify, to: Int.self),
            ptr_value: Unmanaged.passUnretained(certificate).toOpaque()),
        ])
      }
    }
  }

  /// TLS 1.2 and 1.3, with forward secrecy.
  private static let priorities: StaticString = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:%SERVER_PRECEDENCE"
}
