import Foundation

/// A certificate for localhost and its key, in files that are removed with the object.
public final class CertificateFiles: Sendable {
  private let directory = FileManager.default.temporaryDirectory.appending(path: "certificate-\(UUID().uuidString)")

  /// Creates the files with the certificate and key of ``SelfSigned``.
  public init() throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try write(certificate: SelfSigned.certificateText, key: SelfSigned.keyText)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// The path of the certificate; the next property is that of the key.
  public var certificate: String { path("fullchain.pem") }
  public var key: String { path("privkey.pem") }

  private func path(_ name: String) -> String { directory.appending(path: name).path }

  /// Overwrites the files; nil leaves a file unchanged.
  public func write(certificate text: String? = nil, key keyText: String? = nil) throws {
    try text?.write(toFile: certificate, atomically: true, encoding: .utf8)
    try keyText?.write(toFile: key, atomically: true, encoding: .utf8)
  }

  public func removeKey() throws { try FileManager.default.removeItem(atPath: key) }

  /// Returns a different certificate and its key.
  public func other(days: Int = 30) async throws -> (certificate: String, key: String) {
    let (certificate, key) = (path("other.pem"), path("other-key.pem"))
    let made = try Program(
      "openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "\(days)", "-subj", "/CN=localhost", "-addext",
        "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
      ])
    guard try await made.finish() == 0 else { throw ProgramFailure(what: made.text) }
    return (try String(contentsOfFile: certificate, encoding: .utf8), try String(contentsOfFile: key, encoding: .utf8))
  }
}
