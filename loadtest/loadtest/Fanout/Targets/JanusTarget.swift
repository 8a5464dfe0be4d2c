import Foundation
import RoomClient
import Synchronization
import RoomWebRTC

/// A room of Janus' videoroom plugin, over the WebSocket API (https://janus.conf.meetecho.com/docs/videoroom.html).
final class JanusTarget: FanoutTarget {
  static let plugin = "videoroom"

  let url: String
  let room: Int
  private let publishers: Int
  /// The publishers' ids, assigned by Janus. A subscriber requests their streams.
  private let feeds = Mutex<[UInt64]>([])
  private let owner = Mutex<JanusSession?>(nil)

  /// The publishers' ids so far.
  var feedIDs: [UInt64] { feeds.withLock { $0 } }

  // Janus answers an offer of "actpass" with "active".
  let publisherRole = DTLSRole.server
  // Janus sends the offer and is a full ICE agent.
  let subscriberControlsICE = false

  init(url: String, room: Int, publishers: Int) {
    self.url = url
    self.room = room
    self.publishers = publishers
  }

  func open() async throws {
    let seat = try await JanusSession(url, plugin: Self.plugin)
    _ = try await seat.ask(
      JanusBody(
        request: "create", room: room, publishers: publishers, bitrate: 0, audiocodec: "opus", videocodec: "vp8",
        fir_freq: 0, notify_joining: false))
    owner.withLock { $0 = seat }
  }

  func publish(_ publisher: PublisherHandle) async throws -> any BotSession {
    let seat = try await JanusSession(url, plugin: Self.plugin)
    let body = JanusBody(request: "joinandconfigure", room: room, ptype: "publisher", display: publisher.name)
    let (event, answer) = try await seat.negotiate(body, JanusDescription(type: "offer", sdp: publisher.makeOffer()))
    guard let id = event.id else { throw LoadtestError.refused("Janus did not assign an id to the publisher") }
    try publisher.accept(answer.sdp)
    feeds.withLock { $0.append(id) }
    await seat.attend()
    return seat
  }

  func subscribe(_ subscriber: SubscriberHandle) async throws -> any BotSession {
    let seat = try await JanusSession(url, plugin: Self.plugin)
    let streams = feeds.withLock { $0 }.map { JanusBody.Stream(feed: $0) }
    subscriber.outcome.begin()
    let (_, offer) = try await seat.negotiate(
      JanusBody(request: "join", room: room, ptype: "subscriber", streams: streams), nil)
    let answer = JanusDescription(type: "answer", sdp: try subscriber.answer(offer.sdp))
    try await seat.send(JanusBody(request: "start", room: room), answer)
    await seat.attend()
    return seat
  }
}
