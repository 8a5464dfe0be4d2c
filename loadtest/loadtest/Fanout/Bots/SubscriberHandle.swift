import RoomRTP
import RoomClient
import Synchronization
import RoomWebRTC

/// The handle by which signalling controls a subscriber: answers the server's offers or creates its own, and passes the result
/// to the bot on its loop.
final class SubscriberHandle: ReceivingHandle {
  let name: String
  let outcome: JoinOutcome
  private let loop: BotLoop
  private let local: TransportParameters
  private let answering: Mutex<SubscribeAnswer>
  private let link = BotLink<SubscriberBot>()
  private let network: LossyNetwork?

  /// - Parameters:
  ///   - role: the bot's DTLS role, as the session descriptions will state it.
  ///   - codecs: names of the codecs that it accepts.
  ///   - network: the lossy network between the bot and the server.
  init(
    name: String, settings: BotSettings, controlling: Bool, role: DTLSRole = .client, codecs: Set<String> = ["vp8", "opus"],
    network: LossyNetwork? = nil, loop: BotLoop
  ) throws {
    self.name = name
    self.loop = loop
    self.network = network
    let outcome = JoinOutcome(name: name)
    self.outcome = outcome
    let transport = try settings.open(name, role)
    local = transport.local
    answering = Mutex(SubscribeAnswer(local: local) { codecs.contains($0.name) })
    let link = link
    loop.post { crew in
      do {
        let bot = SubscriberBot(
          peer: try transport.peer(controlling: controlling), socket: transport.socket, outcome: outcome,
          feedbackInterval: settings.feedbackInterval)
        guard crew.add(bot) else { return outcome.failed("epoll failed to add the bot") }
        link.bot = bot
      } catch {
        outcome.failed("\(error)")
      }
    }
  }

  /// Returns an answer to the server's offer.
  func answer(_ offer: String) throws -> String {
    let answered = try answering.withLock { answering in try answering.answer(offer) }
    take(answered.media, answered.remoteChanged ? answered.remote : nil)
    return answered.sdp
  }

  /// Returns an offer to receive, for servers that send the answer.
  func makeOffer(_ codecs: [RTPCodec] = [.opus, .vp8]) throws -> ViewOffer { try ViewOffer(local: local, codecs: codecs) }

  /// Applies the server's answer.
  func accept(_ answer: String, to offer: ViewOffer) throws {
    let accepted = try offer.accept(answer: answer)
    take(accepted.media, accepted.remote)
  }

  /// Returns what was received since the last call, or nil before the bot exists.
  func takeSlice() async -> SubscriberBot.Slice? {
    let link = link
    return await loop.run { _ in link.bot?.takeSlice(now: BotSet.now) }
  }

  /// Closes the connection.
  func close() async {
    let link = link
    await loop.run { crew in
      if let bot = link.bot { crew.remove(bot) }
      link.bot = nil
    }
  }

  private func take(_ media: [RTPParameters], _ remote: TransportParameters?) {
    let remote = remote.map { network?.detour(for: $0) ?? $0 }
    let link = link
    loop.post { _ in
      link.bot?.setMedia(media)
      if let remote { link.bot?.setRemote(remote, now: BotSet.now) }
    }
  }
}
