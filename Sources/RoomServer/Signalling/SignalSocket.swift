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
  private let state = NIOLockedValueBox(State())

  private struct State {
    var outgoingBytes = 0
    var isClosing = false
  }

  init(channel: any Channel, messages: AsyncStream<ByteBuffer>, outgoingLimit: Int, counters: ServerCounters) {
    self.channel = channel
    self.messages = messages
    self.outgoingLimit = outgoingLimit
    self.counters = counters
  }

  /// Done when the socket is gone.
  var closed: EventLoopFuture<Void> { channel.closeFuture }

  func send(_ message: ByteBuffer) {
    let bytes = message.readableBytes
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
    channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .text, data: message)).whenComplete { [state] _ in
      state.withLockedValue { $0.outgoingBytes -= bytes }
    }
  }

  func close(_ reason: CloseReason) {
    let isFirst = state.withLockedValue { state in
      defer { state.isClosing = true }
      return !state.isClosing
    }
    guard isFirst else { return }
    channel.triggerUserOutboundEvent(reason, promise: nil)
  }

  /// The session is done with a message: another may be read.
  func consumed() { channel.triggerUserOutboundEvent(MessageConsumed(), promise: nil) }
}

/// Told to the socket's handler when the session is done with a message.
struct MessageConsumed: Sendable {}
