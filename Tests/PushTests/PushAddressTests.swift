import Dispatch
import Glibc
import NIOCore
import NIOPosix
import RoomPeers
import RoomRTMP
import RoomTLS
import RoomTestSupport
import Synchronization
import Testing

@testable import RoomPush

@Suite("Push: addresses of a host", .timeLimit(.minutes(1)))
struct PushAddressTests {
  /// Listens on a loopback address, and counts connections and received bytes.
  private final class Listener: Sendable {
    struct Seen {
      var accepted = 0
      var open = 0
      var bytes = 0
    }

    private final class Counter: ChannelInboundHandler {
      typealias InboundIn = ByteBuffer
      let seen: Listener
      init(_ seen: Listener) { self.seen = seen }
      func channelActive(context: ChannelHandlerContext) {
        seen.change { ($0.accepted, $0.open) = ($0.accepted + 1, $0.open + 1) }
      }
      func channelInactive(context: ChannelHandlerContext) { seen.change { $0.open -= 1 } }
      func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = unwrapInboundIn(data).readableBytes
        seen.change { $0.bytes += count }
      }
    }

    private let state = Mutex(Seen())
    private let channel = Mutex<(any Channel)?>(nil)

    var seen: Seen { state.withLock { $0 } }
    private func change(_ change: (inout sending Seen) -> Void) { state.withLock { change(&$0) } }

