import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import RoomHTTPServer
import RoomProtocol

/// Sends requests to other nodes by HTTP/1.1.
final class NodeClient: Sendable {
  /// Why a request has no answer.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The largest body of an answer.
  private static let largestBody = 16 << 20

  private let tls: NIOSSLContext?
  private let group: any EventLoopGroup

  init(group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton) {
    self.group = group
    tls = try? NIOSSLContext(configuration: .makeClientConfiguration())
  }

  /// Sends a request, and returns the answer.
  /// - Parameter address: `http://` or `https://` with host and port.
  func send(_ request: HTTPRequest, to address: String, within time: Duration) async throws(Failure) -> HTTPResponse {
    guard let url = URLComponents(string: address), let host = url.host?.trimmingCharacters(in: ["[", "]"]) else {
      throw Failure(description: "\(address) is no URL")
    }
    let isSecure = url.scheme == "https"
    let limit = TimeAmount.milliseconds(time.milliseconds)
    let loop = group.next()
    let answer = loop.makePromise(of: HTTPResponse.self)
    let deadline = loop.scheduleTask(in: limit) { answer.fail(Failure(description: "no answer in time")) }
    defer { deadline.cancel() }
    var head = HTTPRequestHead(
      version: .http1_1, method: HTTPMethod(rawValue: request.isHead ? "HEAD" : request.method),
      uri: request.target + (request.query.isEmpty ? "" : "?\(request.query)"))
    for (name, value) in request.headers { head.headers.add(name: name, value: value) }
    head.headers.replaceOrAdd(name: "host", value: url.port.map { "\(url.host ?? host):\($0)" } ?? url.host ?? host)
    head.headers.replaceOrAdd(name: "connection", value: "close")
    if !request.body.isEmpty || request.header("content-length") != nil {
      head.headers.replaceOrAdd(name: "content-length", value: "\(request.body.count)")
    }
    do {
      let channel = try await ClientBootstrap(group: loop)
        .connectTimeout(limit)
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        .channelInitializer { [tls] channel in
          channel.eventLoop.makeCompletedFuture {
            if isSecure {
              guard let tls else { throw Failure(description: "TLS is not available") }
              let isName = (try? SocketAddress(ipAddress: host, port: 0)) == nil
              try channel.pipeline.syncOperations.addHandler(
                NIOSSLClientHandler(context: tls, serverHostname: isName ? host : nil))
            }
            try channel.pipeline.syncOperations.addHTTPClientHandlers()
            try channel.pipeline.syncOperations.addHandlers([
              NIOHTTPClientResponseAggregator(maxContentLength: Self.largestBody), AnswerHandler(answer),
            ])
          }
        }
        .connect(host: host, port: url.port ?? (isSecure ? 443 : 80)).get()
      defer { channel.close(promise: nil) }
      channel.write(HTTPClientRequestPart.head(head), promise: nil)
      if !request.body.isEmpty {
        channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: request.body))), promise: nil)
      }
      channel.writeAndFlush(HTTPClientRequestPart.end(nil)).cascadeFailure(to: answer)
      return try await answer.futureResult.get()
    } catch let failure as Failure {
      answer.fail(failure)
      throw failure
    } catch {
      answer.fail(error)
      throw Failure(description: String("\(error)".prefix(200)))
    }
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
