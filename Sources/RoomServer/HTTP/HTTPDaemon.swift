import CMicroHTTPD
import Glibc
import NIOConcurrencyHelpers
import RoomProtocol
import WebRTC

/// libmicrohttpd with an epoll loop and a pool of threads, serving a `Router`.
///
/// What it does itself: headers, bodies within the limit, unknown paths and methods, authorisation, and the handshake of
/// WebSocket upgrades. Endpoints answer from Swift tasks while their connection is suspended.
final class HTTPDaemon: Sendable {
  struct Configuration: Sendable {
    var host: String
    var port: UInt16
    var threads: Int
    var connections: Int
    var bodyBytes: Int
    var proxies: TrustedProxies
    /// HTTPS with it; nil for HTTP.
    var certificate: CurrentCertificate?
  }

  /// What the daemon asks of the rest of the server.
  struct Handlers: Sendable {
    var router: Router
    /// Nil where the request bears a valid API token, else what to answer.
    var authorise: @Sendable (HTTPRequest) async -> HTTPResponse?
    /// Takes the socket over; called on a thread of the daemon.
    var upgraded: @Sendable (UpgradedSocket) -> Void
    var counters: ServerCounters
  }

  let configuration: Configuration
  private let largeBodies = LargeBodies()
  let handlers: Handlers
  private let state = NIOLockedValueBox(State())

  private struct State {
    var daemon: DaemonHandle?
    var port: UInt16 = 0
    /// Requests whose connection is suspended.
    var answering = 0
    /// Requests that were let in and are not over: their answers may be on their way.
    var open = 0
    /// No more are let in: their connections are closed.
    var isStopping = false
  }

  /// Sendable: libmicrohttpd's calls on a daemon may come from any thread.
  private struct DaemonHandle: @unchecked Sendable {
    let daemon: OpaquePointer
  }

  init(_ configuration: Configuration, handlers: Handlers) {
    self.configuration = configuration
    self.handlers = handlers
  }

  /// The port that is listened on; 0 before `start` and after `stop`.
  var port: UInt16 { state.withLockedValue { $0.port } }

  func start() throws(StartError) {
    guard let address = TransportAddress(host: configuration.host, port: configuration.port) else {
      throw .badAddress(configuration.host)
    }
    var storage = sockaddr_storage()
    let isIPv4 = address.isIPv4
    _ = address.write(to: &storage)
    // The daemon's callbacks borrow the pointer; stop() ends its threads before the owner lets go of this object.
    let context = Unmanaged.passUnretained(self).toOpaque()
    let completed: MHD_RequestCompletedCallback = { context, _, slot, _ in
      guard let context, let slot, let pointer = slot.pointee else { return }
      slot.pointee = nil
      let exchange = Unmanaged<HTTPExchange>.fromOpaque(pointer).takeRetainedValue()
      guard exchange.isOpen else { return }
      Unmanaged<HTTPDaemon>.fromOpaque(context).takeUnretainedValue().state.withLockedValue { $0.open -= 1 }
    }
    // The path is decoded by segment, so that an encoded slash or NUL stays inside its segment.
    let unescape: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int = {
      _, _, text in
      text.map { strlen($0) } ?? 0
    }
    let flags =
      MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_ALLOW_UPGRADE.rawValue
      | (isIPv4 ? 0 : configuration.host == "::" ? MHD_USE_DUAL_STACK.rawValue : MHD_USE_IPv6.rawValue)
      | (configuration.certificate == nil ? 0 : MHD_USE_TLS.rawValue)
    let daemon = withUnsafeMutablePointer(to: &storage) { storage in
      var options = [
        MHD_OptionItem(option: .THREAD_POOL_SIZE, value: max(1, configuration.threads), ptr_value: nil),
        MHD_OptionItem(option: .CONNECTION_LIMIT, value: configuration.connections, ptr_value: nil),
        MHD_OptionItem(option: .CONNECTION_TIMEOUT, value: 30, ptr_value: nil),
        MHD_OptionItem(option: .SOCK_ADDR, value: 0, ptr_value: UnsafeMutableRawPointer(storage)),
        MHD_OptionItem(option: .NOTIFY_COMPLETED, value: unsafeBitCast(completed, to: Int.self), ptr_value: context),
        MHD_OptionItem(option: .UNESCAPE_CALLBACK, value: unsafeBitCast(unescape, to: Int.self), ptr_value: nil),
      ]
      return SessionCertificates.withOptions(of: configuration.certificate) { secure in
        options += secure
        options.append(MHD_OptionItem(option: .END, value: 0, ptr_value: nil))
        return mhd_start(UInt32(flags), configuration.port, Self.access, context, &options)
      }
    }
    guard let daemon else {
      throw .http(address: "\(configuration.host):\(configuration.port)", reason: String(cString: strerror(errno)))
    }
    state.withLockedValue {
      $0.daemon = DaemonHandle(daemon: daemon)
      $0.port = mhd_port(daemon)
    }
  }

