import NIOCore
import NIOHTTP1

/// What a live stream's connection receives.
enum StreamPart: Sendable {
  case head(HTTPResponseHead)
  case bytes(ByteBuffer)
  /// The end of the response.
  case end
}

/// Passes on the bytes of an RTMP connection.
final class ByteParts: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = StreamPart

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.fireChannelRead(wrapInboundOut(.bytes(unwrapInboundIn(data))))
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { context.endIfIdle(event) }
}

/// Requests a stream over HTTP, and passes on the parts of the response.
final class ResponseParts: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias InboundOut = StreamPart
  typealias OutboundOut = HTTPClientRequestPart

  private let address: StreamAddress.HTTPAddress

  init(_ address: StreamAddress.HTTPAddress) { self.address = address }

  func channelActive(context: ChannelHandlerContext) {
    let headers: HTTPHeaders = ["Host": address.hostField, "User-Agent": "RoomMedia", "Accept": "*/*"]
    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: address.path, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    context.fireChannelActive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): context.fireChannelRead(wrapInboundOut(.head(head)))
    case .body(let bytes): context.fireChannelRead(wrapInboundOut(.bytes(bytes)))
    case .end: context.fireChannelRead(wrapInboundOut(.end))
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) { context.endIfIdle(event) }
}

extension ChannelHandlerContext {
  /// Ends a connection that was silent for too long; passes on any other event.
  fileprivate func endIfIdle(_ event: Any) {
    guard case .read = event as? IdleStateHandler.IdleStateEvent else { return fireUserInboundEventTriggered(event) }
    fireErrorCaught(StreamFailure.connectionLost("the server is silent"))
  }
}
