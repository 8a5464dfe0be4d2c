import Foundation

/// A Janus session with one plugin handle, on a socket of its own, as every client has.
actor JanusSession: BotSession {
  /// Janus discards a session after 60 s without messages.
  private static let keepAlive = Duration.seconds(25)

  private let socket: MessageSocket
  private var session: UInt64?
  private var handle: UInt64?
  private var count = 0
  private var tasks: [Task<Void, Never>] = []

  /// - Parameter plugin: "videoroom" or "audiobridge".
  init(_ url: String, plugin: String) async throws {
    socket = try await MessageSocket.open(url, subprotocol: "janus-protocol")
    try send(JanusRequest(janus: "create"))
    session = try await reply().data?.id
    try send(JanusRequest(janus: "attach", plugin: "janus.plugin.\(plugin)"))
    handle = try await reply().data?.id
  }

  /// Sends a request that is answered at once.
  func ask(_ body: JanusBody) async throws -> JanusReply {
    try send(body)
    return try await reply()
  }

  /// Sends a request that is acknowledged, and later answered by an event with a session description.
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

  /// Returns the next message that is not an acknowledgement or a transport event.
  private func reply() async throws -> JanusReply {
    while let text = await socket.next() {
      let reply = try JSONDecoder().decode(JanusReply.self, from: text)
      if let error = reply.error { throw LoadtestError.refused("Janus: \(error.reason) (\(error.code))") }
      if let error = reply.plugindata?.data?.error { throw LoadtestError.refused("Janus: \(error)") }
      if reply.janus == "success" || reply.janus == "event" { return reply }
    }
    throw LoadtestError.refused("Janus closed the socket")
  }

  /// Starts to read, so that messages don't accumulate, and keeps the session alive.
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

// Property names are those of the Janus API.

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

struct JanusBody: Encodable, Sendable {
  struct Stream: Encodable, Sendable { var feed: UInt64 }

  var request: String
  var room: Int
  var ptype: String?
  var display: String?
  var streams: [Stream]?
  var publishers: Int?
  /// 0 sets no bitrate limit for publishers.
  var bitrate: Int?
  var audiocodec: String?
  var videocodec: String?
  /// Interval in seconds at which Janus requests key frames; 0 disables it.
  var fir_freq: Int?
  var notify_joining: Bool?
  /// For audiobridge: the mix's sampling rate in Hz, and the bitrate of each encoder in bps.
  var sampling_rate: Int?
  var default_bitrate: Int?
  var muted: Bool?
}

struct JanusDescription: Codable, Sendable {
  var type: String
  var sdp: String
}

struct JanusPluginData: Decodable, Sendable {
  /// The publisher's id.
  var id: UInt64?
  var error: String?
}

struct JanusReply: Decodable, Sendable {
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
