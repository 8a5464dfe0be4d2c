import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import RoomHTTPServer
import RoomProtocol
import Synchronization

/// A WebSocket to another node, for complete messages in both directions.
final class NodeSocket: Sendable {
  /// The longest message in bytes, in both directions.
  static let messageBytes = 4 << 20
  /// The bytes that may wait for the other node.
  private static let outgoingBytes = 16 << 20

  /// The messages in order; ends when the socket is closed.
  let messages: AsyncStream<ByteBuffer>
  private let channel: any Channel
  private let waiting = Atomic(0)

  private init(_ channel: any Channel, _ messages: AsyncStream<ByteBuffer>) {
    self.channel = channel
    self.messages = messages
  }

  /// Sends a message. Closes the socket if too many wait.
  func send(_ message: ByteBuffer) {
    let bytes = message.readableBytes
    guard waiting.add(bytes, ordering: .relaxed).newValue <= Self.outgoingBytes else { return close() }
    channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: message))
      .whenComplete { [self] _ in waiting.subtract(bytes, ordering: .relaxed) }
  }

  func close() { channel.close(promise: nil) }

  /// Opens a socket.
  /// - Parameters:
  ///   - request: its method is `GET`; its headers are sent with those of the upgrade.
  ///   - address: `http://` or `https://` with host and port.
  ///   - silence: closes the socket if nothing is received for this long.
  static func open(
    _ request: HTTPRequest, to address: String, by tls: NodeTLS, within time: Duration, silence: Duration
  ) async throws(NodeClient.Failure) -> NodeSocket {
    guard let url = URLComponents(string: address), let host = url.host?.trimmingCharacters(in: ["[", "]"]) else {
      throw NodeClient.Failure(description: "\(address) is no URL")
    }
    let isSecure = url.scheme == "https"
    let port = url.port ?? (isSecure ? 443 : 80)
    var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: request.uri)
    for (name, value) in request.headers { head.headers.add(name: name, value: value) }
    head.headers.replaceOrAdd(name: "host", value: "\(url.host ?? host):\(port)")
    head.headers.replaceOrAdd(name: "content-length", value: "0")
    let (messages, incoming) = AsyncStream.makeStream(of: ByteBuffer.self)
    do {
      let upgrade = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connectTimeout(.milliseconds(time.milliseconds))
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        .connect(host: host, port: port) { [head] channel in
          channel.eventLoop.makeCompletedFuture {
            if isSecure { try channel.pipeline.syncOperations.addHandler(tls.handler(for: host)) }
            let deadline = channel.eventLoop.scheduleTask(in: .milliseconds(time.milliseconds)) { channel.close(promise: nil) }
            let upgrader = NIOTypedWebSocketClientUpgrader<(any Channel)?>(maxFrameSize: messageBytes) { channel, _ in
              channel.eventLoop.makeCompletedFuture {
                deadline.cancel()
                try channel.pipeline.syncOperations.addHandlers(
                  NIOWebSocketFrameAggregator(
                    minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 4096, maxAccumulatedFrameSize: messageBytes),
                  IdleStateHandler(readTimeout: .milliseconds(silence.milliseconds)), NodeFrames(incoming))
                return channel
              }
            }
            let configuration = NIOTypedHTTPClientUpgradeConfiguration(upgradeRequestHead: head, upgraders: [upgrader]) {
              channel in
              deadline.cancel()
              return channel.close().map { nil }
            }
            return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
              configuration: NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: configuration))
          }
        }
      guard let channel = try await upgrade.get() else { throw NodeClient.Failure(description: "it opens no WebSocket") }
      return NodeSocket(channel, messages)
    } catch {
      incoming.finish()
      throw error as? NodeClient.Failure ?? NodeClient.Failure(description: String("\(error)".prefix(200)))
    }
  }
}

/// Passes complete messages on, answers pings, and closes a silent socket.
private final class NodeFrames: ChannelInboundHandler {
  typealias InboundIn = WebSocketFrame
  typealias OutboundOut = WebSocketFrame

  private let incoming: AsyncStream<ByteBuffer>.Continuation

  init(_ incoming: AsyncStream<ByteBuffer>.Continuation) { self.incoming = incoming }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch frame.opcode {
    case .text: incoming.yield(frame.unmaskedData)
    case .ping:
      let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)
      context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
    case .connectionClose: context.close(promise: nil)
    default: break
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  func channelInactive(context: ChannelHandlerContext) { incoming.finish() }
}
