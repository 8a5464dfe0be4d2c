import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import RoomEngine
import RoomHTTPServer
import RoomLinux
import RoomProtocol
import RoomServer
import RoomTLS
import Synchronization

/// A WebSocket to another node, for complete messages in both directions.
///
/// Messages are read no faster than `messages` is consumed: call `consumed()` after each.
final class NodeSocket: Sendable {
  /// The longest message in bytes, in both directions.
  static let messageBytes = 4 << 20
  /// The bytes that may wait for the other node.
  private static let outgoingBytes = 16 << 20

  /// The messages in order; ends when the socket is closed.
  let messages: AsyncStream<ByteBuffer>
  private let channel: any Channel
  private let opcode: WebSocketOpcode
  private let end: Guarded<CloseReason?>
  private let waiting = Atomic(0)

  private init(
    _ channel: any Channel, _ opcode: WebSocketOpcode, _ messages: AsyncStream<ByteBuffer>, _ end: Guarded<CloseReason?>
  ) {
    self.channel = channel
    self.opcode = opcode
    self.messages = messages
    self.end = end
  }

  /// Why the other node has closed it; nil if it has not. Known once `messages` have ended.
  var closeReason: CloseReason? { end.withLock { $0 } }

  /// Sends a message. Closes the socket if too many wait.
  func send(_ message: ByteBuffer) {
    let bytes = message.readableBytes
    guard waiting.add(bytes, ordering: .relaxed).newValue <= Self.outgoingBytes else { return close() }
    channel.writeAndFlush(frame(message)).whenComplete { [self] _ in waiting.subtract(bytes, ordering: .relaxed) }
  }

  /// Sends a message, and returns once the kernel has taken it, with false if the socket is closed.
  func pass(_ message: ByteBuffer) async -> Bool { (try? await channel.writeAndFlush(frame(message)).get()) != nil }

  private func frame(_ message: ByteBuffer) -> WebSocketFrame {
    WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: message)
  }

  /// Reports that a message was processed, so that another may be read.
  func consumed() { channel.triggerUserOutboundEvent(NodeFrames.Consumed(), promise: nil) }

  /// Closes it at once.
  func close() { channel.close(promise: nil) }

  /// Closes it after what was sent, with a close frame.
  func close(_ reason: CloseReason) { channel.triggerUserOutboundEvent(reason, promise: nil) }

  /// Opens a socket.
  /// - Parameters:
  ///   - request: its method is `GET`; its headers are sent with those of the upgrade.
  ///   - address: `http://` or `https://` with host and port.
  ///   - silence: closes the socket if nothing is received for this long.
  ///   - isBinary: whether its messages are binary instead of text.
  static func open(
    _ request: HTTPRequest, to address: String, by tls: TLSContext, within time: Duration, silence: Duration,
    isBinary: Bool = false
  ) async throws(NodeClient.Failure) -> NodeSocket {
    guard let url = NodeURL(address) else { throw NodeClient.Failure(description: "\(address) is no URL") }
    var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: request.sentURI)
    for (name, value) in request.headers { head.headers.add(name: name, value: value) }
    head.headers.replaceOrAdd(name: "host", value: url.authority)
    head.headers.replaceOrAdd(name: "content-length", value: "0")
    let (messages, incoming) = AsyncStream.makeStream(of: ByteBuffer.self)
    let end = Guarded<CloseReason?>(nil)
    let opcode: WebSocketOpcode = isBinary ? .binary : .text
    do {
      let upgrade = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connectTimeout(.milliseconds(time.milliseconds))
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        .connect(host: url.host, port: url.port) { [head] channel in
          channel.eventLoop.makeCompletedFuture {
            if url.isSecure { try channel.pipeline.syncOperations.addHandler(TLSHandler(tls, host: url.host)) }
            let deadline = channel.eventLoop.scheduleTask(in: .milliseconds(time.milliseconds)) { channel.close(promise: nil) }
            let upgrader = NIOTypedWebSocketClientUpgrader<(any Channel)?>(maxFrameSize: messageBytes) { channel, _ in
              channel.eventLoop.makeCompletedFuture {
                deadline.cancel()
                try channel.pipeline.syncOperations.addHandlers(
                  NIOWebSocketFrameAggregator(
                    minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 4096, maxAccumulatedFrameSize: messageBytes),
                  IdleStateHandler(readTimeout: .milliseconds(silence.milliseconds)), NodeFrames(opcode, incoming, end))
                return channel
              }
            }
            let configuration = NIOTypedHTTPClientUpgradeConfiguration(upgradeRequestHead: head, upgraders: [upgrader]) {
              channel in
              deadline.cancel()
              return channel.close().map { nil }
            }
            var pipeline = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: configuration)
            // The server's first message may arrive with the answer.
            pipeline.leftOverBytesStrategy = .forwardBytes
            return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: pipeline)
          }
        }
      guard let channel = try await upgrade.get() else { throw NodeClient.Failure(description: "it opens no WebSocket") }
      return NodeSocket(channel, opcode, messages, end)
    } catch {
      incoming.finish()
      throw error as? NodeClient.Failure ?? NodeClient.Failure(description: String("\(error)".prefix(200)))
    }
  }
}
