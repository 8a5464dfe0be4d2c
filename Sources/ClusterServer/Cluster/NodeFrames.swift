import NIOCore
import NIOWebSocket
import RoomEngine
import RoomLinux
import RoomServer

/// The last handler of a WebSocket to another node: passes on complete messages, answers pings, performs the closing handshake, and
/// closes a silent socket.
///
/// Reads stop while `backlog` messages wait.
final class NodeFrames: ChannelDuplexHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  /// The event that a message was processed.
  struct Consumed: Sendable {}

  private static let backlog = 64
  /// How long the other node has to answer a close frame.
  private static let closeTime = TimeAmount.seconds(2)

  private let opcode: WebSocketOpcode
  private let incoming: AsyncStream<ByteBuffer>.Continuation
  private let end: Guarded<CloseReason?>
  private var waiting = 0
  private var readIsHeld = false
  private var isClosing = false
  private var hardClose: Scheduled<Void>?

  /// - Parameters:
  ///   - opcode: that of messages.
  ///   - end: receives the reason with which the other node closes the socket.
  init(_ opcode: WebSocketOpcode, _ incoming: AsyncStream<ByteBuffer>.Continuation, _ end: Guarded<CloseReason?>) {
    self.opcode = opcode
    self.incoming = incoming
    self.end = end
  }

  // MARK: Incoming

  private var mayRead: Bool { isClosing || waiting < Self.backlog }

  func read(context: ChannelHandlerContext) {
    if mayRead { context.read() } else { readIsHeld = true }
  }

  private func readAgain(context: ChannelHandlerContext) {
    guard readIsHeld, mayRead else { return }
    readIsHeld = false
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = Self.unwrapInboundIn(data)
    switch frame.opcode {
    case .connectionClose: closed(by: frame.unmaskedData, context: context)
    case _ where isClosing: break
    case opcode:
      waiting += 1
      incoming.yield(frame.unmaskedData)
    case .ping:
      let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)
      context.writeAndFlush(Self.wrapOutboundOut(pong), promise: nil)
    default: break
    }
  }

  private func closed(by data: ByteBuffer, context: ChannelHandlerContext) {
    if isClosing { return context.close(promise: nil) }
    isClosing = true
    var rest = data
    if let code = rest.readInteger(as: UInt16.self) {
      let reason = CloseReason(code: code, text: String(buffer: rest))
      end.withLock { $0 = reason }
    }
    let bound = context.loopBound
    let echo = WebSocketFrame(
      fin: true, opcode: .connectionClose, maskKey: .random(), data: ByteBuffer(bytes: data.readableBytesView.prefix(2)))
    context.writeAndFlush(Self.wrapOutboundOut(echo)).assumeIsolated().whenComplete { _ in bound.value.close(promise: nil) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is IdleStateHandler.IdleStateEvent else { return context.fireUserInboundEventTriggered(event) }
    // A node that is not read is not silent.
    if waiting < Self.backlog { context.close(promise: nil) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  func channelInactive(context: ChannelHandlerContext) {
    hardClose?.cancel()
    incoming.finish()
    context.fireChannelInactive()
  }

  // MARK: Outgoing

  func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
    switch event {
    case is Consumed:
      waiting -= 1
      readAgain(context: context)
      promise?.succeed()
    case let reason as CloseReason:
      beginClose(reason, context: context)
      promise?.succeed()
    default: context.triggerUserOutboundEvent(event, promise: promise)
    }
  }

  private func beginClose(_ reason: CloseReason, context: ChannelHandlerContext) {
    guard !isClosing else { return }
    isClosing = true
    let frame = WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: reason.payload)
    context.writeAndFlush(Self.wrapOutboundOut(frame), promise: nil)
    let bound = context.loopBound
    hardClose = context.eventLoop.assumeIsolated().scheduleTask(in: Self.closeTime) { bound.value.close(promise: nil) }
    // The answer can't arrive while reads are held.
    readAgain(context: context)
  }
}
