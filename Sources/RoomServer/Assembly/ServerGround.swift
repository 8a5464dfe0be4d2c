import Logging
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomProtocol
import RoomToken

/// What a server has before its first part starts: its configuration, checked, and the state that all parts share.
package struct ServerGround: Sendable {
  package let configuration: ServerConfiguration
  package let keys: TokenKeys
  /// The tokens of kicked users. Behind a lock: a token must be invalid before the kick is reported.
  package let kicked: Guarded<KickedTokens>
  /// What lists show of each open room.
  package let summaries = Guarded<[RoomName: RoomSummary]>([:])
  package let counters = ServerCounters()
  /// The locked data directory; nil stores nothing.
  package let data: DataDirectory?
  /// Nil without TLS.
  package let certificate: CurrentCertificate?
  package let log: Logger

  package init(_ configuration: ServerConfiguration, log: Logger) throws(StartError) {
    guard !configuration.keys.isEmpty else { throw .noKeys }
    if let reason = configuration.iceServers.lazy.compactMap(\.validationError).first { throw .iceServer(reason: reason) }
    if let reason = configuration.relay.recordings?.validationError { throw .recordings(reason: reason) }
    if let reason = configuration.uploads?.validationError { throw .uploads(reason: reason) }
    if let reason = configuration.webhooks.validationError { throw .webhooks(reason: reason) }
    do throws(CertificateError) {
      certificate = if let tls = configuration.tls { try CurrentCertificate(tls, log: log) } else { nil }
    } catch {
      throw .certificate(reason: "\(error)")
    }
    data = if let path = configuration.data { try DataDirectory(path) } else { nil }
    do {
      keys = try TokenKeys(configuration.keys.mapValues(\.value), signing: configuration.signingKey)
    } catch {
      if case .secretTooShort(let key, _) = error { throw .shortSecret(key: key) }
      throw .noKeys
    }
    kicked = Guarded(KickedTokens(capacity: configuration.limits.kickedTokens))
    self.configuration = configuration
    self.log = log
  }
}