  /// Lets no request in any more; those that are being answered go on. Not by `MHD_quiesce_daemon`, which races with its own pool of
  /// threads for the listening socket, and aborts the process where it loses (libmicrohttpd 0.9.75).
  func quiesce() { state.withLockedValue { $0.isStopping = true } }

  /// How long clients have to take their answers when the server stops.
  private static let parting = Duration.seconds(1)

  /// Lets running requests end and waits for the threads. Upgraded sockets have to be released before.
  func stop() async {
    quiesce()
    guard let daemon = state.withLockedValue({ $0.daemon.take() }) else { return }
    let deadline = ContinuousClock.now + Self.parting
    // A suspended connection has to be resumed before the daemon may stop; and it drops what it has not sent.
    while state.withLockedValue({ $0.answering > 0 || $0.open > 0 && ContinuousClock.now < deadline }) {
      try? await Task.sleep(for: .milliseconds(5))
    }
    await blocking(named: "http-stop") { MHD_stop_daemon(daemon.daemon) }
    state.withLockedValue { $0.port = 0 }
  }

  // MARK: Requests

  private static let access: MHD_AccessHandlerCallback = { context, connection, url, method, _, upload, uploadSize, slot in
    guard let context, let connection, let url, let method, let uploadSize, let slot else { return .NO }
    let daemon = Unmanaged<HTTPDaemon>.fromOpaque(context).takeUnretainedValue()
    guard let pointer = slot.pointee else {
      let exchange = daemon.open(connection, url: String(cString: url), method: String(cString: method))
      slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
      // A body too long to be read to its end is answered at once; the connection then closes.
      if case .refused(let response) = exchange.stage, exchange.declaredBody > HTTPDaemon.drainedBytes {
        return daemon.queue(response, for: exchange, on: connection)
      }
      return .YES
    }
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(pointer).takeUnretainedValue()
    if uploadSize.pointee > 0 {
      guard let upload else { return .NO }
      let chunk = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
      uploadSize.pointee = 0
      return daemon.read(chunk, of: exchange) ? .YES : .NO
    }
    return daemon.proceed(exchange, on: connection)
  }

  /// How much of an unwanted body is read beyond what would be kept, so that the client gets to see the answer.
  static let drainedBytes = 1 << 20

  private func open(_ connection: OpaquePointer, url: String, method: String) -> HTTPExchange {
    let headers = Self.headers(of: connection)
    var request = HTTPRequest(
      method: method == "HEAD" ? "GET" : method, target: url, query: Self.query(of: connection), headers: headers,
      client: client(of: connection, headers))
    if request.target.isEmpty { request.target = "/" }
    switch handlers.router.match(method: request.method, target: request.target) {
    case .none:
      return HTTPExchange(request, stage: .refused(.error(404, HTTPError.noSuchPath)))
    case .otherMethods(let methods):
      if let preflight = CrossOrigin.preflight(request, methods: methods) {
        return HTTPExchange(request, stage: .refused(preflight))
      }
      let allowed = methods.flatMap { $0 == "GET" ? ["GET", "HEAD"] : [$0] }.joined(separator: ", ")
      return HTTPExchange(
        request, stage: .refused(.error(405, HTTPError.method(allowed: allowed), headers: [("Allow", allowed)])))
    case .found(let endpoint, let parameters):
      let limit = endpoint.largestBody ?? configuration.bodyBytes
      let place = endpoint.largestBody.flatMap { _ in largeBodies.enter() }
      let exchange = HTTPExchange(
        request, stage: .reading(endpoint, parameters: parameters), limit: limit, place: place)
      if exchange.declaredBody > limit {
        exchange.stage = .refused(.error(413, HTTPError.bodyTooLarge(limit: limit)))
      } else if endpoint.largestBody != nil, place == nil {
        exchange.stage = .refused(.error(503, HTTPError.badRequest("too many uploads at once; try again")))
      }
      return exchange
    }
  }

