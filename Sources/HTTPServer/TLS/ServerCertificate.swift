import RoomCGnuTLS
import Foundation
import RoomTLS

/// A certificate with its key, for the two TLS libraries in use: GnuTLS in libmicrohttpd, OpenSSL for RTMPS.
///
/// Sendable: nothing changes after `init`, and GnuTLS lets many sessions read the same credentials.
package final class ServerCertificate: @unchecked Sendable {
  /// The contents of the files.
  struct PEM: Equatable {
    /// Zero-terminated, as C requires.
    let certificate: [UInt8]
    let key: [UInt8]

    init(_ settings: TLSSettings) throws(CertificateError) {
      certificate = try Self.text(of: settings.certificate)
      key = try Self.text(of: settings.key)
    }

    /// The maximum size of a file in bytes: more than any certificate with its chain.
    private static let limit = 1 << 20

    private static func text(of path: String) throws(CertificateError) -> [UInt8] {
      guard let data = FileManager.default.contents(atPath: path) else { throw .unreadable(path) }
      guard data.count <= limit, !data.contains(0) else { throw .noPEM(path) }
      return data + [0]
    }
  }

  let pem: PEM
  package let expires: Date
  /// The context of RTMPS.
  package let context: TLSContext
  private let credentials: gnutls_certificate_credentials_t

  /// - Throws: if the files are not PEM, or the key does not match the certificate.
  init(_ pem: PEM, named settings: TLSSettings) throws(CertificateError) {
    self.pem = pem
    do throws(TLSError) {
      context = try TLSContext(certificates: pem.certificate.dropLast(), key: pem.key.dropLast())
    } catch .otherKey {
      throw .otherKey(settings.key)
    } catch {
      throw .noPEM(error == .unusableKey ? settings.key : settings.certificate)
    }
    guard let end = context.expires else { throw .noPEM(settings.certificate) }
    expires = end

    var made: gnutls_certificate_credentials_t?
    guard gnutls_certificate_allocate_credentials(&made) == 0, let made else { throw .gnutls("no memory") }
    let result = pem.certificate.withUnsafeBytes { certificate in
      pem.key.withUnsafeBytes { key in
        var certificate = Self.datum(certificate)
        var key = Self.datum(key)
        return gnutls_certificate_set_x509_key_mem2(made, &certificate, &key, GNUTLS_X509_FMT_PEM, nil, 0)
      }
    }
    guard result >= 0 else {
      gnutls_certificate_free_credentials(made)
      throw .gnutls(String(cString: gnutls_strerror(result)))
    }
    credentials = made
  }

  deinit { gnutls_certificate_free_credentials(credentials) }

  /// Returns the text without its zero. GnuTLS only reads it, although the type is mutable.
  private static func datum(_ text: UnsafeRawBufferPointer) -> gnutls_datum_t {
    gnutls_datum_t(
      data: UnsafeMutablePointer(mutating: text.bindMemory(to: UInt8.self).baseAddress), size: UInt32(text.count - 1))
  }

  /// Sets the certificate of a GnuTLS session. The session must end before this object is released.
  func serve(_ session: gnutls_session_t) {
    gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
  }
}

/// Why a certificate is not usable.
package enum CertificateError: Error, CustomStringConvertible {
  case unreadable(String)
  case noPEM(String)
  case otherKey(String)
  case gnutls(String)

  package var description: String {
    switch self {
    case .unreadable(let path): "\(path) can't be read"
    case .noPEM(let path): "\(path) is not a PEM file of the required kind; a key must have no passphrase"
    case .otherKey(let path): "\(path) is not the key of the certificate"
    case .gnutls(let reason): "GnuTLS rejects it: \(reason)"
    }
  }
}
