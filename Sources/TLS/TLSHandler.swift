public import NIOCore
import NIOTLS

/// Encrypts the connection of a channel. Writes wait for the end of the handshake, which `TLSUserEvent.handshakeCompleted` reports.
/// A failure closes the channel after an error of type ``TLSError``.
public final class TLSHandler: ChannelDuplexHandler {
  public typealias InboundIn = ByteBuffer
  public typealias InboundOut = ByteBuffer
  public typealias OutboundIn = ByteBuffer
  public typealias OutboundOut = ByteBuffer

  /// The bytes that wait for the end of the handshake at most; more fail.
  static let limit = 1 << 20

  private let session: TLSSession
  private var waiting: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []
  private var waitingBytes = 0
  private var hasBegun = false
  private var isOver = false
  private var isReadWanted = false

  /// Creates the handler of a server's connection.
  public init(serving context: TLSContext) throws(TLSError) { session = try TLSSession(context) }

  /// Creates the handler of a client's connection.
  /// - Parameter host: the name or the IP address that the server's certificate must have.
  public init(_ context: TLSContext, host: String) throws(TLSError) { session = try TLSSession(context, host: host) }

  public func handlerAdded(context: ChannelHandlerContext) {
    if context.channel.isActive { begin(context) }
  }

  public func handlerRemoved(context: ChannelHandlerContext) { drop(ChannelError.ioOnClosedChannel) }

  public func channelActive(context: ChannelHandlerContext) {
    begin(context)
    context.fireChannelActive()
  }

  public func channelInactive(context: ChannelHandlerContext) {
    if hasBegun, !isOver, !session.isEnded {
      isOver = true
      context.fireErrorCaught(session.isOpen ? TLSError.truncated : .handshake("closed by the peer"))
    }
    isOver = true
    drop(ChannelError.ioOnClosedChannel)
    context.fireChannelInactive()
  }

  // MARK: From the peer

  public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    do throws(TLSError) { try session.receive(unwrapInboundIn(data)) } catch { return fail(error, context) }
    advance(context)
  }

  public func channelReadComplete(context: ChannelHandlerContext) {
    context.fireChannelReadComplete()
    // Bytes of a handshake or of half a record do not satisfy a reader that asks for each read.
    if isReadWanted, !isOver { context.read() }
  }

  public func read(context: ChannelHandlerContext) {
    isReadWanted = true
    context.read()
  }

  private func begin(_ context: ChannelHandlerContext) {
    guard !hasBegun else { return }
    hasBegun = true
    advance(context)
  }

  private func advance(_ context: ChannelHandlerContext) {
    do throws(TLSError) {
      if !session.isOpen {
        try session.shakeHands()
        send(context)
        guard session.isOpen else { return }
        context.fireUserInboundEventTriggered(TLSUserEvent.handshakeCompleted(negotiatedProtocol: nil))
        flush(context: context)
      }
      guard !isOver else { return }
      var plain = context.channel.allocator.buffer(capacity: 0)
      defer {
        if plain.readableBytes > 0 {
          isReadWanted = false
          context.fireChannelRead(wrapInboundOut(plain))
        }
      }
      try session.read(into: &plain)
      send(context)
    } catch {
      return fail(error, context)
    }
    if session.isEnded, !isOver { close(context: context, mode: .all, promise: nil) }
  }

  private func fail(_ error: TLSError, _ context: ChannelHandlerContext) {
    guard !isOver else { return }
    isOver = true
    // The alert that says why.
    send(context)
    drop(error)
    context.fireErrorCaught(error)
    context.close(promise: nil)
  }

  // MARK: From the application

  public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let bytes = unwrapOutboundIn(data)
    guard !isOver else { return promise.fail(ChannelError.ioOnClosedChannel) }
    guard session.isOpen || waitingBytes + bytes.readableBytes <= Self.limit else {
      return promise.fail(TLSError.handshake("too many bytes wait for its end"))
    }
    waiting.append((bytes, promise))
    waitingBytes += bytes.readableBytes
  }

  public func flush(context: ChannelHandlerContext) {
    guard session.isOpen, !isOver else { return context.flush() }
    let all = waiting
    waiting = []
    waitingBytes = 0
    do throws(TLSError) {
      for (bytes, _) in all { try session.write(bytes) }
    } catch {
      for (_, promise) in all { promise.fail(error) }
      return fail(error, context)
    }
    let promises = all.compactMap(\.promise)
    guard let bytes = session.takeOutput(context.channel.allocator) else {
      for promise in promises { promise.succeed() }
      return context.flush()
    }
    // One write carries all of them.
    let sent = promises.first
    for promise in promises.dropFirst() { sent?.futureResult.cascade(to: promise) }
    context.writeAndFlush(wrapOutboundOut(bytes), promise: sent)
  }

  public func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if mode != .input, !isOver {
      flush(context: context)
      session.end()
      send(context)
      isOver = mode == .all
    }
    context.close(mode: mode, promise: promise)
  }

  private func send(_ context: ChannelHandlerContext) {
    guard let bytes = session.takeOutput(context.channel.allocator) else { return }
    context.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
  }

  private func drop(_ error: any Error) {
    for (_, promise) in waiting { promise.fail(error) }
    waiting = []
    waitingBytes = 0
  }
}

extension EventLoopPromise<Void>? {
  fileprivate func fail(_ error: any Error) { self?.fail(error) }
}
