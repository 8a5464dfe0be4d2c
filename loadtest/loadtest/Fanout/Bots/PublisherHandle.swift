import RoomRTP
import RoomClient
import Synchronization
import RoomWebRTC

/// The handle by which signalling controls a publisher.
final class PublisherHandle: Sendable {
  let name: String
  private let loop: BotLoop
  private let offer: Mutex<PublishOffer>
  private let layers: SimulcastOffer
  private let link = BotLink<PublisherBot>()
  private let connection: AsyncThrowingStream<Void, any Error>

  /// - Parameters:
  ///   - layers: the layers of the video, the smallest first; a single one is no simulcast.
  ///   - asTracks: whether each layer is a track of its own, for a server without simulcast.
  ///   - role: the bot's DTLS role, as the server's answers will state it.
  init(
    name: String, settings: BotSettings, layers: [RecordedMedia], asTracks: Bool = false, role: DTLSRole, loop: BotLoop
  ) throws {
    self.name = name
    self.loop = loop
    let transport = try settings.open(name, role)
    var offer = PublishOffer(local: transport.local, cname: name)
    _ = try offer.add(.opus, trackID: "microphone")
    let video = try offer.add(.vp8, trackID: "camera")
    self.layers = SimulcastOffer(video, count: asTracks ? 1 : layers.count)
    if asTracks { for layer in layers.indices.dropFirst() { _ = try offer.add(.vp8, trackID: "camera-\(layer)") } }
    self.offer = Mutex(offer)
    let (connection, reached) = AsyncThrowingStream.makeStream(of: Void.self)
    self.connection = connection
    let link = link
    loop.post { crew in
      do {
        let bot = PublisherBot(session: try transport.session(), socket: transport.socket, layers: layers) { result in
          switch result {
          case .success: reached.yield()
          case .failure(let error): reached.finish(throwing: error)
          }
        }
        guard crew.add(bot) else { return reached.finish(throwing: LoadtestError.system("epoll failed to add \(name)")) }
        link.bot = bot
      } catch {
        reached.finish(throwing: error)
      }
    }
  }

  /// Returns an offer with one audio m-line, mid "0", and one video m-line, mid "1".
  func makeOffer() -> String { layers.announce(in: offer.withLock { $0.makeOffer() }) }

  /// Applies the server's answer.
  func accept(_ answer: String) throws {
    let accepted = try offer.withLock { offer in try offer.accept(answer: answer) }
    guard let remote = accepted.remote else { throw LoadtestError.refused("the server rejected every m-line of \(name)") }
    let senders = layers.senders(accepted.accepted)
    let link = link
    loop.post { _ in link.bot?.accept(remote, senders: senders, now: BotSet.now) }
  }

  /// Returns once media can be sent.
  func connected() async throws {
    for try await _ in connection { return }
    throw LoadtestError.noMedia("\(name) was not connected")
  }

  /// Returns how late each picture was sent so far, in milliseconds.
  func lateness() async -> [Double] {
    let link = link
    return await loop.run { _ in link.bot?.lateness ?? [] }
  }

  /// Returns the number of RTP packets sent so far.
  func sent() async -> Int {
    let link = link
    return await loop.run { _ in link.bot?.sent ?? 0 }
  }
}
