import Foundation
import RoomPeers
import RoomHTTPServer
import RoomServer
import roomserver
import Testing

@testable import RoomLoadtest

@Suite("loadtest viewers against servers", .serialized)
struct ViewersRunTests {
  private static let secret = "a secret of the tests, of at least 32 bytes"
  private static let clip = LiveClip.Settings(width: 320, height: 180, kbps: 150)

  private func measure(
    _ server: MeasuredServer<ViewersTarget>, _ kind: StreamServerKind, _ watching: WatchingProtocol, seconds: Double = 2,
    settling: Duration = .milliseconds(300)
  ) async throws -> ViewersResult {
    let plan = ViewersPlan(watching: watching, count: 20, seconds: seconds, joinsPerSecond: 100, threads: 2)
    return try await ViewersRun(
      plan: plan, clip: try ClipEncoder.clip(Self.clip), kind: kind, server: server,
      progress: ProgressLine(isWanted: false), settling: settling
    ).measure()
  }

  private func check(_ result: ViewersResult) {
    #expect(result.lost == 0 && result.disordered == 0 && result.gone == 0 && result.altered == 0)
    // 25 pictures and 47 audio frames per second, minus some margin for a busy machine.
    #expect(result.messagesPerSecond > 20 * 50)
    #expect(result.sampled > 100)
    #expect(result.joinP50 > 0 && result.joinP99 >= result.joinP50 && result.delayP50 > 0)
    #expect((result.cpuPerMessage ?? 0) > 0)
  }

  /// Measures a server in this process; `play` selects the play URL.
  private func measureOwn(
    _ watching: WatchingProtocol, tls: TLSSettings? = nil, seconds: Double = 2, settling: Duration = .milliseconds(300),
    play: (RoomServer) throws -> String?
  ) async throws -> ViewersResult {
    var configuration = ServerConfiguration(keys: ["test": Self.secret])
    configuration.origin.publishesOpenly = true
    configuration.tls = tls
    let server = try await RoomServer.start(configuration)
    return try await running {
      let target = try ViewersTarget(
        publish: "rtmp://localhost:\(try #require(server.rtmpPort))/live/a", play: try play(server), over: watching)
      let pid = ProcessInfo.processInfo.processIdentifier
      return try await measure(
        MeasuredServer(target: target, pid: pid), .roomserver, watching, seconds: seconds, settling: settling)
    } end: {
      await server.stop()
    }
  }

  @Test("twenty viewers of this server receive every message unchanged", arguments: [WatchingProtocol.rtmp, .flv])
  func own(watching: WatchingProtocol) async throws {
    check(
      try await measureOwn(watching) { server in
        watching.ending.map { "http://127.0.0.1:\(server.port)/live/a\($0)" }
      })
  }

  @Test("twenty viewers over HLS receive the stream, by parts in more pieces than by segments")
  func hls() async throws {
    func pieces(_ watching: WatchingProtocol) async throws -> Double {
      let result = try await measureOwn(watching, seconds: 6, settling: .seconds(2)) {
        "http://127.0.0.1:\($0.port)/live/a.m3u8"
      }
      #expect(result.gone == 0 && result.delivered > 0.6 && result.delivered < 1.6, "\(watching): \(result.delivered)")
      #expect(result.joinP50 > 0)
      return result.messagesPerSecond / 20
    }
    // A part has 0.35 s at most, a segment about two seconds.
    #expect(try await pieces(.lowLatencyHLS) > 2)
    let segments = try await pieces(.hls)
    #expect(segments > 0.1 && segments < 1)
  }

  @Test("twenty viewers over HTTPS receive every message, if this machine trusts the server's certificate")
  func secure() async throws {
    let files = try CertificateFiles()
    defer { withExtendedLifetime(files) {} }
    setenv("SSL_CERT_FILE", files.certificate, 1)
    defer { unsetenv("SSL_CERT_FILE") }
    check(
      try await measureOwn(.flv, tls: TLSSettings(certificate: files.certificate, key: files.key)) { server in
        "https://localhost:\(try #require(server.securePort))/live/a.flv"
      })
  }

  @Test("twenty viewers of nginx-rtmp receive every message unchanged")
  func nginx() async throws {
    let viewers = try #require(Loadtest.parseAsRoot(["viewers", "--start", "--target", "nginx"]) as? Viewers)
    let started = try await StartedServers.nginx(
      program: viewers.nginx, module: viewers.nginxModule, address: "127.0.0.1", connections: 20)
    let server = try started.map {
      try ViewersTarget(publish: "rtmp://127.0.0.1:\($0)/live/a", play: nil, over: .rtmp)
    }
    check(try await server.measure { try await measure($0, .nginx, .rtmp) })
  }

  @Test("a rejected publisher ends the run with the server's message")
  func refused() async throws {
    let server = try await RoomServer.start(ServerConfiguration(keys: ["test": Self.secret]))
    let target = try ViewersTarget(
      publish: "rtmp://127.0.0.1:\(server.rtmpPort ?? 0)/live/a", play: nil, over: .rtmp)
    let error = await #expect(throws: LoadtestError.self) {
      try await measure(MeasuredServer(target: target), .roomserver, .rtmp)
    }
    await server.stop()
    let sentence = error.map { "\($0)" } ?? ""
    #expect(sentence.hasPrefix("the publisher: ") && sentence.contains("token"), "\(sentence)")
  }
}
