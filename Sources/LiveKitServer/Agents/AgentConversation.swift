import Foundation
import NIOCore
import RoomEngine
import RoomLinux
import RoomLiveKitProtocol
import RoomServer

/// Serves the WebSocket of a worker: reads its messages one after the other, and passes them to the dispatches.
struct AgentConversation: Sendable {
  /// How long a worker may take to register.
  private static let registrationTime = Duration.seconds(10)
  /// The longest name of an agent, a namespace or a deployment, in bytes.
  private static let maximumName = 256

  let entrance: Entrance
  let dispatches: AgentDispatches
  let socket: any SignalChannel
  /// The API key of the worker's token.
  let key: String
  /// Registers the worker at the other nodes as well, whose messages go to `receive`; nil without other nodes.
  let mirror: Mirror?

  typealias Mirror =
    @Sendable (_ greeting: ByteBuffer, _ receive: @escaping @Sendable (ByteBuffer) -> Void) -> any MirroredSocket

  /// Serves the socket until its messages end.
  func run() async {
    let deadline = socket.schedule(in: Self.registrationTime) { [socket] in socket.close(.notJoined) }
    defer { deadline.cancel() }
    var pace = TokenBucket(
      perSecond: entrance.configuration.limits.messagesPerSecond, burst: entrance.configuration.limits.messageBurst, now: .now)
    var worker: String?
    var elsewhere: (any MirroredSocket)?
    for await message in socket.messages {
      await keep(&pace)
      if !socket.isClosing {
        switch Self.read(message) {
        case .ping(let ping): socket.send(Self.pong(ping))
        case .register(let request)?:
          guard worker == nil else { break }
          worker = await register(request)
          if worker == nil { socket.close(.notJoined) } else { deadline.cancel() }
          if worker != nil { elsewhere = mirror?(message) { [socket] in Self.pass($0, to: socket) } }
        case let content?:
          guard let worker else { break }
          await dispatches.receive(content, from: worker)
          // A node ignores what concerns jobs of others.
          elsewhere?.send(message)
        case nil: entrance.counters.count { $0.messagesMalformed += 1 }
        }
      }
      socket.consumed()
    }
    elsewhere?.close()
    if let worker { await dispatches.lose(worker) }
    socket.close(.sessionEnded)
  }

  /// Returns a worker's message; nil if it can't be read, or says nothing.
  static func read(_ message: ByteBuffer) -> LiveKit.WorkerMessage.Content? {
    (try? LiveKit.WorkerMessage(protobuf: Array(message.readableBytesView)))?.message
  }

  /// Passes what another node says to the worker, except what this node says itself.
  private static func pass(_ message: ByteBuffer, to socket: any SignalChannel) {
    switch (try? LiveKit.ServerMessage(protobuf: Array(message.readableBytesView)))?.message {
    case .register, .pong, nil: break
    default: socket.send(SignalFrame.message(message.readableBytesView, isBinary: true))
    }
  }

  private func register(_ request: LiveKit.RegisterWorkerRequest) async -> String? {
    let names = [request.agentName, request.namespace ?? "", request.deployment]
    guard let kind = AgentJob.Kind(request.type), names.allSatisfy({ $0.utf8.count <= Self.maximumName }) else { return nil }
    let permission =
      request.allowedPermissions
      ?? LiveKit.ParticipantPermission {
        ($0.canSubscribe, $0.canPublish, $0.canPublishData, $0.canUpdateMetadata) = (true, true, true, true)
      }
    return await dispatches.register(
      AgentWorker.Role(agent: request.agentName, namespace: request.namespace ?? "", kind: kind),
      AgentLink(socket: socket, key: key, permission: permission))
  }

  private static func pong(_ ping: LiveKit.WorkerPing) -> ByteBuffer {
    let pong = LiveKit.WorkerPong {
      $0.lastTimestamp = ping.timestamp
      $0.timestamp = Int64(Date().timeIntervalSince1970 * 1000)
    }
    return SignalFrame.message(LiveKit.ServerMessage { $0.message = .pong(pong) }.protobuf, isBinary: true)
  }

  /// Waits until the worker's rate limit allows another message.
  private func keep(_ pace: inout TokenBucket) async {
    guard !pace.take(now: .now) else { return }
    entrance.counters.count(limit: .messageRate)
    try? await Task.sleep(for: .microseconds(pace.wait(now: .now) ?? 1_000_000))
    _ = pace.take(now: .now)
  }
}
