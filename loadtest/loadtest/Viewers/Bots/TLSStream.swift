import COpenSSL
import Glibc

/// TLS over the socket of a bot, with a server whose certificate this machine trusts. Belongs to the socket's thread.
final class TLSStream {
  /// Sendable: OpenSSL lets threads share a context that is not changed after it was made.
  private struct Context: @unchecked Sendable {
    let context: OpaquePointer?

    /// The system's authorities, or those of SSL_CERT_FILE.
    init() {
      // OpenSSL writes to sockets as to files.
      signal(SIGPIPE, SIG_IGN)
      context = SSL_CTX_new(TLS_client_method())
      SSL_CTX_set_default_verify_paths(context)
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
      // What waits to be sent may have moved by the next time.
      SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER), nil)
    }
  }

  private static let shared = Context()

  private let ssl: OpaquePointer

  /// - Parameter host: whom the certificate has to be for.
  init(_ descriptor: Int32, host: String) throws(FanoutError) {
    guard let ssl = SSL_new(Self.shared.context) else { throw .system("no TLS") }
    self.ssl = ssl
    guard SSL_set_fd(ssl, descriptor) == 1, SSL_set1_host(ssl, host) == 1, openssl_set_server_name(ssl, host) == 1 else {
      throw .system("no TLS with \(host)")
    }
    SSL_set_connect_state(ssl)
  }

  deinit { SSL_free(ssl) }

  /// Reads records until there are no more, or the space has no room for one.
  func receive(into space: UnsafeMutableRawBufferPointer) -> TCPSocket.Received {
    var count = 0
    while space.count - count >= Int(SSL3_RT_MAX_PLAIN_LENGTH) {
      ERR_clear_error()
      let result = SSL_read(ssl, space.baseAddress.map { $0 + count }, Int32(clamping: space.count - count))
      guard result > 0 else {
        if count > 0 { break }
        return isWaiting(result) ? .nothing : .closed(reason(result))
      }
      count += Int(result)
    }
    return .bytes(count)
  }

  /// Sends what there is room for and takes it from the front; false where the connection is broken.
  func send(_ bytes: inout [UInt8]) -> Bool {
    while !bytes.isEmpty {
      ERR_clear_error()
      let result = SSL_write(ssl, bytes, Int32(clamping: bytes.count))
      guard result > 0 else { return isWaiting(result) }
      bytes.removeFirst(Int(result))
    }
    return true
  }

  private func isWaiting(_ result: Int32) -> Bool {
    let error = SSL_get_error(ssl, result)
    return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE
  }

  private func reason(_ result: Int32) -> String {
    let verified = SSL_get_verify_result(ssl)
    if verified != X509_V_OK { return "its certificate: \(String(cString: X509_verify_cert_error_string(verified)))" }
    return SSL_get_error(ssl, result) == SSL_ERROR_ZERO_RETURN ? "the server closed the connection" : "TLS is broken"
  }
}
