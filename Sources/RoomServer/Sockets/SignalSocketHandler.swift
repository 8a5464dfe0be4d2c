import NIOCore
import NIOWebSocket
import RoomProtocol
import RoomEngine

/// The last handler of a signalling socket's pipeline. Passes messages of one kind, text or binary, to the session, sends and answers pings, closes
/// silent sockets, and performs the closing handshake.
///
/// Reads stop while `backlog` messages wait for the session, or `unreadPongLimit` pongs for the client. This bounds the memory
/// that a client can use.
final class SignalSocketHandler: ChannelDuplexHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private static let backlog = 16
  /// The maximum number of pongs that wait for the client to read them. At the limit, only the last ping is answered (RFC 6455
  /// §5.5.3).
  private static let unreadPongLimit = 64

  private let messages: AsyncStream<ByteBuffer>.Continuation
  private let keepAlive: KeepAlive
  private let messageBytes: Int
  private let counters: ServerCounters
  private let isBinary: Bool

  private var waiting = 0
  private var readIsHeld = false
  private var unreadPongs = 0
  /// The data of the last ping, if it could not be answered yet.
  private var unansweredPing: ByteBuffer?
  private var isClosing = false
  private var lastHeard = NIODeadline.now()
  private var ping: Scheduled<Void>?
  private var silence: Scheduled<Void>?
  private var hardClose: Scheduled<Void>?

  init(
    messages: AsyncStream<ByteBuffer>.Continuation, keepAlive: KeepAlive, messageBytes: Int, counters: ServerCounters,
    isBinary: Bool = false
  ) {
    self.isBinary = isBinary
    self.messages = messages
    self.keepAlive = keepAlive
    self.messageBytes = messageBytes
    self.counters = counters
  }

  // MARK: Life

  func channelActive(context: ChannelHandlerContext) {
    lastHeard = .now()
    pingLater(context: context)
    watchSilence(context: context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    ping?.cancel()
    silence?.cancel()
    hardClose?.cancel()
    messages.finish()
    context.fireChannelInactive()
  }

  private func pingLater(context: ChannelHandlerContext) {
    let bound = context.loopBound
    let interval = TimeAmount.milliseconds(keepAlive.pingInterval.milliseconds)
    let time = Self.pingTime(after: interval, from: context.eventLoop.now)
    ping = context.eventLoop.assumeIsolated().scheduleTask(deadline: time) {
      let context = bound.value
      context.writeAndFlush(Self.wrapOutboundOut(WebSocketFrame(fin: true, opcode: .ping, data: ByteBuffer())), promise: nil)
      self.pingLater(context: context)
    }
  }

  /// Returns the end of an interval, or a time up to a twentieth of it earlier. The sockets of a loop ping together, so that an
  /// idle crowd seldom wakes the loop.
  private static func pingTime(after interval: TimeAmount, from now: NIODeadline) -> NIODeadline {
    let step = UInt64(max(1, interval.nanoseconds / 20))
    let end = (now + interval).uptimeNanoseconds
    return .uptimeNanoseconds(end - end % step)
  }

  private func watchSilence(context: ChannelHandlerContext) {
    let limit = TimeAmount.milliseconds(keepAlive.silence.milliseconds)
    let bound = context.loopBound
    silence = context.eventLoop.assumeIsolated().scheduleTask(deadline: lastHeard + limit) {
      let context = bound.value
      // A client that is not read because the session is busy is not silent. Neither is one with answers in flight, which
      // `BackpressureHandler` watches.
      if self.waiting >= Self.backlog || !context.channel.isWritable { self.lastHeard = .now() }
      guard NIODeadline.now() - self.lastHeard >= limit else { return self.watchSilence(context: context) }
      self.counters.count { $0.socketsDead += 1 }
      context.close(promise: nil)
    }
  }

  // MARK: Incoming

  func read(context: ChannelHandlerContext) {
    if mayRead { context.read() } else { readIsHeld = true }
  }

  private var mayRead: Bool { isClosing || waiting < Self.backlog && unreadPongs < Self.unreadPongLimit }

  private func readAgain(context: ChannelHandlerContext) {
    guard readIsHeld, mayRead else { return }
    readIsHeld = false
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    lastHeard = .now()
    let frame = Self.unwrapInboundIn(data)
    switch frame.opcode {
    case .connectionClose:
      if isClosing { return context.close(promise: nil) }
      isClosing = true
      // Echo the client's own code, or send none (RFC 6455 §5.5.1).
      let code = frame.unmaskedData.readableBytesView.prefix(2)
      closeAfter(frame: ByteBuffer(bytes: code.count == 2 ? Array(code) : []), context: context)
      messages.finish()
    case _ where isClosing: break
    case .ping: answer(ping: frame.unmaskedData, context: context)
    case .pong: break
    case isBinary ? .binary : .text:
      waiting += 1
      counters.count { $0.messagesReceived += 1 }
      messages.yield(frame.unmaskedData)
    case .text, .binary: beginClose(isBinary ? .notBinary : .notText, context: context)
    default: beginClose(.protocolError, context: context)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    // The pongs to all pings of a read are flushed together.
    if unreadPongs > 0 { context.flush() }
    context.fireChannelReadComplete()
  }

  private func answer(ping data: ByteBuffer, context: ChannelHandlerContext) {
    if unreadPongs == Self.unreadPongLimit { context.flush() }
    guard unreadPongs < Self.unreadPongLimit, context.channel.isWritable else {
      unansweredPing = data
      return
    }
    unansweredPing = nil
    unreadPongs += 1
    let bound = context.loopBound
    context.write(Self.wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: data)))
      .assumeIsolated().whenComplete { _ in self.wrotePong(context: bound.value) }
  }

  private func wrotePong(context: ChannelHandlerContext) {
    unreadPongs -= 1
    guard context.channel.isActive else { return }
    answerLastPing(context: context)
    readAgain(context: context)
  }

  /// Answers a ping that had to wait, as soon as the answer can be sent.
  private func answerLastPing(context: ChannelHandlerContext) {
    guard let data = unansweredPing, !isClosing, unreadPongs < Self.unreadPongLimit / 2, context.channel.isWritable else {
      return
    }
    answer(ping: data, context: context)
    context.flush()
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    answerLastPing(context: context)
    context.fireChannelWritabilityChanged()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let isTooLarge: Bool
    switch error {
    case NIOWebSocketError.invalidFrameLength: isTooLarge = true
    case let error as NIOWebSocketFrameAggregator.Error:
      if case .accumulatedFrameSizeIsTooLarge = error { isTooLarge = true } else { isTooLarge = false }
    case is NIOWebSocketError, is ClientFrameError: isTooLarge = false
    default: return context.close(promise: nil)
    }
    guard isTooLarge else { return beginClose(.protocolError, context: context) }
    guard !isClosing else { return }
    counters.count(limit: .messageSize)
    if !isBinary {
      let answer = SignalWriter.error(RoomError(.unknownMessage, "a message is at most \(messageBytes) bytes"), id: nil)
      context.write(Self.wrapOutboundOut(WebSocketFrame(fin: true, opcode: .text, data: answer)), promise: nil)
    }
    beginClose(.messageTooLarge, context: context)
  }

  // MARK: Outgoing

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    switch event {
    case is MessageConsumed:
      waiting -= 1
      readAgain(context: context)
      promise?.succeed()
    case let reason as CloseReason:
      beginClose(reason, context: context)
      promise?.succeed()
    default: context.triggerUserOutboundEvent(event, promise: promise)
    }
  }

  /// Sends a close frame and waits briefly for the client's, so that earlier messages are not lost with the socket.
  private func beginClose(_ reason: CloseReason, context: ChannelHandlerContext) {
    guard !isClosing else { return }
    isClosing = true
    messages.finish()
    let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: reason.payload)
    context.writeAndFlush(Self.wrapOutboundOut(frame), promise: nil)
    closeLater(context: context)
    // A close frame can't arrive while reads are paused.
    readAgain(context: context)
  }

  private func closeAfter(frame data: ByteBuffer, context: ChannelHandlerContext) {
    let bound = context.loopBound
    context.writeAndFlush(Self.wrapOutboundOut(WebSocketFrame(fin: true, opcode: .connectionClose, data: data)))
      .assumeIsolated().whenComplete { _ in bound.value.close(promise: nil) }
    closeLater(context: context)
  }

  private func closeLater(context: ChannelHandlerContext) {
    let bound = context.loopBound
    hardClose = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(keepAlive.closeTime)) {
      bound.value.close(promise: nil)
    }
  }
}
