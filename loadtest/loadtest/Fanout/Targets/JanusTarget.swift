import Foundation
import RoomClient
import Synchronization
import WebRTC

/// A room of Janus' videoroom plugin, by the WebSocket API (https://janus.conf.meetecho.com/docs/videoroom.html).
final class JanusTarget: FanoutTarget {
  let url: String
  private let room: Int
  private let publishers: Int
  /// The ids that Janus gave the publishers, whose streams a subscriber asks for.
  private let feeds = Mutex<[UInt64]>([])
  private let owner = Mutex<JanusSeat?>(nil)

  // Janus answers an offer of "actpass" with "active".
  let publisherRole = DTLSRole.server
  // Janus offers, and runs a full agent.
  let subscriberControlsICE = false

  init(url: String, room: Int, publishers: Int) {
    self.url = url
    self.room = room
    self.publishers = publishers
  }

  func open() async throws {
    let seat = try await JanusSeat(url)
    _ = try await seat.ask(
      JanusBody(
        request: "create", room: room, publishers: publishers, bitrate: 0, audiocodec: "opus", videocodec: "vp8",
        fir_freq: 0, notify_joining: false))
    owner.withLock { $0 = seat }
  }

  func publish(_ publisher: PublisherEnd) async throws -> any BotSeat {
    let seat = try await JanusSeat(url)
    let body = JanusBody(request: "joinandconfigure", room: room, ptype: "publisher", display: publisher.name)
    let (event, answer) = try await seat.negotiate(body, JanusDescription(type: "offer", sdp: publisher.makeOffer()))
    guard let id = event.id else { throw FanoutError.refused("Janus gave the publisher no id") }
    try publisher.accept(answer.sdp)
    feeds.withLock { $0.append(id) }
    await seat.attend()
    return seat
  }

  func subscribe(_ subscriber: SubscriberEnd) async throws -> any BotSeat {
    let seat = try await JanusSeat(url)
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

/// A session of Janus with one handle of the videoroom plugin, on a socket of its own as every client has.
private actor JanusSeat: BotSeat {
  /// Janus forgets a session after 60 s of silence.
  private static let keepAlive = Duration.seconds(25)

  private let socket: MessageSocket
  private var session: UInt64?
  private var handle: UInt64?
  private var count = 0
  private var tasks: [Task<Void, Never>] = []

  init(_ url: String) async throws {
    socket = try await MessageSocket.open(url, subprotocol: "janus-protocol")
    try send(JanusRequest(janus: "create"))
    session = try await reply().data?.id
    try send(JanusRequest(janus: "attach", plugin: "janus.plugin.videoroom"))
    handle = try await reply().data?.id
  }

  /// A request that is answered at once.
  func ask(_ body: JanusBody) async throws -> JanusReply {
    try send(body)
    return try await reply()
  }

  /// A request that is acknowledged, and answered by an event with a description.
  func negotiate(_ body: JanusBody, _ jsep: JanusDescription?) async throws -> (JanusPluginData, JanusDescription) {
    try send(body, jsep)
    while true {
      let reply = try await reply()
      if let data = reply.plugindata?.data, let description = reply.jsep { return (data, description) }
    }
  }

  func send(_ body: JanusBody, _ jsep: JanusDescription? = nil) throws {
    try send(JanusRequest(janus: "message", body: body, jsep: jsep))
  }

  private func send(_ request: JanusRequest) throws {
    var request = request
    count += 1
    request.transaction = "\(count)"
    request.session_id = session
    request.handle_id = request.janus == "keepalive" ? nil : handle
    try socket.send(request)
  }

  /// The next message that is more than an acknowledgement or news of the transport.
  private func reply() async throws -> JanusReply {
    while let text = await socket.next() {
      let reply = try JSONDecoder().decode(JanusReply.self, from: text)
      if let error = reply.error { throw FanoutError.refused("Janus: \(error.reason) (\(error.code))") }
      if let error = reply.plugindata?.data?.error { throw FanoutError.refused("Janus: \(error)") }
      if reply.janus == "success" || reply.janus == "event" { return reply }
    }
    throw FanoutError.refused("Janus closed the socket")
  }

  /// Reads from now on, so that nothing piles up, and keeps the session alive.
  func attend() {
    tasks = [
      Task { [socket] in while await socket.next() != nil {} },
      Task { [weak self] in
        while (try? await Task.sleep(for: Self.keepAlive)) != nil {
          try? await self?.send(JanusRequest(janus: "keepalive"))
        }
      },
    ]
  }

  func leave() {
    for task in tasks { task.cancel() }
    try? send(JanusRequest(janus: "destroy"))
    socket.close()
  }
}

// The names of these are Janus'.

private struct JanusRequest: Encodable, Sendable {
  var janus: String
  var transaction = ""
  var session_id: UInt64?
  var handle_id: UInt64?
  var plugin: String?
  var body: JanusBody?
  var jsep: JanusDescription?

  init(janus: String, plugin: String? = nil, body: JanusBody? = nil, jsep: JanusDescription? = nil) {
    self.janus = janus
    self.plugin = plugin
    self.body = body
    self.jsep = jsep
  }
}

private struct JanusBody: Encodable, Sendable {
  struct Stream: Encodable, Sendable { var feed: UInt64 }

  var request: String
  var room: Int
  var ptype: String?
  var display: String?
  var streams: [Stream]?
  var publishers: Int?
  /// 0 asks no publisher to send less.
  var bitrate: Int?
  var audiocodec: String?
  var videocodec: String?
  /// Seconds between key frames that Janus asks for by itself; 0 for none.
  var fir_freq: Int?
  var notify_joining: Bool?
}

private struct JanusDescription: Codable, Sendable {
  var type: String
  var sdp: String
}

private struct JanusPluginData: Decodable, Sendable {
  /// The publisher's.
  var id: UInt64?
  var error: String?
}

private struct JanusReply: Decodable, Sendable {
  struct Identifier: Decodable, Sendable { var id: UInt64? }
  struct Failure: Decodable, Sendable {
    var code: Int
    var reason: String
  }
  struct Plugin: Decodable, Sendable { var data: JanusPluginData? }

  var janus: String
  var data: Identifier?
  var error: Failure?
  var plugindata: Plugin?
  var jsep: JanusDescription?
}
