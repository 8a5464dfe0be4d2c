import NIOCore
import NIOPosix
import RoomLinkModel
import RoomLossyLink
import RoomProtocol
import RoomWebRTC
import Synchronization

/// The way of one bot to a server on this machine, which can be cut: signalling passes a relay, media links of the bot's own.
final class CuttableNetwork: Sendable {
  private let state: CuttableState
  private let listener: any Channel

  /// - Parameters:
  ///   - host: the numeric address of the server on this machine.
  ///   - port: the server's port of HTTP and signalling.
  init(to host: String, port: Int) async throws {
    let state = CuttableState()
    self.state = state
    listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { client in
        guard state.add(client) else { return client.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
        return ClientBootstrap(group: client.eventLoop).connect(host: host, port: port).flatMapThrowing { server in
          let (out, back) = RelayHandler.pair()
          try client.pipeline.syncOperations.addHandler(out)
          try server.pipeline.syncOperations.addHandler(back)
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  /// The port at which the bot reaches the server's HTTP and signalling.
  var signallingPort: Int { listener.localAddress?.port ?? 0 }

  /// Returns the address to use for media instead of the server's.
  func detour(for address: TransportAddress) -> TransportAddress {
    // Media over TCP would pass a cut.
    guard !address.isTCP, address.isIPv4 else { return TransportAddress(ipv4: 0x7F00_0001, port: 9) }
    let port = state.value.withLock { state -> UInt16? in
      if let link = state.links[address.port] { return link.port }
      let conditions = Self.conditions(isCut: state.isCut)
      let link = try? LossyLink(to: address.port, toTarget: conditions, toClient: conditions, seed: UInt64(address.port))
      state.links[address.port] = link
      return link?.port
    }
    return port.map { TransportAddress(ipv4: 0x7F00_0001, port: $0) } ?? address
  }

  /// Closes the connections, and loses all packets and refuses connections from now on.
  func cut() {
    let channels = state.value.withLock { state in
      state.isCut = true
      for link in state.links.values { Self.set(link, isCut: true) }
      defer { state.relayed = [:] }
      return Array(state.relayed.values)
    }
    for channel in channels { channel.close(promise: nil) }
  }

  /// Carries packets and accepts connections again.
  func restore() {
    state.value.withLock { state in
      state.isCut = false
      for link in state.links.values { Self.set(link, isCut: false) }
    }
  }

  func stop() async {
    cut()
    try? await listener.close()
    let links = state.value.withLock { state in
      defer { state.links = [:] }
      return Array(state.links.values)
    }
    for link in links { link.stop() }
  }

  private static func conditions(isCut: Bool) -> LinkConditions { isCut ? LinkConditions(loss: 1) : .perfect }

  private static func set(_ link: LossyLink, isCut: Bool) {
    for direction in [LossyLink.Direction.toTarget, .toClient] { link.set(direction, to: conditions(isCut: isCut)) }
  }
}

/// The links and relayed connections of a network.
private final class CuttableState: Sendable {
  struct Value {
    var links: [UInt16: LossyLink] = [:]
    var relayed: [ObjectIdentifier: any Channel] = [:]
    var isCut = false
  }

  let value = Mutex(Value())

  /// Notes a connection; returns false while the network is cut.
  func add(_ channel: any Channel) -> Bool {
    let id = ObjectIdentifier(channel)
    let isOpen = value.withLock { state in
      guard !state.isCut else { return false }
      state.relayed[id] = channel
      return true
    }
    if isOpen { channel.closeFuture.whenComplete { _ in self.value.withLock { $0.relayed[id] = nil } } }
    return isOpen
  }
}

/// One side of a relayed connection. Both sides are on one event loop.
private final class RelayHandler: ChannelDuplexHandler {
  typealias InboundIn = NIOAny
  typealias OutboundIn = NIOAny
  typealias OutboundOut = NIOAny

  private var partner: RelayHandler?
  private var context: ChannelHandlerContext?
  private var wantsRead = false

  static func pair() -> (RelayHandler, RelayHandler) {
    let (one, other) = (RelayHandler(), RelayHandler())
    (one.partner, other.partner) = (other, one)
    return (one, other)
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) { (self.context, partner) = (nil, nil) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { partner?.context?.write(data, promise: nil) }

  func channelReadComplete(context: ChannelHandlerContext) { partner?.context?.flush() }

  func channelInactive(context: ChannelHandlerContext) { partner?.context?.close(promise: nil) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    guard context.channel.isWritable, let partner, partner.wantsRead else { return }
    partner.wantsRead = false
    partner.context?.read()
  }

  /// A side that does not read stops what is read from the other.
  func read(context: ChannelHandlerContext) {
    if partner?.context?.channel.isWritable ?? true { context.read() } else { wantsRead = true }
  }
}
