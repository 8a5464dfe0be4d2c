import Foundation

/// A certificate authority of a test's own, with files that are removed with it.
public final class CertificateAuthority: Sendable {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString)")
  private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"]

  public init() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await openssl(["-subj", "/CN=Authority", "-keyout", path("authority-key.pem"), "-out", certificate])
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The path of the authority's own certificate.
  public var certificate: String { path("authority.pem") }

  /// Returns the paths of a new certificate for 127.0.0.1 and localhost, and of its key.
  public func issue(_ name: String) async throws -> (certificate: String, key: String) {
    let files = (certificate: path("\(name).pem"), key: path("\(name)-key.pem"))
    try await openssl([
      "-CA", certificate, "-CAkey", path("authority-key.pem"), "-subj", "/CN=\(name)", "-addext",
      "subjectAltName=IP:127.0.0.1,DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", files.key,
      "-out",
      files.certificate,
    ])
    return files
  }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  private func openssl(_ arguments: [String]) async throws {
    let made = try Program("openssl", ["req", "-x509"] + Self.newKey + arguments)
    guard try await made.finish() == 0 else { throw ProgramFailure(what: made.text) }
  }
}
