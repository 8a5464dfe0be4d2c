import NIOCore
import NIOWebSocket

/// Rejects invalid client frames: unmasked ones (RFC 6455 §5.1), and those with bits of extensions that were not negotiated
/// (§5.2).
///
/// Fragments are copied: otherwise a fragment of one byte would keep the whole read buffer alive until its message ends.
final class ClientFrameCheck: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias InboundOut = WebSocketFrame

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = Self.unwrapInboundIn(data)
    guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
      return context.fireErrorCaught(ClientFrameError())
    }
    guard frame.fin, frame.opcode != .continuation else {
      var copy = frame
      copy.data = ByteBuffer(bytes: frame.data.readableBytesView)
      return context.fireChannelRead(Self.wrapInboundOut(copy))
    }
    context.fireChannelRead(data)
  }
}

/// The client sent an invalid frame.
struct ClientFrameError: Error {}
