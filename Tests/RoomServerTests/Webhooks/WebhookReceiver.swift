import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import RoomProtocol
import RoomTLS
import RoomTestSupport

/// An app's own server. It binds a port from the start, listens on demand, and answers as configured.
final class WebhookReceiver: Sendable {
  /// An accepted delivery.
  struct Delivery: Sendable {
    var signature: String
    var body: [UInt8]
    var event: Event
  }

  struct Event: Decodable, Sendable {
    var id: String
    var sequence: Int
    var room: RoomName
    var roomSession: String
    var event: String
    var time: Int64
  }

  private struct State {
    var status = 200
    var taken: [Delivery] = []
    var refused = 0
    var connections = 0
    var channel: (any Channel)?
  }

  let port: UInt16
  private let descriptor: CInt
  private let state = Shared(State())

  /// Binds a port that refuses connections.
  init() throws {
    let bound = try BoundSocket()
    (port, descriptor) = (bound.port, bound.descriptor)
  }

  /// The URL over TLS.
  var secureURL: String { "https://localhost:\(port)/hook?key=value" }
  var url: String { "http://127.0.0.1:\(port)/hook?key=value" }

  /// Accepts connections from now on.
  func listen(with tls: TLSContext? = nil) async throws {
    let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { [state] channel in
        state.withLock { $0.connections += 1 }
        return channel.eventLoop.makeCompletedFuture {
          if let tls { try channel.pipeline.syncOperations.addHandler(TLSHandler(serving: tls)) }
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(Handler(state))
        }
      }
      .withBoundSocket(descriptor).get()
    state.withLock { $0.channel = channel }
  }

  /// Sets the status of all further answers.
  func answer(_ status: Int) { state.withLock { $0.status = status } }

  /// All deliveries that were answered with 2xx.
  var taken: [Delivery] { state.withLock { $0.taken } }
  /// The number of deliveries that were answered with another status.
  var refused: Int { state.withLock { $0.refused } }
  /// The number of connections accepted.
  var connections: Int { state.withLock { $0.connections } }

  func events(of room: RoomName) -> [Event] { taken.map(\.event).filter { $0.room == room } }

  func stop() async {
    if let channel = state.withLock({ $0.channel }) { try? await channel.close().get() } else { close(descriptor) }
  }

  private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart
    private let state: Shared<State>
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []

    init(_ state: Shared<State>) { self.state = state }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch Self.unwrapInboundIn(data) {
      case .head(let head):
        self.head = head
        body = []
      case .body(let part): body += part.readableBytesView
      case .end: answer(context)
      }
    }

    private func answer(_ context: ChannelHandlerContext) {
      let event = try? JSONDecoder().decode(Event.self, from: Data(body))
      let signature = head?.headers.first(name: "Roomserver-Signature") ?? ""
      let isRight = head?.method == .POST && head?.uri == "/hook?key=value"
      let status = state.withLock { state in
        guard (200..<300).contains(state.status), isRight, let event else {
          state.refused += 1
          return isRight && event != nil ? state.status : 400
        }
        state.taken.append(Delivery(signature: signature, body: body, event: event))
        return state.status
      }
      let response = HTTPResponseHead(
        version: .http1_1, status: .init(statusCode: status), headers: status == 204 ? [:] : ["Content-Length": "0"])
      context.write(Self.wrapOutboundOut(.head(response)), promise: nil)
      context.writeAndFlush(Self.wrapOutboundOut(.end(nil)), promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}

/// A port to which the kernel accepts connections that are never read.
struct SilentListener {
  let port: UInt16
  private let descriptor: CInt

  init() throws {
    let receiver = try BoundSocket()
    guard listen(receiver.descriptor, 16) == 0 else { throw DidNotHappen(what: "a listener") }
    (port, descriptor) = (receiver.port, receiver.descriptor)
  }

  func close() { _ = Glibc.close(descriptor) }
}

/// A TCP port of 127.0.0.1 without a listener.
struct BoundSocket {
  let port: UInt16
  let descriptor: CInt

  init() throws {
    let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard bound else { throw DidNotHappen(what: "a port") }
    self.descriptor = descriptor
    port = UInt16(bigEndian: address.sin_port)
  }
}
