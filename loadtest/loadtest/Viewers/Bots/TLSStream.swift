import RoomCOpenSSL
import Glibc

/// TLS over a bot's socket, with a server whose certificate this machine trusts. Confined to the socket's thread.
final class TLSStream {
  /// Sendable, because OpenSSL allows threads to share a context that is not modified after its creation.
  private struct Context: @unchecked Sendable {
    let context: OpaquePointer?

    /// Uses the system's certificate authorities, or those of SSL_CERT_FILE.
    init() {
      // OpenSSL uses plain writes, which raise SIGPIPE on a closed socket.
      signal(SIGPIPE, SIG_IGN)
      context = SSL_CTX_new(TLS_client_method())
      SSL_CTX_set_default_verify_paths(context)
      SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
      // The buffer of pending data may have moved by the next call.
      SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER), nil)
    }
  }

  private static let shared = Context()

  private let ssl: OpaquePointer

  /// - Parameter host: the host name that the certificate must be valid for.
  init(_ descriptor: Int32, host: String) throws(LoadtestError) {
    guard let ssl = SSL_new(Self.shared.context) else { throw .system("no TLS") }
    self.ssl = ssl
    guard SSL_set_fd(ssl, descriptor) == 1, SSL_set1_host(ssl, host) == 1, openssl_set_server_name(ssl, host) == 1 else {
      throw .system("no TLS with \(host)")
    }
    SSL_set_connect_state(ssl)
  }

  deinit { SSL_free(ssl) }

  /// Reads records until there are no more, or `space` has no room for another one.
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

  /// Sends as much as the socket accepts and removes it from `bytes`. Returns false if the connection failed.
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
    return SSL_get_error(ssl, result) == SSL_ERROR_ZERO_RETURN ? "the server closed the connection" : "TLS failed"
  }
}
