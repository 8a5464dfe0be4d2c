import NIOCore
import RoomCOpenSSL

/// One side of a TLS connection over OpenSSL's memory BIOs (RFC 8446, RFC 5246): bytes of both sides in, bytes for both sides out.
final class TLSSession {
  private(set) var isOpen = false
  /// Whether the peer sent its close_notify.
  private(set) var isEnded = false

  private let ssl: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer

  /// - Parameter host: the name or address that the server's certificate must have.
  init(_ context: TLSContext, host: String? = nil) throws(TLSError) {
    guard let ssl = SSL_new(context.context), let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
      throw .handshake("SSL_new")
    }
    openssl_bio_set_mem_eof_return(input, -1)
    openssl_bio_set_mem_eof_return(output, -1)
    SSL_set_bio(ssl, input, output)
    (self.ssl, self.input, self.output) = (ssl, input, output)
    if context.isServer {
      SSL_set_accept_state(ssl)
      return
    }
    SSL_set_connect_state(ssl)
    guard let host else { return }
    let rules = SSL_get0_param(ssl)
    let isNamed =
      !context.checksNames || X509_VERIFY_PARAM_set1_ip_asc(rules, host) == 1
      || X509_VERIFY_PARAM_set1_host(rules, host, 0) == 1
    guard openssl_set_server_name(ssl, host) == 1, isNamed else { throw .handshake("no name of a server: \(host)") }
  }

  deinit { SSL_free(ssl) }

  /// Takes bytes of the peer.
  func receive(_ bytes: ByteBuffer) throws(TLSError) {
    let taken = bytes.withUnsafeReadableBytes { bytes in
      var written = 0
      return bytes.isEmpty || BIO_write_ex(input, bytes.baseAddress, bytes.count, &written) == 1 && written == bytes.count
    }
    if !taken { throw .broken("no memory") }
  }

  /// Continues the handshake as far as the peer's bytes reach.
  func shakeHands() throws(TLSError) {
    guard !isOpen else { return }
    ERR_clear_error()
    let result = SSL_do_handshake(ssl)
    if result == 1 {
      isOpen = true
    } else if SSL_get_error(ssl, result) != SSL_ERROR_WANT_READ {
      let verdict = SSL_get_verify_result(ssl)
      guard verdict == X509_V_OK else { throw .untrusted(String(cString: X509_verify_cert_error_string(verdict))) }
      throw .handshake(Self.reason())
    }
  }

  /// Decrypts what has arrived.
  func read(into plain: inout ByteBuffer) throws(TLSError) {
    while isOpen, !isEnded {
      ERR_clear_error()
      var result: CInt = 0
      plain.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.record) { room in
        var count = 0
        result = SSL_read_ex(ssl, room.baseAddress, room.count, &count)
        return result == 1 ? count : 0
      }
      guard result != 1 else { continue }
      switch SSL_get_error(ssl, result) {
      case SSL_ERROR_WANT_READ: return
      case SSL_ERROR_ZERO_RETURN: isEnded = true
      default: throw .broken(Self.reason())
      }
    }
  }

  /// Encrypts bytes of the application.
  func write(_ plain: ByteBuffer) throws(TLSError) {
    guard plain.readableBytes > 0 else { return }
    ERR_clear_error()
    let isWritten = plain.withUnsafeReadableBytes { bytes in
      var count = 0
      return SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count) == 1
    }
    guard isWritten else { throw .broken(Self.reason()) }
  }

  /// Ends this side's data by a close_notify.
  func end() {
    guard isOpen else { return }
    ERR_clear_error()
    _ = SSL_shutdown(ssl)
  }

  /// Returns the bytes for the peer, or nil if there are none.
  func takeOutput(_ allocator: ByteBufferAllocator) -> ByteBuffer? {
    let count = BIO_ctrl_pending(output)
    guard count > 0 else { return nil }
    var bytes = allocator.buffer(capacity: count)
    bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
      var read = 0
      return BIO_read_ex(output, room.baseAddress, room.count, &read) == 1 ? read : 0
    }
    return bytes
  }

  /// The plain bytes of the largest record (RFC 8446 §5.1).
  private static let record = 16_384

  /// OpenSSL's words for the last error.
  private static func reason() -> String {
    guard let words = ERR_reason_error_string(ERR_get_error()) else { return "unknown reason" }
    return String(cString: words)
  }
}
