import NIOConcurrencyHelpers
import NIOCore
import NIOWebSocket

/// One client's WebSocket, as the session and its room see it.
///
/// - What comes in is read no faster than `messages` is consumed: `consumed()` after each.
/// - What goes out is counted in bytes until the kernel has it; a client that lets more than the limit pile up is closed.
final class SignalSocket: SignalOutlet {
  /// Whole text messages, in order. Ends with the socket.
  let messages: AsyncStream<ByteBuffer>
  private let channel: any Channel
  private let outgoingLimit: Int
  private let counters: ServerCounters
  /// What a message costs beside its bytes until it has gone out.
  private static let overhead = 256
  private let state = NIOLockedValueBox(State())

  private struct State {
    var outgoingBytes = 0
    var isClosing = false
    /// What waits for the store. Its bytes count as outgoing.
    var queue = SignalQueue()
  }

  init(channel: any Channel, messages: AsyncStream<ByteBuffer>, outgoingLimit: Int, counters: ServerCounters) {
    self.channel = channel
    self.messages = messages
    self.outgoingLimit = outgoingLimit
    self.counters = counters
  }

  /// Whether the server has begun to close it: messages that are still here are of no use to anybody.
  var isClosing: Bool { state.withLockedValue { $0.isClosing } }
  /// Whether the client is there.
  var isConnected: Bool { channel.isActive }

  /// Done when the socket is gone.
  var closed: EventLoopFuture<Void> { channel.closeFuture }

  func send(_ message: ByteBuffer) {
    let bytes = message.readableBytes + Self.overhead
    let isAllowed: Bool? = state.withLockedValue { state in
      guard !state.isClosing else { return nil }
      guard state.outgoingBytes + bytes <= outgoingLimit else { return false }
      state.outgoingBytes += bytes
      return true
    }
    guard let isAllowed else { return }
    guard isAllowed else {
      counters.count(limit: .slowClient)
      return close(.slowClient)
    }
    counters.count { $0.messagesSent += 1 }
    send(.message(message))
  }

  func close(_ reason: CloseReason) {
    let isFirst = state.withLockedValue { state in
      defer { state.isClosing = true }
      return !state.isClosing
    }
    if isFirst { send(.close(reason)) }
  }

  func hold() -> SignalHold { state.withLockedValue { $0.queue.hold() } }

  func release(_ hold: SignalHold) {
    state.withLockedValue { $0.queue.release(hold) }
    sendWhatMayGo()
  }

  /// Sends it now, or once what is before it in the queue has gone.
  private func send(_ item: SignalQueue.Item) {
    let isNext = state.withLockedValue { state in
      if state.queue.isEmpty { return true }
      state.queue.add(item)
      return false
    }
    if isNext { write(item) } else { sendWhatMayGo() }
  }

  private func sendWhatMayGo() {
    var items = state.withLockedValue { $0.queue.take() }
    while !items.isEmpty {
      for item in items { write(item) }
      items = state.withLockedValue { $0.queue.take(isNext: true) }
    }
  }

  private func write(_ item: SignalQueue.Item) {
    switch item {
    case .close(let reason): channel.triggerUserOutboundEvent(reason, promise: nil)
    case .message(let message):
      let bytes = message.readableBytes + Self.overhead
      channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .text, data: message)).whenComplete { [state] _ in
        state.withLockedValue { $0.outgoingBytes -= bytes }
      }
    }
  }

  /// The session is done with a message: another may be read.
  func consumed() { channel.triggerUserOutboundEvent(MessageConsumed(), promise: nil) }
}

/// Told to the socket's handler when the session is done with a message.
struct MessageConsumed: Sendable {}
