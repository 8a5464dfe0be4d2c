import Logging
import RoomHTTPServer

/// The HTTP and HTTPS servers, and the sockets that they open. Starts after all other parts, and ends before them.
struct HTTPFront: ServerPart {
  let http: HTTPDaemon
  /// Nil without a certificate.
  let https: HTTPDaemon?
  private let sockets: SignallingServer
  private let requests: HTTPCounters
  private let ground: ServerGround
  /// Reloads the certificate when its files change.
  private let following: Task<Void, Never>?

  static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let (ground, requests) = (assembly.ground, HTTPCounters())
    let parts = try await assembly.parts { $0 != HTTPFront.self }
    let routing = try await assembly.routing
    let doors = Doors(
      parts.flatMap(\.doors),
      other: SignallingDoor(entrance: try await assembly.part(EntrancePart.self).entrance, relay: routing.relay))
    let sockets = SignallingServer(configuration: ground.configuration, counters: ground.counters, log: ground.log) {
      socket, request in
      await routing.serve(socket, request, at: doors.door(of: request))
    }
    let endpoints = routing.routed(parts.flatMap(\.endpoints)) + doors.all.flatMap(routing.endpoints)
    let access = APIAccess(keys: ground.keys)
    var handlers = HTTPDaemon.Handlers(
      router: Router(endpoints: endpoints), authorise: { access.refusal(of: $0) },
      upgraded: { upgraded in
        sockets.accept(upgraded, doors.door(of: upgraded.request).frames)
      }, counters: requests, peers: ground.connectionsPerAddress, clients: ground.connectionsPerAddress)
    handlers.origin = routing.origin
    let http = HTTPDaemon(.init(ground.configuration, port: ground.configuration.port, nil), handlers: handlers)
    // The public port serves no metrics, as with a proxy in front.
    handlers.router = Router(endpoints: endpoints.filter { $0.path != SystemPart.metricsPath })
    let https = ground.certificate.map {
      HTTPDaemon(.init(ground.configuration, port: ground.configuration.tls?.port ?? 0, $0), handlers: handlers)
    }
    do throws(ListenError) {
      try http.start()
      try https?.start()
    } catch {
      await http.stop()
      await sockets.stop()
      throw StartError(http: error)
    }
    return Self(
      http: http, https: https, sockets: sockets, requests: requests, ground: ground,
      following: ground.certificate.map { certificate in Task { await certificate.watch() } })
  }

  func addMetrics(to text: inout PrometheusText) async {
    let values = requests.values
    text.add(
      "roomserver_http_requests_total", .counter, "HTTP requests answered, by status.", label: "status",
      values.requests)
    let limits = ground.counters.values.limits
    text.add(
      "roomserver_limits_hit_total", .counter, "Refusals because of a limit.", label: "limit",
      ServerCounters.Limit.allCases.map { ($0.rawValue, limits[$0] ?? 0) }
        + HTTPCounters.Limit.allCases.map { ($0.rawValue, values.limits[$0] ?? 0) })
    if let certificate = ground.certificate {
      text.add(
        "roomserver_certificate_expires_timestamp_seconds", .gauge, "When the TLS certificate expires, since 1970.",
        Int(certificate.certificate.expires.timeIntervalSince1970))
    }
  }

  func read(into readings: inout AlarmReadings) async {
    readings.certificateExpires = ground.certificate.map { Int64($0.certificate.expires.timeIntervalSince1970 * 1000) }
  }

  func quiesce() async {
    following?.cancel()
    http.quiesce()
    https?.quiesce()
  }

  func stop() async {
    await sockets.stop()
    await http.stop()
    await https?.stop()
  }
}

/// All doors of a server.
private struct Doors: Sendable {
  let all: [any SocketDoor]
  private let other: any SocketDoor

  /// - Parameter other: serves the sockets of no other door.
  init(_ doors: [any SocketDoor], other: any SocketDoor) { (all, self.other) = (doors + [other], other) }

  func door(of request: HTTPRequest) -> any SocketDoor { all.first { $0.serves(request) } ?? other }
}

extension HTTPDaemon.Configuration {
  fileprivate init(_ configuration: ServerConfiguration, port: UInt16, _ certificate: CurrentCertificate?) {
    let limits = configuration.limits
    self.init(
      host: configuration.host, port: port, threads: configuration.httpThreads, connections: limits.connections,
      bodyBytes: limits.bodyBytes, requestTime: limits.requestTime, idleTime: limits.idleTime,
      proxies: configuration.trustedProxies, certificate: certificate,
      headers: certificate == nil ? [] : configuration.tls?.headers ?? [])
  }
}

extension ServerGround {
  fileprivate var connectionsPerAddress: ConnectionsPerAddress {
    ConnectionsPerAddress(limit: configuration.limits.connectionsPerAddress, exempt: configuration.trustedProxies)
  }
}
