import RoomHTTPServer
import NIOCore
import NIOPosix
import RoomRTMP
import RoomTLS

/// The origin's RTMP and RTMPS ports: accepts connections, and spreads them over the origin's event loops.
package final class RTMPServer: Sendable {
  private let listener: any Channel
  private let secureListener: (any Channel)?
  private let loops: RTMPLoops

  /// The TCP port.
  package var port: UInt16 { Self.port(of: listener) }
  /// The TCP port of RTMPS; nil if there is none.
  package var securePort: UInt16? { secureListener.map(Self.port(of:)) }

  private static func port(of listener: any Channel) -> UInt16 { UInt16(clamping: listener.localAddress?.port ?? 0) }

  /// Starts to listen. Connections are served when this returns.
  package static func start(
    _ origin: Origin, host: String, secure: (port: UInt16, certificate: CurrentCertificate)?, peers: ConnectionsPerAddress
  ) async throws(ListenError) -> RTMPServer {
    let loops: RTMPLoops
    do { loops = try await RTMPLoops(origin, peers) } catch {
      throw .unavailable(address: "\(host):\(origin.settings.port)", reason: "\(error)")
    }
    let listener = try await listen(origin, loops, host, origin.settings.port)
    do throws(ListenError) {
      var secureListener: (any Channel)?
      if let secure { secureListener = try await listen(origin, loops, host, secure.port, secure.certificate) }
      return RTMPServer(listener, secureListener, loops)
    } catch {
      try? await listener.close().get()
      throw error
    }
  }

  private static func listen(
    _ origin: Origin, _ loops: RTMPLoops, _ host: String, _ port: UInt16, _ certificate: CurrentCertificate? = nil
  ) async throws(ListenError) -> any Channel {
    let settings = origin.settings
    let address: SocketAddress
    do { address = try SocketAddress(ipAddress: host, port: Int(port)) } catch { throw .badAddress(host) }
    do {
      return try await ServerBootstrap(group: origin.group)
        .serverChannelOption(.backlog, value: 1024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .serverChannelInitializer { channel in
          // Without free descriptors, accepting again at once would fail in a busy loop.
          channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler()) }
        }
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        // Writability is checked again after each read.
        .childChannelOption(.maxMessagesPerRead, value: 1)
        .childChannelOption(
          .writeBufferWaterMark,
          value: .init(low: max(1, settings.waitingBytes / 4), high: max(1, settings.waitingBytes))
        )
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            guard let loop = loops.loop(of: channel) else { return }
            if let context = certificate?.certificate.context {
              try channel.pipeline.syncOperations.addHandler(TLSHandler(serving: context))
            }
            let timeouts = settings.timeouts
            let backpressure = BackpressureHandler(patience: .microseconds(timeouts.silence + timeouts.pingAnswer)) {
              origin.counters.countTimeout()
            }
            try channel.pipeline.syncOperations.addHandlers(backpressure, RTMPConnection(loop))
          }
        }
        .bind(to: address).get()
    } catch {
      throw .unavailable(address: "\(host):\(port)", reason: "\(error)")
    }
  }

  private init(_ listener: any Channel, _ secureListener: (any Channel)?, _ loops: RTMPLoops) {
    self.listener = listener
    self.secureListener = secureListener
    self.loops = loops
  }

  /// Closes the ports and all connections.
  package func stop() async {
    for listener in [listener, secureListener] { try? await listener?.close().get() }
    await loops.stop()
  }
}

/// The RTMP connections of each event loop.
final class RTMPLoops: Sendable {
  private let loops: [ObjectIdentifier: (any EventLoop, NIOLoopBound<RTMPLoop>)]

  init(_ origin: Origin, _ peers: ConnectionsPerAddress) async throws {
    var loops: [ObjectIdentifier: (any EventLoop, NIOLoopBound<RTMPLoop>)] = [:]
    for loop in origin.group.makeIterator() {
      loops[ObjectIdentifier(loop)] = try await loop.submit {
        (loop, NIOLoopBound(RTMPLoop(origin, loop, peers), eventLoop: loop))
      }.get()
    }
    self.loops = loops
  }

  /// Returns the RTMP loop of the channel's event loop; must be called on it.
  func loop(of channel: any Channel) -> RTMPLoop? { loops[ObjectIdentifier(channel.eventLoop)]?.1.value }

  func stop() async {
    for (loop, bound) in loops.values { try? await loop.submit { bound.value.stop() }.get() }
  }
}
