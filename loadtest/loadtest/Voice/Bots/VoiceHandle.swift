import RoomRTP
import RoomClient
import Synchronization
import RoomWebRTC

/// The interface of a receiving bot to its signalling.
protocol ReceivingHandle: Sendable {
  var name: String { get }
  var outcome: JoinOutcome { get }
  /// Returns an answer to the server's offer.
  func answer(_ offer: String) throws -> String
  /// Returns an offer to receive, for servers that send the answer.
  func makeOffer(_ codecs: [RTPCodec]) throws -> ViewOffer
  /// Applies the server's answer.
  func accept(_ answer: String, to offer: ViewOffer) throws
}

/// The handle by which signalling controls a voice bot's connection.
final class VoiceHandle: ReceivingHandle {
  let name: String
  let outcome: JoinOutcome
  private let loop: BotLoop
  private let local: TransportParameters
  private let offer: Mutex<PublishOffer>
  private let answering: Mutex<SubscribeAnswer>
  private let link = BotLink<VoiceBot>()

  /// - Parameters:
  ///   - role: the bot's DTLS role, as the session descriptions will state it.
  ///   - voice: the packets to send; nil for a bot that only receives.
  ///   - tones: the tones to detect; nil for a bot that only sends.
  init(
    name: String, settings: BotSettings, role: DTLSRole, voice: [[UInt8]]?, tones: SpokenTones?, loop: BotLoop
  ) throws {
    self.name = name
    self.loop = loop
    let outcome = JoinOutcome(name: name)
    self.outcome = outcome
    let transport = try settings.open(name, role)
    local = transport.local
    var offer = PublishOffer(local: local, cname: name)
    _ = try offer.add(.opus, trackID: "microphone")
    self.offer = Mutex(offer)
    answering = Mutex(SubscribeAnswer(local: local) { $0.name == "opus" })
    let link = link
    loop.post { crew in
      do {
        let bot = VoiceBot(
          session: try transport.session(), socket: transport.socket, voice: voice,
          mixDecoder: try tones.map { try MixDecoder($0) }, outcome: outcome)
        guard crew.add(bot) else { return outcome.failed("epoll failed to add the bot") }
        link.bot = bot
      } catch {
        outcome.failed("\(error)")
      }
    }
  }

  /// Returns an offer to send and, if `hears` is set, to receive on the same m-line.
  func makeOffer(hears: Bool) -> String {
    let text = offer.withLock { $0.makeOffer() }
    return hears ? text.replacing("a=sendonly", with: "a=sendrecv") : text
  }

  /// Applies the server's answer.
  func accept(_ answer: String, hears: Bool) throws {
    let accepted = try offer.withLock { offer in try offer.accept(answer: answer) }
    guard let remote = accepted.remote, !accepted.accepted.isEmpty else {
      throw LoadtestError.refused("the server does not accept the audio of \(name)")
    }
    let senders = accepted.accepted
    // The m-line in the receiving direction is parsed like an answer to a bot that only receives.
    let media = hears ? try ViewOffer(local: local, codecs: [.opus]).accept(answer: answer).media : []
    take { bot, now in
      bot.setSenders(senders, now: now)
      bot.setReceivers(media, now: now)
      bot.setRemote(remote, now: now)
    }
  }

  func answer(_ offer: String) throws -> String {
    let answered = try answering.withLock { answering in try answering.answer(offer) }
    let remote = answered.remoteChanged ? answered.remote : nil
    let media = answered.media
    take { bot, now in
      bot.setReceivers(media, now: now)
      if let remote { bot.setRemote(remote, now: now) }
    }
    return answered.sdp
  }

  func makeOffer(_ codecs: [RTPCodec]) throws -> ViewOffer { try ViewOffer(local: local, codecs: codecs) }

  func accept(_ answer: String, to offer: ViewOffer) throws {
    let accepted = try offer.accept(answer: answer)
    take { bot, now in
      bot.setReceivers(accepted.media, now: now)
      bot.setRemote(accepted.remote, now: now)
    }
  }

  /// Returns what has been received so far; nil for a bot that only sends.
  func report() async -> MixDecoder.Report? {
    let link = link
    return await loop.run { _ in link.bot?.report }
  }

  private func take(_ body: @escaping @Sendable (VoiceBot, Instant) -> Void) {
    let link = link
    loop.post { _ in if let bot = link.bot { body(bot, BotSet.now) } }
  }
}