    /// - Parameter tls: The TLS context; nil for plain TCP.
    func listen(with tls: TLSContext? = nil) async throws -> SocketAddress {
      let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            if let tls { try channel.pipeline.syncOperations.addHandler(TLSHandler(serving: tls)) }
            try channel.pipeline.syncOperations.addHandler(Counter(self))
          }
        }
        .bind(host: "127.0.0.1", port: 0).get()
      self.channel.withLock { $0 = channel }
      return try #require(channel.localAddress)
    }

    func close() { channel.withLock { $0?.close(promise: nil) } }
  }

  /// An address that neither accepts nor refuses connections: its accept queue is full.
  private final class BlackHole {
    let address: SocketAddress
    private let sockets: [CInt]

    init() throws {
      let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_addr.s_addr = inet_addr("127.0.0.2")
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      var opened = [listener]
      let isFull = withUnsafeMutablePointer(to: &name) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          guard bind(listener, address, length) == 0, listen(listener, 0) == 0, getsockname(listener, address, &length) == 0
          else { return false }
          for _ in 0..<4 {
            let filler = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
            _ = connect(filler, address, length)
            opened.append(filler)
          }
          return true
        }
      }
      sockets = opened
      address = try SocketAddress(ipAddress: "127.0.0.2", port: Int(UInt16(bigEndian: name.sin_port)))
      try #require(isFull)
    }

    deinit { for socket in sockets { close(socket) } }
  }

  /// A running push and the states it reported.
  private final class Pushing: Sendable {
    private let said = Mutex<(states: [PushState], failure: PushFailure?)>(([], nil))
    private let loop = MultiThreadedEventLoopGroup.singleton.next()
    private let push = Mutex<NIOLoopBound<RTMPPush>?>(nil)

    var states: [PushState] { said.withLock { $0.states } }
    var failure: PushFailure? { said.withLock { $0.failure } }

    func start(
      _ options: PushLink.Options, allow: @escaping RTMPPush.Allow = { _ in true }, url: String = "rtmp://live.example/live/a",
      trust: TLSContext.Trust = .system, _ resolve: @escaping RTMPPush.Resolve
    ) async throws {
      let address = try #require(RTMPAddress(url))
      try await loop.submit { [self] in
        let made = RTMPPush(
          to: address, options: options, trust: trust, loop: loop, allow: allow, resolve: resolve,
          state: { [weak self] state, failure in
            self?.said.withLock { said in
              said.states.append(state)
              said.failure = failure ?? said.failure
            }
          }, keyFrameNeeded: {})
        push.withLock { $0 = NIOLoopBound(made, eventLoop: loop) }
        made.start()
      }.get()
    }

    func stop() async throws { try await loop.submit { [self] in push.withLock { $0 }?.value.stop() }.get() }
  }

  @Test("if the first address drops every packet, the push connects to the second long before the timeout")
  func blackHole() async throws {
    let (hole, listener, push) = (try BlackHole(), Listener(), Pushing())
    let good = try await listener.listen()
    defer { listener.close() }
    let entries = [hole.address, good]
    try await push.start(.init()) { _, _ in entries }
    // The handshake's first message.
    try await eventually("the second address receives the handshake", within: .seconds(3)) { listener.seen.bytes >= 1537 }
    #expect(push.states == [.connecting])
    try await push.stop()
    try await eventually("the connection is closed", within: .seconds(5)) { listener.seen.open == 0 }
    withExtendedLifetime(hole) {}
  }

  @Test("an address that is not an allowed target is never connected to, whatever other addresses the host has")
  func forbidden() async throws {
    let (hole, listener, push) = (try BlackHole(), Listener(), Pushing())
    let good = try await listener.listen()
    defer { listener.close() }
    let entries = [hole.address, good]
    var options = PushLink.Options()
    options.connectTime = 600_000
    options.retries = PushRetries(attempts: 0)
    try await push.start(options, allow: { $0.ipAddress == "127.0.0.2" }) { _, _ in entries }
    try await eventually("the push fails", within: .seconds(10)) { push.states.last == .error }
    #expect(listener.seen.accepted == 0)
    #expect(push.failure == .timeout("TCP"))
    withExtendedLifetime(hole) {}
  }

  @Test("with TLS, the push connects to the address that answers if its certificate is trusted", arguments: [true, false])
  func secure(isTrusted: Bool) async throws {
    let files = try CertificateFiles()
    let (hole, listener, push) = (try BlackHole(), Listener(), Pushing())
    let good = try await listener.listen(with: try SelfSigned.context())
    defer { listener.close() }
    let entries = [hole.address, good]
    var options = PushLink.Options()
    options.retries = PushRetries(attempts: 0)
    try await push.start(
      options, url: "rtmps://localhost/live/a",
      trust: isTrusted ? .file(files.certificate) : .system
    ) { _, _ in entries }
    if isTrusted {
      try await eventually("RTMP runs inside TLS", within: .seconds(4)) { listener.seen.bytes >= 1537 }
      #expect(push.states == [.connecting])
    } else {
      try await eventually("the push fails", within: .seconds(4)) { push.states.last == .error }
      #expect(push.failure?.name == "tls" && listener.seen.bytes == 0)
    }
    try await push.stop()
    try await eventually("the connection is closed", within: .seconds(5)) { listener.seen.open == 0 }
    withExtendedLifetime(hole) {}
  }

  @Test("a connection that opens after the timeout is closed", arguments: [false, true])
  func late(isStopped: Bool) async throws {
    let (listener, push) = (Listener(), Pushing())
    let good = try await listener.listen()
    defer { listener.close() }
    let isResolved = Mutex(false)
    let ended = DispatchSemaphore(value: 0)
    var options = PushLink.Options()
    options.connectTime = isStopped ? 5_000_000 : 100_000
    options.retries = PushRetries(attempts: 0)
    try await push.start(options) { _, _ in
      // Until the push has ended.
      ended.wait()
      isResolved.withLock { $0 = true }
      return [good]
    }
    if isStopped { try await push.stop() }
    try await eventually("the push has ended", within: .seconds(5)) { push.states.last == (isStopped ? .disconnected : .error) }
    ended.signal()
    try await eventually("the name is resolved", within: .seconds(5)) { isResolved.withLock { $0 } }
    // Real time, because nothing reports a connection that is not made. One over loopback arrives within a millisecond.
    try await Task.sleep(for: .milliseconds(50))
    #expect(listener.seen.open == 0)
  }
}

@Suite("Push: a server's error message")
struct PushRefusalTests {
  @Test("is reported without the stream key, which servers quote")
  func key() {
    let failure = PushFailure.rejected(
      code: "NetStream.Publish.BadName", reason: "live/secretkey?token=hush is in use, secretkey!")
    #expect(
      failure.hiding("secretkey?token=hush").description
        == "the server rejected the stream: NetStream.Publish.BadName, live/…?… is in use, …!")
    #expect(failure.hiding("studio") == failure)
    #expect(PushFailure.timeout("secretkey").hiding("secretkey") == .timeout("secretkey"))
  }
}
