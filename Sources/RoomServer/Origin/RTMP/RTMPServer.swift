import NIOCore
import NIOPosix
import RTMP

/// The origin's RTMP port: takes connections, and spreads them over the origin's event loops.
final class RTMPServer: Sendable {
  private let origin: Origin
  private let listener: any Channel
  private let loops: RTMPLoops
  /// The TCP port.
  let port: UInt16

  /// Listens; connections are served when this returns.
  static func start(_ origin: Origin, host: String) async throws(StartError) -> RTMPServer {
    let settings = origin.settings
    let address: SocketAddress
    do { address = try SocketAddress(ipAddress: host, port: Int(settings.port)) } catch { throw .badAddress(host) }
    do {
      let loops = try await RTMPLoops(origin)
      let listener = try await ServerBootstrap(group: origin.group)
        .serverChannelOption(.backlog, value: 1024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .serverChannelInitializer { channel in
          // Where there are no descriptors left, to accept again and again is of no use.
          channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler()) }
        }
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelOption(
          .writeBufferWaterMark,
          value: .init(low: max(1, settings.waitingBytes / 4), high: max(1, settings.waitingBytes))
        )
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            guard let loop = loops.loop(of: channel) else { return }
            try channel.pipeline.syncOperations.addHandler(RTMPConnection(loop))
          }
        }
        .bind(to: address).get()
      return RTMPServer(origin, listener, loops)
    } catch {
      throw .rtmp(address: "\(host):\(settings.port)", reason: "\(error)")
    }
  }

  private init(_ origin: Origin, _ listener: any Channel, _ loops: RTMPLoops) {
    self.origin = origin
    self.listener = listener
    self.loops = loops
    port = UInt16(clamping: listener.localAddress?.port ?? 0)
  }

  /// Closes the port and all connections.
  func stop() async {
    try? await listener.close().get()
    await loops.stop()
  }
}

/// The RTMP connections of each event loop.
final class RTMPLoops: Sendable {
  private let loops: [ObjectIdentifier: (any EventLoop, NIOLoopBound<RTMPLoop>)]

  init(_ origin: Origin) async throws {
    var loops: [ObjectIdentifier: (any EventLoop, NIOLoopBound<RTMPLoop>)] = [:]
    for loop in origin.group.makeIterator() {
      loops[ObjectIdentifier(loop)] = try await loop.submit {
        (loop, NIOLoopBound(RTMPLoop(origin, loop), eventLoop: loop))
      }.get()
    }
    self.loops = loops
  }

  /// What belongs to the channel's event loop; to be called on it.
  func loop(of channel: any Channel) -> RTMPLoop? { loops[ObjectIdentifier(channel.eventLoop)]?.1.value }

  func stop() async {
    for (loop, bound) in loops.values { try? await loop.submit { bound.value.stop() }.get() }
  }
}
