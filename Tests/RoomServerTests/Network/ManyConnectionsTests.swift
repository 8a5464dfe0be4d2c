import RoomPeers
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomHTTPServer
@testable import RoomServer

@Suite("Many connections from one address")
struct ManyConnectionsTests {
  private static let requestTime = #"roomserver_limits_hit_total{limit="request_time"}"#

  @Test("5000 slow HTTP connections from one address do not delay other clients", .timeLimit(.minutes(2)))
  func slowHTTP() async throws {
    RawSocket.allowMany()
    try await TestServer.with { server in
      var crowd: [RawSocket] = []
      for _ in 0..<5000 {
        let socket = try RawSocket(port: server.server.port, from: "127.0.0.2")
        socket.send("GET / HTTP/1.1\r\nX:".utf8)
        crowd.append(socket)
      }
      let limit = #"roomserver_limits_hit_total{limit="connections_per_address"}"#
      try await eventually("all but 1000 are rejected") { try await server.metric(limit) == 4000 }
      for _ in 0..<20 {
        for socket in crowd { socket.send("y".utf8) }
        let start = ContinuousClock.now
        #expect(try await server.request("GET", "/healthz").status == 200)
        #expect(ContinuousClock.now - start < .milliseconds(100))
      }
    }
  }

  @Test("a request whose head takes too long is ended, even if bytes keep arriving")
  func trickle() async throws {
    try await TestServer.with {
      $0.limits.requestTime = .seconds(1)
    } _: { server in
      let slow = try RawSocket(port: server.server.port)
      slow.send("GET / HTTP/1.1\r\nX:".utf8)
      // A connection that has been answered may wait longer for its next request.
      let idle = try await Wire.connect(port: server.server.port)
      idle.send("GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n")
      #expect(try await idle.response().status == 200)
      let body = try await Wire.connect(port: server.server.port)
      body.send("POST /v1/rooms HTTP/1.1\r\nHost: test\r\nContent-Length: 100\r\n\r\n")
      let start = ContinuousClock.now
      try await eventually("the slow one is closed", within: .seconds(5)) {
        slow.send("y".utf8)
        return slow.isClosed
      }
      #expect(ContinuousClock.now - start > .milliseconds(500))
      try await eventually("so is one whose body does not arrive") { body.isClosed }
      // A client may see its connection closed before the server has counted it.
      try await eventually("both are counted") { try await server.metric(Self.requestTime) == 2 }
      idle.send("GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n")
      #expect(try await idle.response().status == 200)
      idle.close()
      withExtendedLifetime(slow) {}
    }
  }

