import RoomPeers
import RoomTestSupport
import Testing

@testable import RoomHTTPServer
@testable import RoomRTP

@Suite("Bodies that an endpoint reads while they arrive")
struct BodyStreamTests {
  /// A server with `POST /body`, which the test reads, and `GET /other`.
  private struct Daemon {
    let daemon: HTTPDaemon
    let counters = HTTPCounters()

    init(
      limit: Int64 = 1 << 30, idle: Duration = .seconds(30), certificate: CurrentCertificate? = nil,
      _ read: @escaping @Sendable (HTTPBody) async -> HTTPResponse
    ) {
      let endpoints = [
        Endpoint("POST", "/body", access: .api, action: .receive(limit: limit) { _, _ in .admitted(read) }),
        Endpoint(
          "POST", "/refused", access: .api, action: .receive(limit: limit) { _, _ in .refused(HTTPResponse(status: 507)) }),
        Endpoint("GET", "/other", access: .open, action: .answer { _, _ in .text("other", type: "text/plain") }),
      ]
      daemon = HTTPDaemon(
        .init(
          host: "127.0.0.1", port: 0, threads: 1, connections: 100, bodyBytes: 1000, requestTime: .seconds(10),
          idleTime: idle, proxies: TrustedProxies(), certificate: certificate),
        handlers: .init(
          router: Router(endpoints: endpoints),
          authorise: { $0.bearerToken == "t" ? nil : HTTPResponse(status: 401) }, upgraded: { $0.release() },
          counters: counters, peers: ConnectionsPerAddress(limit: 0, exempt: TrustedProxies()),
          clients: ConnectionsPerAddress(limit: 0, exempt: TrustedProxies())))
    }

    func run(_ body: (UInt16) async throws -> Void) async throws {
      try daemon.start()
      do { try await body(daemon.port) } catch {
        await daemon.stop()
        throw error
      }
      await daemon.stop()
    }
  }

  private struct Log: Sendable {
    var bytes: [UInt8] = []
    var cuts: [HTTPBodyCut] = []
    var ends = 0
  }

  /// Reads a body to its end, and answers with the number of its bytes.
  private static func reader(_ log: Shared<Log>) -> @Sendable (HTTPBody) async -> HTTPResponse {
    { body in
      var count = 0
      do {
        for try await part in body {
          count += part.count
          log.withLock { $0.bytes += part }
        }
        log.withLock { $0.ends += 1 }
      } catch {
        if let cut = error as? HTTPBodyCut { log.withLock { $0.cuts.append(cut) } }
      }
      return .text("\(count)", type: "text/plain")
    }
  }

  private static func head(_ path: String = "/body", length: Int? = nil, token: String = "t", more: String = "") -> String {
    let framing = length.map { "Content-Length: \($0)" } ?? "Transfer-Encoding: chunked"
    return "POST \(path) HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer \(token)\r\n\(framing)\r\n\(more)\r\n"
  }

