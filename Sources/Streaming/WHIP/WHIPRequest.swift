import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import RoomClient
import RoomTLS

/// A request of a WHIP client and its response, each on a connection of its own.
struct WHIPRequest: Sendable {
  /// The time for a request, in seconds.
  private static let patience = TimeAmount.seconds(10)
  /// The largest response in bytes.
  private static let limit = 256 << 10

  struct Response: Sendable {
    var status: Int
    var location: String?
    var body: String
    /// The address of the server, without a port.
    var address: SocketAddress?
  }

  var method: HTTPMethod
  var url: URL
  var token: String?
  /// An SDP offer.
  var body: String?
  var trust: ServerTrust
  var resolver: StreamingResolver?

  /// Sends the request.
  func response() async throws(StreamingFailure) -> Response {
    do { return try await exchange() } catch { throw StreamingFailure(http: error) }
  }

  private func exchange() async throws -> Response {
    let isSecure = url.scheme?.lowercased() == "https"
    let host = (url.host() ?? "").trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    let port = url.port ?? (isSecure ? 443 : 80)
    let tls = try isSecure ? trust.context() : nil
    let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(Self.patience)
    let target: SocketAddress? = try await resolver?.addresses(of: host, port: UInt16(clamping: port)).first
    let setUp: @Sendable (any Channel) -> EventLoopFuture<NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>> = {
      channel in
      channel.eventLoop.makeCompletedFuture {
        if let tls { try channel.pipeline.syncOperations.addHandler(TLSHandler(tls, host: host)) }
        try channel.pipeline.syncOperations.addHTTPClientHandlers()
        return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
      }
    }
    let channel =
      if let target {
        try await bootstrap.connect(to: target, channelInitializer: setUp)
      } else {
        try await bootstrap.connect(host: host, port: port, channelInitializer: setUp)
      }
    let timeout = channel.channel.eventLoop.scheduleTask(in: Self.patience) {
      channel.channel.pipeline.fireErrorCaught(StreamingFailure.timedOut("HTTP"))
    }
    defer { timeout.cancel() }
    return try await channel.executeThenClose { inbound, outbound in
      try await outbound.write(.head(head(host: host)))
      if let body { try await outbound.write(.body(.byteBuffer(ByteBuffer(string: body)))) }
      try await outbound.write(.end(nil))
      var response = Response(status: 0, body: "", address: channel.channel.remoteAddress)
      var bytes = ByteBuffer()
      for try await part in inbound {
        switch part {
        case .head(let head):
          response.status = Int(head.status.code)
          response.location = head.headers.first(name: "Location")
        case .body(var part):
          bytes.writeBuffer(&part)
          guard bytes.readableBytes <= Self.limit else { throw StreamingFailure.protocolViolation("the answer is too long") }
        case .end:
          response.body = String(buffer: bytes)
          return response
        }
      }
      throw StreamingFailure.connectionLost("closed by the server")
    }
  }

  private func head(host: String) -> HTTPRequestHead {
    let parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
    let path = parts?.percentEncodedPath ?? ""
    let query = parts?.percentEncodedQuery.map { "?\($0)" } ?? ""
    let literal = host.contains(":") ? "[\(host)]" : host
    var headers: HTTPHeaders = ["Host": url.port.map { "\(literal):\($0)" } ?? literal, "User-Agent": "RoomStreaming"]
    headers.add(name: "Content-Length", value: "\(body?.utf8.count ?? 0)")
    if body != nil { headers.add(name: "Content-Type", value: "application/sdp") }
    if let token { headers.add(name: "Authorization", value: "Bearer \(token)") }
    return HTTPRequestHead(version: .http1_1, method: method, uri: (path.isEmpty ? "/" : path) + query, headers: headers)
  }
}

extension StreamingFailure {
  fileprivate init(http error: any Error) {
    if let failure = error as? StreamingFailure {
      self = failure
      return
    }
    let failure = ConnectFailure(error)
    self =
      switch failure.kind {
      case .nameNotFound: .nameNotFound(failure.cause)
      case .timedOut: .timedOut("TCP")
      case .untrustedCertificate, .tls, .invalidTrust: .tls(failure.cause)
      case .closed: .connectionLost(failure.cause)
      default: .unreachable(failure.cause)
      }
  }

  /// Creates the failure of an endpoint that did not answer with 201. The body may be an object with a message.
  init(status: Int, body: String) {
    struct Answer: Decodable { var message: String? }
    let message = (try? JSONDecoder().decode(Answer.self, from: Data(body.utf8)))?.message
    let text = "\(status) \(message ?? String(body.prefix(200)))"
    self.init(answer: text, isForbidden: status == 401 || status == 403)
  }
}