  @Test("a connection that was answered is closed after the idle time, and a signalling socket is not")
  func idle() async throws {
    let files = try CertificateFiles()
    try await TestServer.with {
      $0.tls = files.settings
      $0.limits.idleTime = .seconds(1)
      $0.keepAlive.pingInterval = .seconds(60)
      $0.keepAlive.silence = .seconds(120)
    } _: { server in
      let signalling = [
        try await server.join("plain"),
        try await SignalClient.connect(
          port: try #require(server.server.securePort), trusting: SelfSigned.certificateText),
      ]
      let idle = try await Wire.connect(port: server.server.port)
      idle.send("GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n")
      #expect(try await idle.response().status == 200)
      let start = ContinuousClock.now
      // The default is 30 s.
      try await eventually("it is closed", within: .seconds(15)) { idle.isClosed }
      #expect(ContinuousClock.now - start > .milliseconds(500))
      // Real time: the idle time again.
      try await Task.sleep(for: .seconds(1))
      for client in signalling { #expect(!client.wire.isClosed) }
    }
  }

  @Test("a stalled TLS handshake is ended too")
  func handshake() async throws {
    let files = try CertificateFiles()
    try await TestServer.with {
      $0.tls = files.settings
      $0.limits.requestTime = .seconds(1)
    } _: { server in
      let silent = try RawSocket(port: try #require(server.server.securePort))
      try await eventually("it is closed", within: .seconds(5)) { silent.isClosed }
      try await eventually("it is counted") { try await server.metric(Self.requestTime) == 1 }
    }
  }

  @Test("a longer body has more time, and an answered connection may stay idle as long as the library allows")
  func deadline() {
    let start = Instant(microseconds: 0)
    func due(_ change: (inout RequestDeadline) -> Void) -> Int64? {
      var deadline = RequestDeadline(headTime: 10_000_000, idleTime: 30_000_000, now: start)
      change(&deadline)
      return deadline.due.map(\.microseconds)
    }
    #expect(due { _ in } == 10_000_000)
    #expect(due { $0.headReceived(body: 0, now: start) } == 10_000_000)
    #expect(due { $0.headReceived(body: 2 << 20, now: start) } == 138_000_000)
    #expect(due { $0.headReceived(body: .max, now: start) } != nil)
    #expect(due { $0.headReceived(body: -1, now: start) } == 10_000_000)
    #expect(due { $0.requestReceived() } == nil)
    #expect(due { $0.answered(now: start) } == 40_000_000)
    func upgraded(_ deadline: inout RequestDeadline) {
      deadline.upgraded()
      deadline.answered(now: start)
    }
    #expect(due(upgraded) == nil)
  }

  @Test("the number of connections is limited per address, and a closed connection no longer counts")
  func perAddress() async throws {
    try await TestServer.with {
      $0.limits.connectionsPerAddress = 3
    } _: { server in
      let port = server.server.port
      var sockets = try (0..<5).map { _ in try RawSocket(port: port, from: "127.0.0.2") }
      try await eventually("two are closed") { sockets.count(where: \.isClosed) == 2 }
      let other = try RawSocket(port: port, from: "127.0.0.3")
      #expect(try await server.request("GET", "/healthz").status == 200)
      #expect(!other.isClosed)
      sockets = []
      var next: RawSocket?
      try await eventually("there is capacity again") {
        let socket = try RawSocket(port: port, from: "127.0.0.2")
        socket.send("GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n".utf8)
        next = socket
        return try await eventually("it is answered, or closed") { socket.hasInput ? !socket.isClosed : nil }
      }
      withExtendedLifetime(next) {}
    }
  }

  @Test("signalling sockets count, separately for each client behind a trusted proxy")
  func signalling() async throws {
    let proxies = try TrustedProxies(parsing: ["127.0.0.1"])
    try await TestServer.with {
      $0.limits.connectionsPerAddress = 2
      $0.trustedProxies = proxies
    } _: { server in
      let port = server.server.port
      var clients: [SignalClient] = []
      for client in ["192.0.2.1", "192.0.2.2"] {
        for _ in 0..<2 { clients.append(try await SignalClient.connect(port: port, forwardedFor: client)) }
      }
      let wire = try await Wire.connect(port: port)
      wire.send(SignalClient.handshake.replacing("Upgrade: ", with: "X-Forwarded-For: 192.0.2.1\r\nUpgrade: "))
      let refusal = try await wire.response()
      #expect(refusal.status == 429)
      #expect(refusal.error?.code == .joinFailed)
      wire.close()
      for client in clients { client.kill() }
      try await eventually("there is capacity again") {
        (try? await SignalClient.connect(port: port, forwardedFor: "192.0.2.1"))?.kill() != nil
      }
    }
  }

  @Test("signalling sockets count among the connections of the server")
  func all() async throws {
    try await TestServer.with {
      $0.limits.connections = 6
      $0.httpThreads = 1
    } _: { server in
      let port = server.server.port
      var clients: [SignalClient] = []
      for _ in 0..<6 { clients.append(try await SignalClient.connect(port: port)) }
      let late = try RawSocket(port: port, from: "127.0.0.1")
      try await eventually("it is closed") { late.isClosed }
      for client in clients { client.kill() }
      try await eventually("there is capacity again") {
        let socket = try RawSocket(port: port, from: "127.0.0.1")
        socket.send("GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n".utf8)
        return try await eventually("it is answered, or closed") { socket.hasInput ? !socket.isClosed : nil }
      }
    }
  }

  @Test("the number of RTMP connections is limited per address, but not for a trusted proxy")
  func rtmp() async throws {
    let proxies = try TrustedProxies(parsing: ["127.0.0.9"])
    try await TestServer.with {
      $0.origin.connectionsPerAddress = 3
      $0.trustedProxies = proxies
    } _: { server in
      let port = try #require(server.server.rtmpPort)
      let sockets = try (0..<5).map { _ in try RawSocket(port: port, from: "127.0.0.2") }
      try await eventually("two are closed") { sockets.count(where: \.isClosed) == 2 }
      #expect(try await server.metric(#"roomserver_origin_refused_total{reason="address"}"#) == 2)
      let others = try (0..<5).map { try RawSocket(port: port, from: $0 < 2 ? "127.0.0.3" : "127.0.0.9") }
      try await eventually("they are there") { try await server.metric("roomserver_rtmp_connections") == 8 }
      #expect(others.allSatisfy { !$0.isClosed })
      withExtendedLifetime(sockets) {}
    }
  }

  @Test("the connections of an address by RTMP and by SRT are counted together")
  func bothProtocols() async throws {
    try await TestServer.with {
      $0.origin.connectionsPerAddress = 3
      $0.origin.srt.listens = true
    } _: { server in
      let sockets = try (0..<2).map { _ in try RawSocket(port: try #require(server.server.rtmpPort), from: "127.0.0.1") }
      try await eventually("they are there") { try await server.metric("roomserver_rtmp_connections") == 2 }
      let streamID = "live/studio?token=\(try server.token("camera", room: "studio"))"
      let encoder = try await SRTPeer.start(server, streamID)
      try await eventually("it is there") { try await server.metric("roomserver_srt_connections") == 1 }
      #expect(try await SRTPeer.refusal(server, streamID) == 1402)
      let late = try RawSocket(port: try #require(server.server.rtmpPort), from: "127.0.0.1")
      try await eventually("it is closed") { late.isClosed }
      #expect(try await server.metric(#"roomserver_origin_refused_total{reason="address"}"#) == 2)
      for socket in sockets { #expect(!socket.isClosed) }
      await encoder.end()
      try await eventually("there is room for another") { try await server.metric("roomserver_srt_connections") == 0 }
      let next = try RawSocket(port: try #require(server.server.rtmpPort), from: "127.0.0.1")
      try await eventually("it is there") { try await server.metric("roomserver_rtmp_connections") == 3 }
      withExtendedLifetime(next) {}
    }
  }

  @Test("silent connections of one address do not displace those of others")
  func silent() async throws {
    try await TestServer.with {
      $0.origin.threads = 1
      $0.origin.silentConnections = 10
    } _: { server in
      let port = try #require(server.server.rtmpPort)
      let quiet = try RawSocket(port: port, from: "127.0.0.3")
      try await eventually("it is there") { try await server.metric("roomserver_rtmp_connections") == 1 }
      let crowd = try (0..<50).map { _ in try RawSocket(port: port, from: "127.0.0.2") }
      try await eventually("the crowd's own are closed") { crowd.count(where: \.isClosed) == 41 }
      #expect(!quiet.isClosed)
    }
  }
}
