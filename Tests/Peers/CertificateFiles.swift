import Foundation

/// A certificate for localhost and its key, as files that are gone with this.
public final class CertificateFiles: Sendable {
  private let directory = FileManager.default.temporaryDirectory.appending(path: "certificate-\(UUID().uuidString)")

  /// Those of ``SelfSigned``.
  public init() throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try write(certificate: SelfSigned.certificateText, key: SelfSigned.keyText)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  /// The files' paths.
  public var certificate: String { path("fullchain.pem") }
  public var key: String { path("privkey.pem") }

  private func path(_ name: String) -> String { directory.appending(path: name).path }

  /// Nil leaves a file as it is.
  public func write(certificate text: String? = nil, key keyText: String? = nil) throws {
    try text?.write(toFile: certificate, atomically: true, encoding: .utf8)
    try keyText?.write(toFile: key, atomically: true, encoding: .utf8)
  }

  public func removeKey() throws { try FileManager.default.removeItem(atPath: key) }

  /// What somebody else's certificate and key say.
  public func other() async throws -> (certificate: String, key: String) {
    let (certificate, key) = (path("other.pem"), path("other-key.pem"))
    let made = try Program(
      "openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=localhost", "-addext",
        "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
      ])
    guard try await made.finish() == 0 else { throw ProgramFailure(what: made.text) }
    return (try String(contentsOfFile: certificate, encoding: .utf8), try String(contentsOfFile: key, encoding: .utf8))
  }
}
