import RoomWebRTC

/// A room of Janus' audiobridge plugin, over the WebSocket API (https://janus.conf.meetecho.com/docs/audiobridge.html). Each
/// participant gets an individually encoded mix; a listener is muted and sends nothing.
struct JanusBridge: VoiceTarget {
  static let plugin = "audiobridge"

  let url: String
  /// Janus identifies rooms by numbers and keeps them until it exits.
  private let room = Int.random(in: 100_000..<1_000_000_000)
  /// Sampling rate of the mix, in Hz.
  let samplingRate: Int
  /// Bitrate of each mix, in kbps.
  let kbps: Int

  init(url: String, samplingRate: Int, kbps: Int) {
    self.url = url
    self.samplingRate = samplingRate
    self.kbps = kbps
  }

  let hasOneConnection = true
  // Janus answers an offer of "actpass" with "active".
  let speakerRole = DTLSRole.server
  let listenerRole = DTLSRole.server

  func open(_: [String]) async throws {
    let seat = try await JanusSession(url, plugin: Self.plugin)
    _ = try await seat.ask(
      JanusBody(request: "create", room: room, sampling_rate: samplingRate, default_bitrate: kbps * 1000))
    // The room outlives the session that created it.
    await seat.leave()
  }

  func speak(_ speaker: VoiceHandle, mixDecoder _: VoiceHandle?) async throws -> any BotSession {
    let seat = try await join(speaker.name, isMuted: false)
    speaker.outcome.begin()
    let (_, answer) = try await seat.negotiate(
      JanusBody(request: "configure", room: room, muted: false),
      JanusDescription(type: "offer", sdp: speaker.makeOffer(hears: true)))
    try speaker.accept(answer.sdp, hears: true)
    await seat.attend()
    return seat
  }

  func listen(_ listener: any ReceivingHandle) async throws -> any BotSession {
    listener.outcome.begin()
    let seat = try await join(listener.name, isMuted: true)
    let offer = try listener.makeOffer([.opus])
    let (_, answer) = try await seat.negotiate(
      JanusBody(request: "configure", room: room, muted: true), JanusDescription(type: "offer", sdp: offer.sdp))
    try listener.accept(answer.sdp, to: offer)
    await seat.attend()
    return seat
  }

  private func join(_ name: String, isMuted: Bool) async throws -> JanusSession {
    let seat = try await JanusSession(url, plugin: Self.plugin)
    _ = try await seat.ask(JanusBody(request: "join", room: room, display: name, muted: isMuted))
    return seat
  }
}