  /// False closes the connection: the client sends without end.
  private func read(_ chunk: UnsafeRawBufferPointer, of exchange: HTTPExchange) -> Bool {
    exchange.bodyBytes += chunk.count
    guard case .reading = exchange.stage else { return exchange.bodyBytes - exchange.limit <= Self.drainedBytes }
    if exchange.bodyBytes > exchange.limit {
      exchange.request.body = []
      exchange.stage = .refused(.error(413, HTTPError.bodyTooLarge(limit: exchange.limit)))
    } else {
      exchange.request.body.append(contentsOf: chunk)
    }
    return true
  }

  /// The request is whole, or its connection was resumed.
  private func proceed(_ exchange: HTTPExchange, on connection: OpaquePointer) -> MHD_Result {
    switch exchange.stage {
    case .refused(let response):
      return queue(response, for: exchange, on: connection)
    case .answering:
      guard let response = exchange.response.withLockedValue({ $0 }) else { return .YES }
      return queue(response, for: exchange, on: connection)
    case .answered:
      return .NO
    case .reading(let endpoint, let parameters):
      switch endpoint.action {
      case .signalling:
        return state.withLockedValue({ $0.isStopping }) ? .NO : upgrade(exchange, on: connection)
      case .answer(let handler):
        exchange.stage = .answering
        let isLetIn = state.withLockedValue { state in
          guard !state.isStopping else { return false }
          state.answering += 1
          state.open += 1
          return true
        }
        guard isLetIn else { return .NO }
        exchange.isOpen = true
        answer(exchange, endpoint: endpoint, on: connection) { await handler($0, parameters) }
        return .YES
      }
    }
  }

  private func answer(
    _ exchange: HTTPExchange, endpoint: Endpoint, on connection: OpaquePointer,
    handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
  ) {
    let request = exchange.request
    let slot = exchange.response
    let suspended = SuspendedConnection(suspending: connection)
    Task {
      let response: HTTPResponse
      if endpoint.access == .api, let refusal = await self.handlers.authorise(request) {
        response = refusal
      } else if endpoint.takesBody, let refusal = Self.refusal(ofBody: request) {
        response = refusal
      } else {
        response = await handler(request)
      }
      slot.withLockedValue { $0 = response }
      suspended.resume()
      self.state.withLockedValue { $0.answering -= 1 }
    }
  }

  /// What to answer where the body is not one that JSON can be read from.
  private static func refusal(ofBody request: HTTPRequest) -> HTTPResponse? {
    if request.header("content-length") == nil && request.header("transfer-encoding") == nil {
      return .error(411, HTTPError.noLength)
    }
    if request.contentType != "application/json" { return .error(415, HTTPError.notJSON) }
    return nil
  }

  // MARK: Upgrade

