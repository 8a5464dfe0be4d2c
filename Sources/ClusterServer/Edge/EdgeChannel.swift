import NIOCore
import RoomEngine
import RoomServer
import Synchronization

/// The conversation with a client that is connected to an edge, at the node that owns the room.
final class EdgeChannel: SignalChannel {
  /// Messages of the client that may wait, and their bytes. The edge limits their rate, and this node does so again.
  private static let backlog = (messages: 256, bytes: 1 << 20)

  let number: Int
  let messages: AsyncStream<ByteBuffer>
  private let incoming: AsyncStream<ByteBuffer>.Continuation
  private let edge: HostedEdge
  private let state = Mutex(State())

  private struct State {
    var queue = SignalQueue()
    var isClosing = false
    var isLost = false
    /// The bytes of each message that waits.
    var waiting: [Int] = []

    mutating func take(_ bytes: Int) -> Bool {
      guard waiting.count < EdgeChannel.backlog.messages, waiting.reduce(bytes, +) <= EdgeChannel.backlog.bytes else {
        return false
      }
      waiting.append(bytes)
      return true
    }
  }

  init(_ number: Int, of edge: HostedEdge) {
    self.number = number
    self.edge = edge
    (messages, incoming) = AsyncStream.makeStream(of: ByteBuffer.self)
  }

  /// Takes a message of the client.
  func receive(_ message: ByteBuffer) {
    if state.withLock({ $0.take(message.readableBytes) }) { incoming.yield(message) } else { close(.slowClient) }
  }

  /// Ends the conversation: the client, or its edge, is gone. What it has sent before is still handled, such as its `leave`.
  func lost() {
    state.withLock { $0.isLost = true }
    incoming.finish()
  }

  // MARK: SignalChannel

  var isClosing: Bool { state.withLock { $0.isClosing } }
  var isConnected: Bool { state.withLock { !$0.isLost } }
  func consumed() { state.withLock { if !$0.waiting.isEmpty { $0.waiting.removeFirst() } } }

  func schedule(in time: Duration, _ body: @escaping @Sendable () -> Void) -> Scheduled<Void> {
    edge.schedule(in: time, body)
  }

  func send(_ message: ByteBuffer) {
    let isOpen = state.withLock { state in
      let isOpen = !state.isClosing && !state.isLost
      if isOpen { state.queue.add(.message(message)) }
      return isOpen
    }
    if isOpen { drain() }
  }

  func close(_ reason: CloseReason) {
    let isFirst = state.withLock { state in
      guard !state.isClosing else { return false }
      state.isClosing = true
      state.queue.add(.close(reason))
      return true
    }
    if isFirst { drain() }
  }

  func hold() -> SendBarrier { state.withLock { $0.queue.hold() } }

  func release(_ hold: SendBarrier) {
    state.withLock { $0.queue.release(hold) }
    drain()
  }

  private func drain() {
    var items = state.withLock { $0.queue.take() }
    while !items.isEmpty {
      for item in items {
        switch item {
        case .message(let message): edge.send(message, to: number)
        case .close(let reason):
          edge.close(number, reason)
          incoming.finish()
        }
      }
      items = state.withLock { $0.queue.take(isNext: true) }
    }
  }
}
