import ArgumentParser
import WebRTC

/// The servers that can mix voices.
enum VoiceServerKind: String, Sendable, CaseIterable, Codable, ExpressibleByArgument {
  /// This server: one mix for all who listen, and for each speaker the mix without its own voice.
  case roomserver
  /// Janus with its audiobridge plugin.
  case janus
}

/// A room of one server in which voices are mixed, and how bots get in.
protocol VoiceTarget: Sendable {
  /// Whether speakers hear on the connection on which they speak.
  var hasOneConnection: Bool { get }
  /// The end of DTLS that bots have on connections to speak, and on those to hear alone.
  var speakerRole: DTLSRole { get }
  var listenerRole: DTLSRole { get }

  /// Makes the room ready for speakers of these names.
  func open(_ speakers: [String]) async throws
  /// Lets a speaker in. Where it has one connection, it hears by that, else by `ear`.
  func speak(_ speaker: VoiceEnd, ear: VoiceEnd?) async throws -> any BotSeat
  /// Lets somebody in who hears everyone.
  func listen(_ listener: any ReceivingEnd) async throws -> any BotSeat
}