  private func upgrade(_ exchange: HTTPExchange, on connection: OpaquePointer) -> MHD_Result {
    let accept: String
    switch WebSocketHandshake.check(exchange.request) {
    case .refused(let response): return queue(response, for: exchange, on: connection)
    case .accepted(let key): accept = key
    }
    let taken: MHD_UpgradeHandler = { context, connection, slot, early, earlySize, socket, handle in
      guard let context, let slot, let handle else { return }
      // With TLS `socket` is one of a pair: the connection's own stays with the library, which leaves Nagle's algorithm on.
      if let connection { setNoDelay(mhd_socket(connection)) }
      let daemon = Unmanaged<HTTPDaemon>.fromOpaque(context).takeUnretainedValue()
      let exchange = Unmanaged<HTTPExchange>.fromOpaque(slot).takeUnretainedValue()
      let bytes = early.map { [UInt8](UnsafeRawBufferPointer(start: $0, count: earlySize)) } ?? []
      daemon.handlers.upgraded(
        UpgradedSocket(descriptor: socket, early: bytes, request: exchange.request, handle: handle))
    }
    guard let response = MHD_create_response_for_upgrade(taken, Unmanaged.passUnretained(self).toOpaque()) else { return .NO }
    defer { MHD_destroy_response(response) }
    MHD_add_response_header(response, "Upgrade", "websocket")
    MHD_add_response_header(response, "Sec-WebSocket-Accept", accept)
    exchange.stage = .answered
    handlers.counters.countRequest(status: 101)
    return MHD_queue_response(connection, 101, response)
  }

  // MARK: Responses

  private func queue(_ answer: HTTPResponse, for exchange: HTTPExchange, on connection: OpaquePointer) -> MHD_Result {
    exchange.stage = .answered
    handlers.counters.countRequest(status: answer.status)
    let response =
      if let stream = answer.stream {
        HTTPBodyReader.response(stream, on: connection)
      } else {
        answer.body.withUnsafeBytes { body in
          // The library copies and does not write, whatever its type says.
          MHD_create_response_from_buffer(
            body.count, UnsafeMutableRawPointer(mutating: body.baseAddress ?? UnsafeRawPointer(bitPattern: 1)),
            .RESPMEM_MUST_COPY)
        }
      }
    guard let response else { return .NO }
    defer { MHD_destroy_response(response) }
    for (name, value) in answer.headers + CrossOrigin.headers(of: exchange.request) {
      MHD_add_response_header(response, name, value)
    }
    return MHD_queue_response(connection, UInt32(answer.status), response)
  }

  private static func headers(of connection: OpaquePointer) -> [(name: String, value: String)] {
    values(.HEADER_KIND, of: connection).map { ($0.lowercased(), $1 ?? "") }
  }

  private static func query(of connection: OpaquePointer) -> String {
    values(.GET_ARGUMENT_KIND, of: connection).map { name, value in value.map { "\(name)=\($0)" } ?? name }
      .joined(separator: "&")
  }

  private static func values(_ kind: MHD_ValueKind, of connection: OpaquePointer) -> [(name: String, value: String?)] {
    var values: [(name: String, value: String?)] = []
    withUnsafeMutablePointer(to: &values) { pointer in
      _ = MHD_get_connection_values(
        connection, kind,
        { context, _, name, value in
          guard let context, let name else { return .YES }
          let values = context.assumingMemoryBound(to: [(name: String, value: String?)].self)
          values.pointee.append((String(cString: name), value.map { String(cString: $0) }))
          return .YES
        }, pointer)
    }
    return values
  }

  /// Whom a request is from: the peer, or whoever a proxy says that it speaks for.
  private func client(of connection: OpaquePointer, _ headers: [(name: String, value: String)]) -> TransportAddress? {
    guard let peer = Self.peer(of: connection) else { return nil }
    let lines = headers.lazy.filter { $0.name == "x-forwarded-for" }.map(\.value)
    let found = configuration.proxies.client(of: peer, forwardedFor: Array(lines))
    if found.isCut { handlers.counters.count(limit: .forwardedFor) }
    return found.client
  }

  private static func peer(of connection: OpaquePointer) -> TransportAddress? {
    guard let address = mhd_client_address(connection) else { return nil }
    return address.withMemoryRebound(to: sockaddr_storage.self, capacity: 1) { TransportAddress($0) }
  }
}

private func setNoDelay(_ socket: CInt) {
  var on: CInt = 1
  setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
}

extension HTTPExchange {
  /// The body's length by the client's own word; 0 where it gives none.
  var declaredBody: Int { request.header("content-length").flatMap { Int($0) } ?? 0 }
}
