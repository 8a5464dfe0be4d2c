import Foundation
import Logging
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Converts complete WebSocket frames to messages, answers pings, and reports the end of the socket once.
final class SignalFrames: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let incoming: @Sendable (SignalSocket.Incoming) -> Bool
  private var isOver = false
  private let logger = Logger(label: "room.client")

  init(incoming: @escaping @Sendable (SignalSocket.Incoming) -> Bool) { self.incoming = incoming }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text, .binary:
      // A lost message cannot be recovered; a new socket delivers the whole state.
      if !incoming(.message(Data(frame.unmaskedData.readableBytesView))) { context.close(promise: nil) }
    case .ping:
      let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)
      context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
    case .connectionClose:
      var data = frame.unmaskedData
      let code = data.readWebSocketErrorCode().map { "\($0)" } ?? "no code"
      end(.connectionLost("closed by the server (\(code))"))
      let echo = WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: frame.unmaskedData)
      let channel = context.channel
      context.writeAndFlush(wrapOutboundOut(echo)).whenComplete { _ in channel.close(promise: nil) }
    default: break
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(.connectionLost("the socket was closed"))
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let failure = ConnectFailure(error)
    logger.debug("the socket failed: \(failure.cause)")
    end(.connectionLost(failure.kind == .closed ? "the socket was closed" : "the socket failed"))
    context.close(promise: nil)
  }

  private func end(_ cause: RoomClientError) {
    guard !isOver else { return }
    isOver = true
    _ = incoming(.closed(cause))
  }
}

/// Reads the response of a server that did not upgrade.
final class UpgradeRefusal: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  private let status: EventLoopPromise<HTTPResponseStatus>

  init(_ status: EventLoopPromise<HTTPResponseStatus>) { self.status = status }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let head) = unwrapInboundIn(data) else { return }
    status.succeed(head.status)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    status.fail(ConnectFailure(.closed))
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    status.fail(error)
    context.close(promise: nil)
  }

  /// A channel that was closed before this handler was added is not reported as inactive.
  func handlerRemoved(context: ChannelHandlerContext) {
    status.fail(ConnectFailure(.closed))
  }
}
