import RoomClient
import RoomRTP
import RoomWebRTC

/// Settings that all bots of a run share.
struct BotSettings: Sendable {
  var certificate: Certificate
  var profiles: [SRTPProfile]
  /// Interval of the subscribers' transport-wide feedback, in microseconds; 0 sends none.
  var feedbackInterval: Int64

  /// Opens a socket for a bot and creates its side of the transport.
  /// - Parameter role: the bot's DTLS role, as the session descriptions will state it.
  func open(_ name: String, _ role: DTLSRole) throws -> BotTransport {
    guard let socket = UDPSocket() else { throw LoadtestError.system("can't open a UDP socket for \(name)") }
    let local = TransportParameters(credentials: .random(), fingerprints: [certificate.fingerprint], role: role)
    return BotTransport(name: name, role: role, socket: socket, local: local, settings: self)
  }
}

/// A bot's socket and its side of the transport.
struct BotTransport: Sendable {
  let name: String
  let role: DTLSRole
  let socket: UDPSocket
  let local: TransportParameters
  let settings: BotSettings

  /// Returns the session of a bot that sends.
  func session() throws -> MediaSession {
    try MediaSession(
      .init(
        ice: .full(controlling: true), role: role, certificate: settings.certificate, credentials: local.credentials,
        profiles: settings.profiles, bandwidth: PublisherBot.bandwidth, cname: name))
  }

  /// Returns the peer of a bot that only receives.
  func peer(controlling: Bool) throws -> Peer {
    try Peer(
      .init(
        ice: .full(controlling: controlling), role: role, certificate: settings.certificate,
        credentials: local.credentials, profiles: settings.profiles))
  }
}

/// Refers to a bot in commands of its loop. Safe to share, because `bot` is set, read and used only in commands, all of which
/// run on the thread of the bot's loop.
final class BotLink<Bot: AnyObject>: @unchecked Sendable {
  var bot: Bot?
}
