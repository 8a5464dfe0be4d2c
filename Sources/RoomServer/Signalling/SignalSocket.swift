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
  /// In front of the handlers that make frames.
  private let context: NIOLoopBound<ChannelHandlerContext>
  private let loop: SignalLoop
  private let outgoingLimit: Int
  private let counters: ServerCounters
  /// What a message costs beside its bytes until it has gone out.
  private static let overhead = 256
  private let state = NIOLockedValueBox(State())

  private struct State {
    var outgoingBytes = 0
    var isClosing = false
    /// What waits for the loop, or for the store. Its bytes count as outgoing.
    var queue = SignalQueue()
    /// The loop has it among those that it writes next.
    var isListed = false
  }

  /// - Parameter context: of the handler behind which messages are frames. The caller is on its event loop.
  init(
    channel: any Channel, context: NIOLoopBound<ChannelHandlerContext>, loop: SignalLoop, messages: AsyncStream<ByteBuffer>,
    outgoingLimit: Int, counters: ServerCounters
  ) {
    self.channel = channel
    self.context = context
    self.loop = loop
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
    let (isAllowed, isFirst) = state.withLockedValue { state -> (Bool, Bool) in
      guard !state.isClosing else { return (true, false) }
      guard state.outgoingBytes + bytes <= outgoingLimit else { return (false, false) }
      state.outgoingBytes += bytes
      state.queue.add(.message(message))
      defer { state.isListed = true }
      return (true, !state.isListed)
    }
    guard isAllowed else {
      counters.count(limit: .slowClient)
      return close(.slowClient)
    }
    if isFirst { loop.add(self) }
  }

  func close(_ reason: CloseReason) {
    let isFirst = state.withLockedValue { state in
      guard !state.isClosing else { return false }
      state.isClosing = true
      state.queue.add(.close(reason))
      return true
    }
    if isFirst { loop.write(self) }
  }

  func hold() -> SignalHold { state.withLockedValue { $0.queue.hold() } }

  func release(_ hold: SignalHold) {
    state.withLockedValue { $0.queue.release(hold) }
    // An answer: its client waits.
    loop.write(self)
  }

  // MARK: On the event loop

  /// Writes what may be sent, and returns how many messages that is. Only its `SignalLoop` calls this.
  /// - Parameter isListed: whether the loop takes it off its list.
  func writeQueue(isListed: Bool) -> Int {
    var messages = 0
    var items = state.withLockedValue { state in
      if isListed { state.isListed = false }
      return state.queue.take()
    }
    while !items.isEmpty {
      messages += write(items)
      items = state.withLockedValue { $0.queue.take(isNext: true) }
    }
    return messages
  }

  private func write(_ items: [SignalQueue.Item]) -> Int {
    let context = context.value
    var messages = 0
    var bytes = 0
    for item in items {
      guard case .message(let message) = item else { continue }
      messages += 1
      bytes += message.readableBytes + Self.overhead
    }
    var left = messages
    for item in items {
      switch item {
      case .close(let reason): channel.triggerUserOutboundEvent(reason, promise: nil)
      case .message(let message):
        left -= 1
        let frame = NIOAny(SignalFrame.framed(message))
        guard left == 0 else {
          context.write(frame, promise: nil)
          continue
        }
        // The kernel takes messages in their order: with the last one it has them all.
        let taken = context.eventLoop.makePromise(of: Void.self)
        taken.futureResult.whenComplete { [state, bytes] _ in state.withLockedValue { $0.outgoingBytes -= bytes } }
        context.writeAndFlush(frame, promise: taken)
      }
    }
    return messages
  }

  /// The session is done with a message: another may be read.
  func consumed() { channel.triggerUserOutboundEvent(MessageConsumed(), promise: nil) }
}

/// Told to the socket's handler when the session is done with a message.
struct MessageConsumed: Sendable {}
