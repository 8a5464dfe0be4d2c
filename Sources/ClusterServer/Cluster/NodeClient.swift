import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import RoomHTTPServer
import RoomProtocol
import RoomServer
import RoomTLS

/// Sends requests to other nodes by HTTP/1.1.
final class NodeClient: Sendable {
  /// Why a request has no answer.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The largest body of an answer.
  private static let largestBody = 16 << 20

  let tls: TLSContext
  private let group: any EventLoopGroup

  init(tls: TLSContext, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton) {
    self.tls = tls
    self.group = group
  }

  /// Sends a request, and returns the answer.
  /// - Parameter address: `http://` or `https://` with host and port.
  func send(_ request: HTTPRequest, to address: String, within time: Duration) async throws(Failure) -> HTTPResponse {
    let loop = group.next()
    let answer = loop.makePromise(of: HTTPResponse.self)
    let deadline = loop.scheduleTask(in: .milliseconds(time.milliseconds)) {
      answer.fail(Failure(description: "no answer in time"))
    }
    defer { deadline.cancel() }
    do {
      let channel = try await open(request, to: address, within: time, on: loop) {
        [NIOHTTPClientResponseAggregator(maxContentLength: Self.largestBody), AnswerHandler(answer)]
      }
      defer { channel.close(promise: nil) }
      return try await answer.futureResult.get()
    } catch {
      answer.fail(error)
      throw Failure(error)
    }
  }

  /// Sends a request, and passes the body of the answer as it arrives. Returns at its end, and closes the connection if the calling
  /// task is cancelled.
  /// - Parameters:
  ///   - time: timeout of the connection and the head of the answer.
  ///   - receive: called on one event loop; an error closes the connection.
  /// - Throws: also for an answer with another status than 200.
  func read(
    _ request: HTTPRequest, from address: String, within time: Duration,
    receive: @escaping @Sendable (ByteBuffer) throws -> Void
  ) async throws(Failure) {
    let loop = group.next()
    let end = loop.makePromise(of: Void.self)
    do {
      let channel = try await open(request, to: address, within: time, on: loop) {
        [BodyHandler(end, within: .milliseconds(time.milliseconds), receive)]
      }
      defer { channel.close(promise: nil) }
      try await withTaskCancellationHandler {
        try await end.futureResult.get()
      } onCancel: {
        channel.close(promise: nil)
      }
    } catch {
      end.fail(error)
      throw Failure(error)
    }
  }

  /// Connects and sends a request.
  /// - Parameter handlers: makes the last handlers of the connection.
  private func open(
    _ request: HTTPRequest, to address: String, within time: Duration, on loop: any EventLoop,
    handlers: @escaping @Sendable () -> [any ChannelHandler]
  ) async throws -> any Channel {
    guard let url = NodeURL(address) else { throw Failure(description: "\(address) is no URL") }
    var head = HTTPRequestHead(
      version: .http1_1, method: HTTPMethod(rawValue: request.isHead ? "HEAD" : request.method),
      uri: request.sentURI)
    for (name, value) in request.headers { head.headers.add(name: name, value: value) }
    head.headers.replaceOrAdd(name: "host", value: url.authority)
    head.headers.replaceOrAdd(name: "connection", value: "close")
    if !request.body.isEmpty || request.header("content-length") != nil {
      head.headers.replaceOrAdd(name: "content-length", value: "\(request.body.count)")
    }
    let channel = try await ClientBootstrap(group: loop)
      .connectTimeout(.milliseconds(time.milliseconds))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { [tls] channel in
        channel.eventLoop.makeCompletedFuture {
          if url.isSecure { try channel.pipeline.syncOperations.addHandler(TLSHandler(tls, host: url.host)) }
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          try channel.pipeline.syncOperations.addHandlers(handlers())
        }
      }
      .connect(host: url.host, port: url.port).get()
    channel.write(HTTPClientRequestPart.head(head), promise: nil)
    if !request.body.isEmpty {
      channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: request.body))), promise: nil)
    }
    // A failed write also closes the connection, which the handlers notice.
    channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    return channel
  }
}

extension NodeClient.Failure {
  fileprivate init(_ error: any Error) { self = error as? Self ?? Self(description: String("\(error)".prefix(200))) }
}

/// Passes the body of an answer as it arrives, and completes a promise at its end.
private final class BodyHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  private let end: EventLoopPromise<Void>
  private let limit: TimeAmount
  private let receive: @Sendable (ByteBuffer) throws -> Void
  private var deadline: Scheduled<Void>?

  init(_ end: EventLoopPromise<Void>, within limit: TimeAmount, _ receive: @escaping @Sendable (ByteBuffer) throws -> Void) {
    self.end = end
    self.limit = limit
    self.receive = receive
  }

  func handlerAdded(context: ChannelHandlerContext) {
    deadline = context.eventLoop.scheduleTask(in: limit) { [end] in
      end.fail(NodeClient.Failure(description: "no answer in time"))
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      deadline?.cancel()
      if head.status != .ok { fail(NodeClient.Failure(description: "the answer is \(head.status.code)"), context) }
    case .body(let bytes):
      do { try receive(bytes) } catch { fail(error, context) }
    case .end: end.succeed()
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { fail(error, context) }

  func channelInactive(context: ChannelHandlerContext) {
    end.fail(NodeClient.Failure(description: "the connection was closed"))
  }

  private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
    end.fail(error)
    context.close(promise: nil)
  }
}

/// Completes a promise with the answer, or with the end of the connection.
private final class AnswerHandler: ChannelInboundHandler {
  typealias InboundIn = NIOHTTPClientResponseFull

  private let answer: EventLoopPromise<HTTPResponse>

  init(_ answer: EventLoopPromise<HTTPResponse>) { self.answer = answer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let full = unwrapInboundIn(data)
    answer.succeed(
      HTTPResponse(
        status: Int(full.head.status.code), headers: full.head.headers.map { ($0.name, $0.value) },
        body: full.body.map { Array($0.readableBytesView) } ?? []))
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    answer.fail(error)
    context.close(promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    answer.fail(NodeClient.Failure(description: "closed without an answer"))
  }
}