  private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
    Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
  }

  private static let other = "GET /other HTTP/1.1\r\nHost: test\r\n\r\n"

  /// Bytes that differ from position to position.
  private static func content(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) } }

  @Test("the parts of a slow sender are there before the body ends")
  func slow() async throws {
    let log = Shared(Log())
    try await Daemon(Self.reader(log)).run { port in
      let wire = try await Wire.connect(port: port)
      defer { wire.close() }
      wire.send(Self.head(length: 6) + "abc")
      try await eventually("the first part") { log.withLock { $0.bytes } == Array("abc".utf8) }
      wire.send("de")
      try await eventually("the second part") { log.withLock { $0.bytes.count } == 5 }
      #expect(log.withLock { $0.ends } == 0)
      wire.send("f")
      #expect(try await wire.response().body == Array("6".utf8))
      wire.send(Self.head() + "3\r\nghi\r\n")
      try await eventually("a chunk") { log.withLock { $0.bytes.count } == 9 }
      wire.send("0\r\n\r\n")
      #expect(try await wire.response().body == Array("3".utf8))
    }
  }

  @Test("an endpoint that does not read stops its sender, for longer than the idle time, and then gets every byte")
  func backPressure() async throws {
    let (log, gate) = (Shared(Log()), Shared(false))
    let read = Self.reader(log)
    let content = Self.content(32 << 20)
    let daemon = Daemon(idle: .seconds(1)) { body in
      while !gate.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(10)) }
      return await read(body)
    }
    try await daemon.run { port in
      let socket = try RawSocket(port: port)
      socket.send(Self.head(length: content.count).utf8)
      var sent = 0
      var progress = ContinuousClock.now
      // Longer than the idle time: the server does not blame the sender for its own pause.
      while ContinuousClock.now - progress < .seconds(3) {
        let count = socket.send(content[sent..<min(sent + 65_536, content.count)])
        sent += count
        if count > 0 { progress = .now } else { try await Task.sleep(for: .milliseconds(10)) }
        #expect(sent < content.count, "the kernel alone does not hold that much")
        if sent == content.count { break }
      }
      #expect(!socket.isClosed)
      gate.withLock { $0 = true }
      try await eventually("the rest is sent") {
        sent += socket.send(content[sent..<min(sent + (1 << 20), content.count)])
        return sent == content.count
      }
      try await eventually("all has arrived") { log.withLock { $0.ends } == 1 }
      #expect(log.withLock { $0.bytes } == content)
      try await eventually("the answer") { socket.hasInput }
      #expect(String(decoding: socket.receive(), as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
    }
  }

  @Test("many chunks of any size arrive in order while the endpoint is slower than they come")
  func chunks() async throws {
    let log = Shared(Log())
    let read = Self.reader(log)
    let content = Self.content(3_000_000)
    let daemon = Daemon { body in
      let iterator = body.makeAsyncIterator()
      // Takes some parts slowly, so that the connection is suspended in the middle of what has been received.
      for _ in 0..<4 {
        try? await Task.sleep(for: .milliseconds(50))
        if let part = try? await iterator.next() { log.withLock { $0.bytes += part } }
      }
      return await read(body)
    }
    try await daemon.run { port in
      let wire = try await Wire.connect(port: port)
      defer { wire.close() }
      wire.send(Self.head())
      var (rest, size) = (content[...], 1)
      while !rest.isEmpty {
        wire.send(Self.chunk(Array(rest.prefix(size))))
        rest = rest.dropFirst(size)
        size = size * 5 % 7919
      }
      wire.send("0\r\n\r\n")
      #expect(try await wire.response(within: .seconds(60)).status == 200)
      #expect(log.withLock { $0.bytes } == content)
    }
  }

  @Test(
    "a sender that leaves or falls silent cuts the body", arguments: [true, false], ["leaves", "half-closes", "is silent"])
  func aborted(isChunked: Bool, how: String) async throws {
    let log = Shared(Log())
    try await Daemon(idle: .seconds(1), Self.reader(log)).run { port in
      let wire = try await Wire.connect(port: port)
      defer { wire.close() }
      wire.send(Self.head(length: isChunked ? nil : 1000) + (isChunked ? "3\r\nabc\r\n" : "abc"))
      try await eventually("the first part") { log.withLock { $0.bytes.count } == 3 }
      switch how {
      case "leaves": wire.close()
      case "half-closes": try await wire.endOutput()
      default: break
      }
      try await eventually("the body is cut") { !log.withLock { $0.cuts }.isEmpty }
      #expect(log.withLock { $0.cuts } == [.connection] && log.withLock { $0.ends } == 0)
      try await eventually("the connection ends") { wire.isClosed }
    }
  }

  @Test("a body over the limit is 413, and the connection serves the next request", arguments: [true, false])
  func limit(isChunked: Bool) async throws {
    let log = Shared(Log())
    try await Daemon(limit: 10, Self.reader(log)).run { port in
      let wire = try await Wire.connect(port: port)
      defer { wire.close() }
      let body = [UInt8](repeating: 7, count: 11)
      wire.send(Array(Self.head(length: isChunked ? nil : 11).utf8))
      wire.send(isChunked ? Self.chunk(Array(body[..<6])) + Self.chunk(Array(body[6...])) + Array("0\r\n\r\n".utf8) : body)
      let refusal = try await wire.response()
      #expect(refusal.status == 413 && refusal.error?.code == .unknownMessage)
      #expect(isChunked ? log.withLock { $0.ends } == 0 : log.withLock { $0.bytes }.isEmpty)
      wire.send(Self.other)
      #expect(try await wire.response().text == "other")
      wire.send(Self.head(length: 10) + "0123456789")
      #expect(try await wire.response().text == "10")
      if isChunked { #expect(log.withLock { $0.cuts } == [.limit]) }
    }
  }

  @Test("a refusal comes before a long body, and after a short one, whose connection serves the next request")
  func refusals() async throws {
    let log = Shared(Log())
    try await Daemon(limit: 1 << 40, Self.reader(log)).run { port in
      for (path, token, status) in [("/refused", "t", 507), ("/body", "x", 401)] {
        let wire = try await Wire.connect(port: port)
        wire.send(Self.head(path, length: 5, token: token) + "abcde")
        #expect(try await wire.response().status == status)
        wire.send(Self.head(path, token: token) + "3\r\nabc\r\n0\r\n\r\n" + Self.other)
        #expect(try await wire.response().status == status)
        #expect(try await wire.response().text == "other")
        // The client waits for permission, and gets the refusal instead.
        wire.send(Self.head(path, length: 4 << 30, token: token, more: "Expect: 100-continue\r\n"))
        let refusal = try await wire.response()
        #expect(refusal.status == status && refusal.headers["connection"] == "close")
        try await eventually("it is closed") { wire.isClosed }
        wire.close()
      }
      let wire = try await Wire.connect(port: port)
      defer { wire.close() }
      wire.send(Self.head(length: 3, more: "Expect: 100-continue\r\n"))
      #expect(try await wire.response().status == 100)
      wire.send("abc")
      #expect(try await wire.response().text == "3")
      let none = "POST /body HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer t\r\n\r\n"
      wire.send(none)
      #expect(try await wire.response().status == 411)
      wire.send(Self.head(length: 5 << 40))
      #expect(try await wire.response().status == 413)
      #expect(log.withLock { $0.bytes } == Array("abc".utf8))
    }
  }

  @Test("an endpoint may answer early; a short rest is discarded, and an endless one ends the connection")
  func early() async throws {
    try await Daemon { _ in HTTPResponse(status: 507) }.run { port in
      let wire = try await Wire.connect(port: port)
      defer { wire.close() }
      wire.send(Array(Self.head(length: 500_000).utf8) + Self.content(500_000))
      #expect(try await wire.response().status == 507)
      wire.send(Self.other)
      #expect(try await wire.response().text == "other")
      let endless = try RawSocket(port: port)
      endless.send(Self.head().utf8)
      let chunk = Self.chunk(Self.content(65_536))
      try await eventually("it is closed") {
        endless.send(chunk)
        return endless.isClosed
      }
      wire.send(Self.other)
      #expect(try await wire.response().text == "other")
    }
  }

  @Test("pipelined requests are answered in order, over HTTP and HTTPS", arguments: [false, true])
  func pipelined(isSecure: Bool) async throws {
    let log = Shared(Log())
    let files = try CertificateFiles()
    let certificate = isSecure ? try CurrentCertificate(files.settings, log: TestServer.quiet) : nil
    try await Daemon(certificate: certificate, Self.reader(log)).run { port in
      let trusted = isSecure ? SelfSigned.certificateText : nil
      let wire = try await Wire.connect(port: port, trusting: trusted)
      defer { wire.close() }
      let long = Self.content(2_000_000)
      wire.send(
        Array((Self.head(length: 5) + "abcde" + Self.other + Self.head() + "3\r\nfgh\r\n0\r\n\r\n").utf8)
          + Array(Self.head(length: long.count).utf8) + long + Array(Self.other.utf8))
      for text in ["5", "other", "3", "2000000", "other"] {
        #expect(try await wire.response(within: .seconds(30)).text == text)
      }
      #expect(log.withLock { $0.bytes } == Array("abcdefgh".utf8) + long)
    }
  }

  @Test("a stop cuts what is arriving, also where the endpoint is slow, and does not wait", .timeLimit(.minutes(1)))
  func stop() async throws {
    let log = Shared(Log())
    let read = Self.reader(log)
    let daemon = Daemon { body in
      // The second one is suspended until the stop.
      try? await Task.sleep(for: .milliseconds(300))
      return await read(body)
    }
    try daemon.daemon.start()
    let wires = try await [Wire.connect(port: daemon.daemon.port), Wire.connect(port: daemon.daemon.port)]
    wires[0].send(Self.head(length: 1000) + "abc")
    wires[1].send(Array(Self.head(length: 4 << 20).utf8) + Self.content(2 << 20))
    try await eventually("they arrive") { log.withLock { $0.bytes.count } > 100_000 }
    await daemon.daemon.stop()
    #expect(log.withLock { $0.cuts } == [.connection, .connection] && log.withLock { $0.ends } == 0)
    for wire in wires { wire.close() }
  }

  @Test("a sender keeps its connection while it is faster than 16 KiB a second, and never silent for the idle time")
  func deadline() {
    let start = Instant(microseconds: 0)
    func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }
    func stream() -> RequestDeadline {
      var deadline = RequestDeadline(headTime: 10_000_000, idleTime: 30_000_000, now: start)
      deadline.streamBegan(now: start)
      return deadline
    }
    var silent = stream()
    #expect(!silent.isOver(at(29)) && silent.isOver(at(30)))
    // A fast start buys no silence.
    silent.streamReceived(1 << 30, now: at(1))
    #expect(!silent.isOver(at(30)) && silent.isOver(at(31)))

    var (slow, fast) = (stream(), stream())
    for second in 1...600 {
      slow.streamReceived(8 << 10, now: at(Int64(second)))
      fast.streamReceived(16 << 10, now: at(Int64(second)))
      #expect(!fast.isOver(at(Int64(second))))
      #expect(slow.isOver(at(Int64(second))) == (second > 59), "\(second)")
    }

    var paused = stream()
    paused.streamPaused(now: at(10))
    #expect(!paused.isOver(at(10_000)))
    paused.streamContinued(now: at(10_000))
    #expect(!paused.isOver(at(10_019)) && paused.isOver(at(10_020)))
    paused.streamPaused(now: at(10_010))
    paused.requestReceived()
    paused.streamContinued(now: at(10_020))
    #expect(!paused.isOver(at(20_000)), "its answer is being made")
  }
}
