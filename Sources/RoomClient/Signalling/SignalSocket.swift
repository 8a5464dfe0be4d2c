import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
internal import RoomTLS
import RoomWebRTC
import Synchronization

/// The WebSocket of a session, which sends and receives text messages.
package struct SignalSocket: Sendable {
  /// The input of the socket, in order. `closed` is the last.
  package enum Incoming: Sendable {
    case message(Data)
    case closed(RoomClientError)
  }

  /// The largest accepted message in bytes. A join snapshot of a thousand participants is below one megabyte.
  static let largestMessage = 4 << 20

  private let channel: any Channel

  /// The server's address; nil if the socket is closed.
  var server: TransportAddress? {
    guard let address = channel.remoteAddress, let host = address.ipAddress, let port = address.port else { return nil }
    return TransportAddress(host: host, port: UInt16(truncatingIfNeeded: port))
  }

  /// Opens the socket. `incoming` is called on the socket's event loop; if it returns false, the socket is closed.
  /// - Parameters:
  ///   - timeout: the time to connect, and again to upgrade.
  ///   - subprotocol: the subprotocol named in the upgrade (RFC 6455 §1.9), if the server needs one.
  package static func open(
    _ address: SignalAddress, timeout: Duration, trust: ServerTrust = .system, subprotocol: String? = nil,
    incoming: @escaping @Sendable (Incoming) -> Bool
  ) async throws(RoomClientError) -> SignalSocket {
    let lateness = Lateness()
    do {
      let tls = try address.isSecure ? trust.context() : nil
      let upgrade = try await bootstrap(timeout: timeout).connect(host: address.host, port: address.port) { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls {
            try channel.pipeline.syncOperations.addHandler(TLSHandler(tls, host: address.host))
          }
          let deadline = channel.eventLoop.scheduleTask(in: TimeAmount(timeout)) {
            lateness.isLate.store(true, ordering: .relaxed)
            channel.close(promise: nil)
          }
          return try configureUpgrade(of: channel, to: address, subprotocol: subprotocol, incoming: incoming).map { outcome in
            deadline.cancel()
            return outcome
          }
        }
      }
      switch try await upgrade.get() {
      case .open(let channel): return SignalSocket(channel: channel)
      case .refused(let status):
        throw ConnectFailure(.upgradeRefused(status: Int(try await status.get().code)))
      }
    } catch {
      let failure = ConnectFailure(error)
      let isTimeout = lateness.isLate.load(ordering: .relaxed)
      throw .connectFailed(isTimeout ? ConnectFailure(.timedOut, cause: failure.cause) : failure)
    }
  }

  package func send(_ text: ByteBuffer) {
    channel.writeAndFlush(
      WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: text), promise: nil)
  }

  /// Closes the socket after a close frame (RFC 6455 §5.5.1), or after one second.
  func close() {
    let farewell = WebSocketFrame(
      fin: true, opcode: .connectionClose, maskKey: .random(), data: ByteBuffer(bytes: [0x03, 0xE8]))
    let deadline = channel.eventLoop.scheduleTask(in: .seconds(1)) { [channel] in channel.close(promise: nil) }
    channel.writeAndFlush(farewell).whenComplete { [channel] _ in
      deadline.cancel()
      channel.close(promise: nil)
    }
  }

  /// Returns when the socket is closed. After `close()` everything sent before is out by then, or one second has passed.
  func closed() async { try? await channel.closeFuture.get() }

  /// Closes the socket at once.
  package func abandon() { channel.close(promise: nil) }

  private enum Outcome: Sendable {
    case open(any Channel)
    case refused(EventLoopFuture<HTTPResponseStatus>)
  }

  private static func bootstrap(timeout: Duration) -> ClientBootstrap {
    ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connectTimeout(TimeAmount(timeout))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
  }

  private static func configureUpgrade(
    of channel: any Channel, to address: SignalAddress, subprotocol: String?,
    incoming: @escaping @Sendable (Incoming) -> Bool
  ) throws -> EventLoopFuture<Outcome> {
    let upgrader = NIOTypedWebSocketClientUpgrader<Outcome>(maxFrameSize: largestMessage) { channel, _ in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandlers(
          NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 4096, maxAccumulatedFrameSize: largestMessage),
          SignalFrames(incoming: incoming))
        return .open(channel)
      }
    }
    var head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: address.path, headers: ["Host": address.hostField, "Content-Length": "0"])
    if let subprotocol { head.headers.add(name: "Sec-WebSocket-Protocol", value: subprotocol) }
    let configuration = NIOTypedHTTPClientUpgradeConfiguration(upgradeRequestHead: head, upgraders: [upgrader]) { channel in
      // The response passes through the pipeline only after this has completed.
      let status = channel.eventLoop.makePromise(of: HTTPResponseStatus.self)
      do {
        try channel.pipeline.syncOperations.addHandler(UpgradeRefusal(status))
      } catch {
        status.fail(error)
      }
      return channel.eventLoop.makeSucceededFuture(.refused(status.futureResult))
    }
    var pipeline = NIOUpgradableHTTPClientPipelineConfiguration(upgradeConfiguration: configuration)
    // The server's first message may arrive with the answer.
    pipeline.leftOverBytesStrategy = .forwardBytes
    return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(configuration: pipeline)
  }
}

/// Whether the upgrade exceeded its time.
private final class Lateness: Sendable {
  let isLate = Atomic(false)
}
