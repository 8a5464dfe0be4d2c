import NIOCore
import NIOWebSocket
import RoomEngine
import Synchronization

/// One client's WebSocket, as the session and its room use it.
///
/// - Incoming messages are read no faster than `messages` is consumed: call `consumed()` after each.
/// - Outgoing messages are counted in bytes until the kernel has taken them. A client with more than the limit is closed.
package final class SignalSocket: SignalChannel {
  /// Complete text messages, in order. Ends when the socket closes.
  package let messages: AsyncStream<ByteBuffer>
  private let channel: any Channel
  /// The context in front of the handlers that make frames.
  private let context: NIOLoopBound<ChannelHandlerContext>
  private let loop: SignalLoop
  private let outgoingLimit: Int
  private let counters: ServerCounters
  /// The bytes a message costs in addition to its own until it is sent.
  private static let overhead = 256
  private let state = Mutex(State())

  private struct State {
    var outgoingBytes = 0
    var isClosing = false
    /// Messages that wait for the loop or the store. Their bytes count as outgoing.
    var queue = SignalQueue()
    /// The lists of the loop that contain the socket.
    var lists: SignalLoop.List = []

    /// Adds a message for one list. Returns whether the socket is new in that list, or nil if the queue is full.
    mutating func add(_ message: ByteBuffer, limit: Int, to list: SignalLoop.List) -> Bool? {
      guard !isClosing else { return false }
      let bytes = message.readableBytes + SignalSocket.overhead
      guard outgoingBytes + bytes <= limit else { return nil }
      outgoingBytes += bytes
      queue.add(.message(message))
      return lists.insert(list).inserted
    }
  }

  /// - Parameter context: the context of the handler behind which messages are frames. The caller is on its event loop.
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

  /// Whether the server has begun to close the socket: the remaining messages are ignored.
  package var isClosing: Bool { state.withLock { $0.isClosing } }
  /// Whether the client is connected.
  package var isConnected: Bool { channel.isActive }

  /// Completes when the socket is closed.
  package var closed: EventLoopFuture<Void> { channel.closeFuture }

  package func send(_ message: ByteBuffer) { add(message, to: .urgent) }

  /// Sends a message, and returns once the kernel has taken it, with false if the socket is closed. So its caller reads no faster than
  /// the client does. A socket whose messages are sent in this manner has no others.
  package func pass(_ message: ByteBuffer) async -> Bool {
    guard !isClosing else { return false }
    let taken = channel.eventLoop.makePromise(of: Void.self)
    channel.eventLoop.execute { [context] in
      context.value.writeAndFlush(NIOAny(SignalFrame.framed(message)), promise: taken)
    }
    counters.count { $0.messagesSent += 1 }
    return (try? await taken.futureResult.get()) != nil
  }

  package func gather(_ message: ByteBuffer, _ delay: BatchDelay) {
    add(message, to: delay == .long ? .long : .short)
  }

  private func add(_ message: ByteBuffer, to list: SignalLoop.List) {
    guard let isFirst = state.withLock({ $0.add(message, limit: outgoingLimit, to: list) }) else {
      counters.count(limit: .slowClient)
      return close(.slowClient)
    }
    if isFirst { loop.add(self, to: list) }
  }

  package func close(_ reason: CloseReason) {
    let isFirst = state.withLock { state in
      guard !state.isClosing else { return false }
      state.isClosing = true
      state.queue.add(.close(reason))
      return true
    }
    if isFirst { loop.add(self, to: .urgent) }
  }

  package func hold() -> SendBarrier { state.withLock { $0.queue.hold() } }

  package func release(_ hold: SendBarrier) {
    state.withLock { $0.queue.release(hold) }
    // An answer is urgent because its client waits for it.
    loop.add(self, to: .urgent)
  }

  /// Runs `body` on the event loop after a time, unless it is cancelled first. Costs less than a sleeping task, whose timer
  /// outlives its cancellation.
  package func schedule(in time: Duration, _ body: @escaping @Sendable () -> Void) -> Scheduled<Void> {
    channel.eventLoop.scheduleTask(in: TimeAmount(time), body)
  }

  // MARK: On the event loop

  /// Writes the messages that may be sent, and returns their number. Only the socket's `SignalLoop` calls this.
  /// - Parameter list: the list from which the loop has removed the socket.
  func writeQueue(from list: SignalLoop.List, _ batch: inout SignalBatch) -> Int {
    var count = 0
    var items = state.withLock { state in
      state.lists.remove(list)
      return state.queue.take()
    }
    while !items.isEmpty {
      var messages: [ByteBuffer] = []
      messages.reserveCapacity(items.count)
      for item in items {
        switch item {
        case .message(let message):
          messages.append(message)
          count += 1
        case .close(let reason):
          write(messages, &batch)
          messages.removeAll(keepingCapacity: true)
          channel.triggerUserOutboundEvent(reason, promise: nil)
        }
      }
      write(messages, &batch)
      items = state.withLock { $0.queue.take(isNext: true) }
    }
    return count
  }

  private func write(_ messages: [ByteBuffer], _ batch: inout SignalBatch) {
    guard let last = messages.last else { return }
    let context = context.value
    let bytes = messages.reduce(0) { $0 + $1.readableBytes + Self.overhead }
    // The kernel takes messages in order: when it has the last one, it has them all.
    let taken = context.eventLoop.makePromise(of: Void.self)
    taken.futureResult.whenComplete { [weak self] _ in self?.state.withLock { $0.outgoingBytes -= bytes } }
    if let frames = batch.frames(of: messages) {
      context.writeAndFlush(NIOAny(frames), promise: taken)
    } else {
      for message in messages.dropLast() { context.write(NIOAny(SignalFrame.framed(message)), promise: nil) }
      context.writeAndFlush(NIOAny(SignalFrame.framed(last)), promise: taken)
    }
  }

  /// Reports that the session has processed a message, so that another may be read.
  package func consumed() { channel.triggerUserOutboundEvent(MessageConsumed(), promise: nil) }
}

/// The event that the socket's handler receives when the session has processed a message.
package struct MessageConsumed: Sendable {}
