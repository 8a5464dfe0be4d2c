import Foundation
import NIOCore
import RoomClient
import Synchronization

/// A WebSocket with JSON text messages for a single reader.
final class MessageSocket: Sendable {
  private static let openingTime = Duration.seconds(10)
  /// Maximum number of queued messages. If it is exceeded, the socket is closed.
  private static let limit = 8192

  private let socket: SignalSocket
  private let messages: AsyncStream<Data>

  private init(socket: SignalSocket, messages: AsyncStream<Data>) {
    self.socket = socket
    self.messages = messages
  }

  static func open(_ url: String, subprotocol: String? = nil) async throws -> MessageSocket {
    let (messages, incoming) = AsyncStream.makeStream(of: Data.self, bufferingPolicy: .bufferingOldest(limit))
    let socket = try await SignalSocket.open(
      SignalAddress(url), timeout: openingTime, trust: .none, subprotocol: subprotocol
    ) { message in
      switch message {
      case .message(let data):
        if case .enqueued = incoming.yield(data) { return true }
        incoming.finish()
        return false
      case .closed:
        incoming.finish()
        return true
      }
    }
    return MessageSocket(socket: socket, messages: messages)
  }

  /// Returns the next message, or nil once the socket is closed.
  func next() async -> Data? {
    for await message in messages { return message }
    return nil
  }

  func send(_ message: some Encodable) throws { socket.send(ByteBuffer(bytes: try JSONEncoder().encode(message))) }

  func close() { socket.abandon() }
}
