import Foundation
import Logging
import Synchronization

/// The certificate of new connections. The certificate is reloaded when its files change, so that a renewal needs no restart.
package final class CurrentCertificate: Sendable {
  private struct State {
    var certificate: ServerCertificate
    /// The error of the last check, so that it is logged once.
    var loadError: String?
  }

  private let settings: TLSSettings
  private let state: Mutex<State>
  private let log: Logger

  /// - Throws: `CertificateError` if the files do not contain a certificate with its key.
  package init(_ settings: TLSSettings, log: Logger) throws(CertificateError) {
    self.settings = settings
    self.log = log
    state = Mutex(State(certificate: try ServerCertificate(try ServerCertificate.PEM(settings), named: settings)))
  }

  package var certificate: ServerCertificate { state.withLock { $0.certificate } }

  /// Checks the files regularly until the task is cancelled.
  package func watch() async {
    while (try? await Task.sleep(for: settings.checkInterval)) != nil { check() }
  }

  /// Loads the files if they contain another, usable certificate.
  func check() {
    do throws(CertificateError) {
      let pem = try ServerCertificate.PEM(settings)
      guard pem != certificate.pem else { return state.withLock { $0.loadError = nil } }
      let renewed = try ServerCertificate(pem, named: settings)
      state.withLock { $0 = State(certificate: renewed) }
      log.info("certificate renewed", metadata: ["expires": "\(renewed.expires.ISO8601Format())"])
    } catch {
      // The files may be replaced one after the other: the old certificate stays in use meanwhile.
      let loadError = "\(error)"
      let isNew = state.withLock { state in
        defer { state.loadError = loadError }
        return state.loadError != loadError
      }
      if isNew { log.error("certificate not renewed", metadata: ["reason": "\(loadError)"]) }
    }
  }
}
