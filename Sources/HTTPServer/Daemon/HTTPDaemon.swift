import RoomCMicroHTTPD
import Glibc
import RoomLinux
import RoomWebRTC
import Synchronization

/// libmicrohttpd with an epoll loop and a pool of threads, serving a `Router`.
///
/// The daemon handles headers, body limits, unknown paths and methods, authorisation, and the handshake of WebSocket upgrades
/// itself. Endpoints answer at once (`Endpoint.Action.prompt`), or from Swift tasks while their connection is suspended. Endpoints
/// get complete bodies, or read a body while it arrives (`BodyReceptions`).
package final class HTTPDaemon: Sendable {
  package struct Configuration: Sendable {
    package var host: String
    package var port: UInt16
    package var threads: Int
    package var connections: Int
    package var bodyBytes: Int
    /// How long the head of a request may take.
    package var requestTime: Duration
    /// The time without a byte after which a connection is closed; whole seconds, at least 1.
    package var idleTime: Duration
    package var proxies: TrustedProxies
    /// The certificate of HTTPS; nil for HTTP.
    package var certificate: CurrentCertificate?
    /// Headers of every answer.
    package var headers: [(name: String, value: String)] = []

    package init(
      host: String, port: UInt16, threads: Int, connections: Int, bodyBytes: Int, requestTime: Duration,
      idleTime: Duration, proxies: TrustedProxies,
      certificate: CurrentCertificate? = nil, headers: [(name: String, value: String)] = []
    ) {
      self.host = host
      self.port = port
      self.threads = threads
      self.connections = connections
      self.bodyBytes = bodyBytes
      self.requestTime = requestTime
      self.idleTime = idleTime
      self.proxies = proxies
      self.certificate = certificate
      self.headers = headers
    }
  }

  /// The callbacks into the rest of the server.
  package struct Handlers: Sendable {
    package var router: Router
    /// Returns nil if the request has a valid API token, else the error response.
    package var authorise: @Sendable (HTTPRequest) -> HTTPResponse?
    /// Takes over the socket; called on a thread of the daemon.
    package var upgraded: @Sendable (UpgradedSocket) -> Void
    package var counters: HTTPCounters
    /// The TCP connections by peer.
    package var peers: ConnectionsPerAddress
    /// The signalling sockets by client, including clients behind proxies.
    package var clients: ConnectionsPerAddress
    /// Returns who opens a WebSocket.
    package var origin: @Sendable (HTTPRequest) -> SocketOrigin = { _ in .client }

    package init(
      router: Router, authorise: @escaping @Sendable (HTTPRequest) -> HTTPResponse?,
      upgraded: @escaping @Sendable (UpgradedSocket) -> Void, counters: HTTPCounters, peers: ConnectionsPerAddress,
      clients: ConnectionsPerAddress
    ) {
      self.router = router
      self.authorise = authorise
      self.upgraded = upgraded
      self.counters = counters
      self.peers = peers
      self.clients = clients
    }
  }

  let configuration: Configuration
  private let largeBodies = LargeBodies()
  private let receptions = BodyReceptions()
  private let connections = HTTPConnections()
  /// The upgraded sockets that no longer are connections of the library.
  private let sockets = Guarded(0)
  let handlers: Handlers
  private let state = Mutex(State())

  private struct State {
    var daemon: DaemonHandle?
    var port: UInt16 = 0
    /// Requests whose connection is suspended.
    var answering = 0
    /// Accepted requests that have not ended: their answers may be in flight.
    var open = 0
    /// Whether new requests are rejected by closing their connections.
    var isStopping = false
    /// Ends connections whose requests are overdue.
    var sweeping: Task<Void, Never>?
  }

  /// Sendable: libmicrohttpd's calls on a daemon may come from any thread.
  private struct DaemonHandle: @unchecked Sendable {
    let daemon: OpaquePointer
  }

  package init(_ configuration: Configuration, handlers: Handlers) {
    self.configuration = configuration
    self.handlers = handlers
  }

  /// The port that the daemon listens on; 0 before `start` and after `stop`.
  package var port: UInt16 { state.withLock { $0.port } }

  /// Starts to listen and serve.
  package func start() throws(ListenError) {
    guard let address = TransportAddress(host: configuration.host, port: configuration.port) else {
      throw .badAddress(configuration.host)
    }
    var storage = sockaddr_storage()
    let isIPv4 = address.isIPv4
    _ = address.write(to: &storage)
    // The daemon's callbacks borrow the pointer; stop() ends its threads before the owner releases this object.
    let context = Unmanaged.passUnretained(self).toOpaque()
    let completed: MHD_RequestCompletedCallback = { context, connection, slot, _ in
      guard let context, let slot, let pointer = slot.pointee else { return }
      slot.pointee = nil
      if let connection { HTTPDaemon.kept(of: connection)?.changeDeadline { $0.answered(now: .now) } }
      let exchange = Unmanaged<HTTPExchange>.fromOpaque(pointer).takeRetainedValue()
      if case .receiving(let reception) = exchange.stage { reception.cut(.connection) }
      guard exchange.isOpen else { return }
      Unmanaged<HTTPDaemon>.fromOpaque(context).takeUnretainedValue().state.withLock { $0.open -= 1 }
    }
    // The path is decoded by segment, so that an encoded slash or NUL stays inside its segment.
    let unescape: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int = {
      _, _, text in
      text.map { strlen($0) } ?? 0
    }
    let policy: MHD_AcceptPolicyCallback = { context, address, _ in
      guard let context, let address = ConnectionValues.address(address) else { return .YES }
      return Unmanaged<HTTPDaemon>.fromOpaque(context).takeUnretainedValue().admits(address) ? .YES : .NO
    }
    let notify: MHD_NotifyConnectionCallback = { context, connection, kept, event in
      guard let context, let connection, let kept else { return }
      let daemon = Unmanaged<HTTPDaemon>.fromOpaque(context).takeUnretainedValue()
      switch event {
      case .CONNECTION_NOTIFY_STARTED: kept.pointee = Unmanaged.passRetained(daemon.opened(connection)).toOpaque()
      case .CONNECTION_NOTIFY_CLOSED:
        // The TLS session has already ended, and the socket is not closed yet.
        guard let pointer = kept.pointee else { return }
        kept.pointee = nil
        daemon.connections.remove(Unmanaged<HTTPConnection>.fromOpaque(pointer).takeRetainedValue())
      default: break
      }
    }
    let flags =
      MHD_USE_EPOLL_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_ALLOW_UPGRADE.rawValue
      | (isIPv4 ? 0 : configuration.host == "::" ? MHD_USE_DUAL_STACK.rawValue : MHD_USE_IPv6.rawValue)
      | (configuration.certificate == nil ? 0 : MHD_USE_TLS.rawValue)
    let daemon = withUnsafeMutablePointer(to: &storage) { storage in
      var options = [
        MHD_OptionItem(option: .THREAD_POOL_SIZE, value: max(1, configuration.threads), ptr_value: nil),
        MHD_OptionItem(option: .CONNECTION_LIMIT, value: configuration.connections, ptr_value: nil),
        // 0 would mean unlimited.
        MHD_OptionItem(
          option: .CONNECTION_TIMEOUT, value: max(1, Int(configuration.idleTime.components.seconds)), ptr_value: nil),
        MHD_OptionItem(option: .SOCK_ADDR, value: 0, ptr_value: UnsafeMutableRawPointer(storage)),
        MHD_OptionItem(option: .NOTIFY_CONNECTION, value: unsafeBitCast(notify, to: Int.self), ptr_value: context),
        MHD_OptionItem(option: .NOTIFY_COMPLETED, value: unsafeBitCast(completed, to: Int.self), ptr_value: context),
        MHD_OptionItem(option: .UNESCAPE_CALLBACK, value: unsafeBitCast(unescape, to: Int.self), ptr_value: nil),
      ]
      return DaemonTLS.withOptions(of: configuration.certificate) { secure in
        options += secure
        options.append(MHD_OptionItem(option: .END, value: 0, ptr_value: nil))
        return mhd_start(UInt32(flags), configuration.port, policy, Self.access, context, &options)
      }
    }
    guard let daemon else {
      throw .unavailable(address: "\(configuration.host):\(configuration.port)", reason: String(cString: strerror(errno)))
    }
    state.withLock {
      $0.daemon = DaemonHandle(daemon: daemon)
      $0.port = mhd_port(daemon)
      $0.sweeping = Task { [connections, handlers] in
        while (try? await Task.sleep(for: Self.sweep)) != nil {
          for _ in 0..<connections.endOverdue(now: .now) { handlers.counters.count(limit: .requestTime) }
        }
      }
    }
  }

  /// The interval between two checks for overdue requests.
  private static let sweep = Duration.seconds(1)

  /// Rejects new requests; those in progress continue. Does not use `MHD_quiesce_daemon`, which races with its own pool of
  /// threads for the listening socket, and aborts the process if it loses (libmicrohttpd 0.9.75).
  package func quiesce() {
    state.withLock { $0.isStopping = true }
    receptions.quiesce()
  }

  /// How long clients have to read their answers when the server stops.
  private static let closeGrace = Duration.seconds(1)

  /// Lets running requests end and waits for the threads. Upgraded sockets must be released before.
  package func stop() async {
    quiesce()
    guard let daemon = state.withLock({ $0.daemon.take() }) else { return }
    state.withLock { $0.sweeping.take() }?.cancel()
    receptions.cut()
    let deadline = ContinuousClock.now + Self.closeGrace
    // A suspended connection must be resumed before the daemon may stop, and the daemon drops unsent data.
    while receptions.count > 0
      || state.withLock({ $0.answering > 0 || $0.open > 0 && ContinuousClock.now < deadline })
    {
      try? await Task.sleep(for: .milliseconds(5))
    }
    await blocking(named: "http-stop") { MHD_stop_daemon(daemon.daemon) }
    state.withLock { $0.port = 0 }
  }

  // MARK: Connections

  /// Returns whether an address may have one more connection.
  private func admits(_ address: TransportAddress) -> Bool {
    // The library counts the other connections only.
    let sockets = sockets.withLock { $0 }
    if sockets > 0, sockets + connections.count >= configuration.connections { return false }
    guard handlers.peers.isFull(address) else { return true }
    handlers.counters.count(limit: .addressConnections)
    return false
  }

  private func opened(_ connection: OpaquePointer) -> HTTPConnection {
    let kept = HTTPConnection(
      connection, reservation: handlers.peers.add(ConnectionValues.peer(of: connection)),
      certificate: configuration.certificate?.certificate,
      deadline: RequestDeadline(
        headTime: configuration.requestTime.microseconds, idleTime: configuration.idleTime.microseconds, now: .now))
    connections.add(kept)
    return kept
  }

  private static func kept(of connection: OpaquePointer) -> HTTPConnection? {
    mhd_kept(connection).map { Unmanaged<HTTPConnection>.fromOpaque($0).takeUnretainedValue() }
  }

  // MARK: Requests

  private static let access: MHD_AccessHandlerCallback = {
    context, connection, url, method, version, upload, uploadSize, slot in
    guard let context, let connection, let url, let method, let uploadSize, let slot else { return .NO }
    let daemon = Unmanaged<HTTPDaemon>.fromOpaque(context).takeUnretainedValue()
    guard let pointer = slot.pointee else {
      let exchange = daemon.open(
        connection, url: String(cString: url), method: String(cString: method), version: version.map { String(cString: $0) })
      slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
      kept(of: connection)?.changeDeadline { deadline in
        if case .receiving = exchange.stage {
          deadline.streamBegan(now: .now)
        } else {
          deadline.headReceived(body: exchange.declaredBody, now: .now)
        }
      }
      // This response closes the connection.
      if let response = exchange.refusalWithoutBody { return daemon.queue(response, for: exchange, on: connection) }
      return .YES
    }
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(pointer).takeUnretainedValue()
    if uploadSize.pointee > 0 {
      guard let upload else { return .NO }
      let chunk = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
      guard let taken = daemon.read(chunk, of: exchange, on: connection) else { return .NO }
      uploadSize.pointee -= taken
      return .YES
    }
    return daemon.proceed(exchange, on: connection)
  }

  /// Bytes of an unwanted body that are read beyond the limit, so that the client receives the answer.
  static let drainedBytes: Int64 = 1 << 20

  private func open(_ connection: OpaquePointer, url: String, method: String, version: String?) -> HTTPExchange {
    let headers = ConnectionValues.headers(of: connection)
    var request = HTTPRequest(
      method: method == "HEAD" ? "GET" : method, target: url, query: ConnectionValues.query(of: connection), headers: headers,
      client: client(of: connection, headers))
    request.isHead = method == "HEAD"
    // Clients that append a path to a URL with a slash at its end double it.
    if request.target.hasPrefix("//") { request.target = "/" + request.target.drop { $0 == "/" } }
    if request.target.isEmpty { request.target = "/" }
    if let refusal = HTTPFraming.refusal(request, version: version ?? "", bytes: mhd_head_size(connection)) {
      let exchange = HTTPExchange(request, stage: .refused(refusal))
      exchange.isUnreadable = true
      return exchange
    }
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
      // Before the request counts as a large body, because only a few of them are read at once.
      if endpoint.hasLargeBody, endpoint.access == .api, let refusal = handlers.authorise(request) {
        return HTTPExchange(request, stage: .refused(refusal))
      }
      if case .receive(let limit, let admit) = endpoint.action {
        return receptions.exchange(request, limit: limit, on: Self.kept(of: connection)) { admit(request, parameters) }
      }
      let limit = Int64(endpoint.largestBody ?? configuration.bodyBytes)
      let reservation = endpoint.largestBody.flatMap { _ in largeBodies.enter() }
      let exchange = HTTPExchange(
        request, stage: .reading(endpoint, parameters: parameters), limit: limit, reservation: reservation)
      if exchange.declaredBody > limit {
        exchange.stage = .refused(.error(413, HTTPError.bodyTooLarge(limit: limit)))
      } else if endpoint.largestBody != nil, reservation == nil {
        exchange.stage = .refused(.error(503, HTTPError.badRequest("too many uploads at once; try again")))
      }
      return exchange
    }
  }

  /// Reads a part of the body. Returns the number of bytes taken; nil to close the connection of a client that sends without end.
  private func read(_ chunk: UnsafeRawBufferPointer, of exchange: HTTPExchange, on connection: OpaquePointer) -> Int? {
    let bytes = exchange.bodyBytes + Int64(chunk.count)
    switch exchange.stage {
    case .reading where bytes > exchange.limit:
      exchange.request.body = []
      exchange.stage = .refused(.error(413, HTTPError.bodyTooLarge(limit: exchange.limit)))
    case .receiving(let reception) where bytes > exchange.limit:
      reception.cut(.limit)
      exchange.stage = .refused(.error(413, HTTPError.bodyTooLarge(limit: exchange.limit)))
    case .reading:
      exchange.request.body.append(contentsOf: chunk)
    case .receiving(let reception):
      switch reception.take(chunk, suspend: { SuspendedConnection(suspending: connection) }) {
      case .taken: break
      case .full: return 0
      case .discarded:
        exchange.unreadBytes += Int64(chunk.count)
        guard exchange.unreadBytes <= Self.drainedBytes else { return nil }
      }
    case .refused, .answering, .answered:
      guard bytes - exchange.limit <= Self.drainedBytes else { return nil }
    }
    exchange.bodyBytes = bytes
    return chunk.count
  }

  /// Called when the request is complete, or its connection was resumed.
  private func proceed(_ exchange: HTTPExchange, on connection: OpaquePointer) -> MHD_Result {
    Self.kept(of: connection)?.changeDeadline { $0.requestReceived() }
    switch exchange.stage {
    case .refused(let response):
      return queue(response, for: exchange, on: connection)
    case .answering:
      guard let response = exchange.response.withLock({ $0 }) else { return .YES }
      return queue(response, for: exchange, on: connection)
    case .answered:
      return .NO
    case .receiving(let reception):
      if !exchange.isOpen {
        exchange.isOpen = true
        state.withLock { $0.open += 1 }
      }
      guard let response = reception.complete(suspend: { SuspendedConnection(suspending: connection) }) else { return .YES }
      return queue(response, for: exchange, on: connection)
    case .reading(let endpoint, let parameters):
      switch endpoint.action {
      case .signalling(let refusal):
        switch handlers.origin(exchange.request) {
        case .client: break
        case .node(let client): (exchange.request.client, exchange.request.isPassedOn) = (client, true)
        case .forged:
          let refusal = HTTPResponse.error(401, HTTPError.unauthorised("only nodes of the cluster pass clients on"))
          return queue(refusal, for: exchange, on: connection)
        }
        if let refusal = refusal(exchange.request) { return queue(refusal, for: exchange, on: connection) }
        return state.withLock({ $0.isStopping }) ? .NO : upgrade(exchange, on: connection)
      case .answer(let handler):
        guard letIn(exchange) else { return .NO }
        let request = exchange.request
        if let refusal = refusal(of: request, by: endpoint) { return queue(refusal, for: exchange, on: connection) }
        return answer(.later { await handler(request, parameters) }, exchange, on: connection)
      case .prompt(let handler):
        guard letIn(exchange) else { return .NO }
        if let refusal = refusal(of: exchange.request, by: endpoint) { return queue(refusal, for: exchange, on: connection) }
        return answer(handler(exchange.request, parameters), exchange, on: connection)
      case .receive:
        return .NO
      }
    }
  }

  /// Counts a request that an endpoint answers. Returns false if the server stops.
  private func letIn(_ exchange: HTTPExchange) -> Bool {
    exchange.isOpen = state.withLock { state in
      if !state.isStopping { state.open += 1 }
      return !state.isStopping
    }
    return exchange.isOpen
  }

  private func refusal(of request: HTTPRequest, by endpoint: Endpoint) -> HTTPResponse? {
    if endpoint.access == .api, let refusal = handlers.authorise(request) { return refusal }
    return endpoint.takesBody ? request.refusalOfBody : nil
  }

  /// Answers at once, or suspends the connection until the answer is delivered.
  private func answer(_ reply: Endpoint.Reply, _ exchange: HTTPExchange, on connection: OpaquePointer) -> MHD_Result {
    switch reply {
    case .ready(let response): return queue(response, for: exchange, on: connection)
    case .promised(let begin):
      exchange.stage = .answering
      state.withLock { $0.answering += 1 }
      let slot = exchange.response
      let suspended = SuspendedConnection(suspending: connection)
      begin { response in
        slot.withLock { $0 = response }
        suspended.resume()
        self.state.withLock { $0.answering -= 1 }
      }
      return .YES
    }
  }

  // MARK: Upgrade

  private func upgrade(_ exchange: HTTPExchange, on connection: OpaquePointer) -> MHD_Result {
    let accept: String
    switch WebSocketHandshake.check(exchange.request) {
    case .refused(let response): return queue(response, for: exchange, on: connection)
    case .accepted(let key): accept = key
    }
    switch handlers.clients.enter(exchange.request.client) {
    case .admitted(let reservation): exchange.clientReservation = reservation
    case .refused:
      handlers.counters.count(limit: .addressConnections)
      return queue(.error(429, HTTPError.tooManySockets), for: exchange, on: connection)
    }
    guard let response = MHD_create_response_for_upgrade(Self.taken, Unmanaged.passUnretained(self).toOpaque()) else {
      return .NO
    }
    defer { MHD_destroy_response(response) }
    MHD_add_response_header(response, "Upgrade", "websocket")
    MHD_add_response_header(response, "Sec-WebSocket-Accept", accept)
    Self.kept(of: connection)?.changeDeadline { $0.upgraded() }
    // Its client is counted, instead of the node.
    if exchange.request.isPassedOn { _ = Self.kept(of: connection)?.takeReservation() }
    exchange.stage = .answered
    handlers.counters.countRequest(status: 101)
    return MHD_queue_response(connection, 101, response)
  }

  private static let taken: MHD_UpgradeHandler = { context, connection, slot, early, earlySize, socket, handle in
    guard let context, let connection, let slot, let handle else { return }
    // With TLS, `socket` is one of a pair: the connection's own stays with the library, which leaves Nagle's algorithm on.
    setNoDelay(mhd_socket(connection))
    let daemon = Unmanaged<HTTPDaemon>.fromOpaque(context).takeUnretainedValue()
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(slot).takeUnretainedValue()
    let bytes = early.map { [UInt8](UnsafeRawBufferPointer(start: $0, count: earlySize)) } ?? []
    var upgraded = UpgradedSocket(
      descriptor: fcntl(socket, F_DUPFD_CLOEXEC, 0), early: bytes, request: exchange.request, handle: handle)
    upgraded.reservations = [exchange.clientReservation.take()]
    daemon.handOver(upgraded, of: kept(of: connection))
  }

  private func handOver(_ socket: UpgradedSocket, of connection: HTTPConnection?) {
    var socket = socket
    // Without TLS the socket needs nothing of the library's connection, whose memory is 32 kB.
    if socket.descriptor >= 0, configuration.certificate == nil {
      socket.reservations.append(connection?.takeReservation())
      socket.count = SocketCount(sockets)
      socket.release()
    }
    handlers.upgraded(socket)
  }

  // MARK: Responses

  private func queue(_ answer: HTTPResponse, for exchange: HTTPExchange, on connection: OpaquePointer) -> MHD_Result {
    exchange.stage = .answered
    handlers.counters.countRequest(status: answer.status)
    let more = configuration.headers + CrossOrigin.headers(of: exchange.request)
    if more.isEmpty, let common = answer.common {
      return MHD_queue_response(connection, UInt32(answer.status), common.response)
    }
    let response =
      if let stream = answer.stream {
        HTTPBodyReader.response(stream, length: answer.streamLength, on: connection)
      } else {
        answer.makeBody()
      }
    guard let response else { return .NO }
    defer { MHD_destroy_response(response) }
    for (name, value) in answer.headers + more {
      MHD_add_response_header(response, name, value)
    }
    return MHD_queue_response(connection, UInt32(answer.status), response)
  }

  /// Returns the client of a request: the peer, or the address that a trusted proxy reports.
  private func client(of connection: OpaquePointer, _ headers: [(name: String, value: String)]) -> TransportAddress? {
    guard let peer = ConnectionValues.peer(of: connection) else { return nil }
    let lines = headers.lazy.filter { $0.name == "x-forwarded-for" }.map(\.value)
    let found = configuration.proxies.client(of: peer, forwardedFor: Array(lines))
    if found.isCut { handlers.counters.count(limit: .forwardedFor) }
    return found.client
  }
}

private func setNoDelay(_ socket: CInt) {
  var on: CInt = 1
  setsockopt(socket, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
}
