import ArgumentParser
import RoomWebRTC

/// The servers whose voice mixing can be measured.
enum VoiceServerKind: String, Sendable, CaseIterable, Codable, ExpressibleByArgument {
  /// This server: one mix for all listeners, and for each speaker the mix without their own voice.
  case roomserver
  /// Janus with its audiobridge plugin.
  case janus
}

/// A room of one server that mixes voices, and the calls by which bots join it.
protocol VoiceTarget: Sendable {
  /// Whether speakers receive on the connection on which they send.
  var hasOneConnection: Bool { get }
  /// The bots' DTLS role on connections that send, and on those that only receive.
  var speakerRole: DTLSRole { get }
  var listenerRole: DTLSRole { get }

  /// Prepares the room for speakers with these names.
  func open(_ speakers: [String]) async throws
  /// Connects a speaker. It receives on its own connection if the server uses a single one, otherwise on `mixDecoder`.
  func speak(_ speaker: VoiceHandle, mixDecoder: VoiceHandle?) async throws -> any BotSession
  /// Connects a listener that receives everyone.
  func listen(_ listener: any ReceivingHandle) async throws -> any BotSession
}
