import NIOCore
import NIOHTTP1
import NIOPosix
import RoomRTP
import RoomTLS
import Synchronization

/// Posts to one webhook over HTTP/1.1, on connections that it keeps for reuse.
final class WebhookClient: Sendable {
  enum Outcome: Sendable, Equatable {
    case status(Int)
    /// No answer; with a short reason.
    case failed(String)

    var succeeded: Bool { if case .status(200..<300) = self { true } else { false } }
  }

  private let address: WebhookAddress
  private let group: any EventLoopGroup
  private let tls: TLSContext?
  private let timeout: TimeAmount
  private let idle = Mutex<[any Channel]>([])

  init(_ address: WebhookAddress, timeout: Duration, trustedCertificates: String? = nil, group: any EventLoopGroup) throws {
    self.address = address
    self.group = group
    self.timeout = .milliseconds(timeout.milliseconds)
    tls = address.isSecure ? try TLSContext(trusting: trustedCertificates.map { .file($0) } ?? .system) : nil
  }

  func post(_ request: WebhookRequest) async -> Outcome {
    let body = request.body
    var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: address.target)
    head.headers = ["Host": address.authority, "User-Agent": "roomserver", "Content-Type": request.contentType]
    head.headers.add(name: "Content-Length", value: "\(body.count)")
    head.headers.add(name: request.proof.name, value: request.proof.value)
    // The receiver may have closed a kept connection meanwhile, which is not a failure.
    while let kept = idle.withLock({ $0.popLast() }) {
      guard kept.isActive else { continue }
      if let outcome = await exchange(head, body, on: kept, isKept: true) { return outcome }
    }
    do {
      let channel = try await connect()
      return await exchange(head, body, on: channel, isKept: false) ?? .failed("closed without an answer")
    } catch {
      return .failed(Self.words(error))
    }
  }

  /// Closes the kept connections.
  func close() {
    for channel in idle.withLock({ idle in
      defer { idle = [] }
      return idle
    }) { channel.close(promise: nil) }
  }

  private func connect() async throws -> any Channel {
    try await ClientBootstrap(group: group)
      .connectTimeout(timeout)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { [tls, address] channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls { try channel.pipeline.syncOperations.addHandler(TLSHandler(tls, host: address.host)) }
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          try channel.pipeline.syncOperations.addHandler(ExchangeHandler())
        }
      }
      .connect(host: address.host, port: address.port).get()
  }

  /// Returns nil if a kept connection was closed before any part of an answer arrived.
  private func exchange(_ head: HTTPRequestHead, _ body: [UInt8], on channel: any Channel, isKept: Bool) async -> Outcome? {
    let answer = channel.eventLoop.makePromise(of: ExchangeHandler.Answer.self)
    let deadline = channel.eventLoop.scheduleTask(in: timeout) { answer.fail(ExchangeHandler.Failure.timeout) }
    let exchange = ExchangeHandler.Exchange(head: head, body: ByteBuffer(bytes: body), answer: answer)
    channel.writeAndFlush(exchange).cascadeFailure(to: answer)
    defer { deadline.cancel() }
    do {
      let answer = try await answer.futureResult.get()
      if answer.keepsConnection {
        idle.withLock { $0.append(channel) }
      } else {
        channel.close(promise: nil)
      }
      return .status(answer.status)
    } catch {
      channel.close(promise: nil)
      return isKept && error as? ExchangeHandler.Failure == .closed ? nil : .failed(Self.words(error))
    }
  }

  private static func words(_ error: any Error) -> String {
    switch error {
    case ExchangeHandler.Failure.timeout, ChannelError.connectTimeout: "timeout"
    case ExchangeHandler.Failure.closed: "closed without an answer"
    default: String("\(error)".prefix(200))
    }
  }
}

/// Sends requests and receives their answers one after the other on a connection. Keeps only the status of an answer.
private final class ExchangeHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundIn = Exchange
  typealias OutboundOut = HTTPClientRequestPart

  struct Exchange: Sendable {
    var head: HTTPRequestHead
    var body: ByteBuffer
    var answer: EventLoopPromise<Answer>
  }

  struct Answer: Sendable {
    var status: Int
    var keepsConnection: Bool
  }

  enum Failure: Error { case closed, timeout }

  /// The maximum body of an answer in bytes; a longer one ends its connection.
  private static let longestBody = 65_536

  private var waiting: EventLoopPromise<Answer>?
  private var head: HTTPResponseHead?
  private var bytes = 0

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let exchange = Self.unwrapOutboundIn(data)
    waiting = exchange.answer
    head = nil
    bytes = 0
    context.write(Self.wrapOutboundOut(.head(exchange.head)), promise: nil)
    context.write(Self.wrapOutboundOut(.body(.byteBuffer(exchange.body))), promise: nil)
    context.write(Self.wrapOutboundOut(.end(nil)), promise: promise)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch Self.unwrapInboundIn(data) {
    case .head(let head): self.head = head
    case .body(let body):
      bytes += body.readableBytes
      if bytes > Self.longestBody { answer(keepsConnection: false) }
    case .end: answer(keepsConnection: head?.isKeepAlive ?? false)
    }
  }

  private func answer(keepsConnection: Bool) {
    guard let head, let waiting else { return }
    self.waiting = nil
    waiting.succeed(Answer(status: Int(head.status.code), keepsConnection: keepsConnection))
  }

  func channelInactive(context: ChannelHandlerContext) { fail(Failure.closed) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    fail(error)
    context.close(promise: nil)
  }

  private func fail(_ error: any Error) {
    waiting?.fail(error)
    waiting = nil
  }
}
