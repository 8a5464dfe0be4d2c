import Foundation
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomHTTPServer
@testable import RoomServer

@Suite("The server's own certificate")
struct CertificateTests {
  private static let get = "GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n"

  private func with(
    _ files: CertificateFiles, _ adjust: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.with {
      $0.tls = files.settings
      adjust(&$0)
    } _: {
      try await body($0)
    }
  }

  /// Returns the status of a request over HTTPS; throws if the server has another certificate.
  private func status(_ server: TestServer, trusting certificate: String) async throws -> Int {
    let wire = try await Wire.connect(port: try #require(server.server.securePort), trusting: certificate)
    defer { wire.close() }
    wire.send(Self.get)
    return try await eventually("an answer") {
      if wire.isClosed { throw DidNotHappen(what: "a handshake") }
      return (try? await wire.response(within: .milliseconds(50)))?.status
    }
  }

  @Test("a renewed certificate serves new connections, and open connections continue")
  func renewal() async throws {
    let files = try CertificateFiles()
    try await with(files) { server in
      let first = SelfSigned.certificateText
      #expect(try await status(server, trusting: first) == 200)
      let client = try await SignalClient.connect(port: try #require(server.server.securePort), trusting: first)
      try await client.join(try server.token("alice"))
      let expires = try await server.metric("roomserver_certificate_expires_timestamp_seconds")
      #expect(expires > Int(Date.now.timeIntervalSince1970))

      let other = try await files.other()
      let second = other.certificate
      try files.write(certificate: other.certificate, key: other.key)
      try await eventually("the new one is served") { (try? await status(server, trusting: second)) == 200 }
      await #expect(throws: (any Error).self) { try await status(server, trusting: first) }
      #expect(try await server.metric("roomserver_certificate_expires_timestamp_seconds") < expires)

      // The client that connected with the old certificate is still connected.
      _ = try await client.call(.sendMessage(MessageParams(.text, text: "still here")), MessageResult.self)
    }
  }

  @Test("files that change one after the other, are invalid or missing leave the old certificate in use, and are logged once")
  func halfRenewed() async throws {
    let files = try CertificateFiles()
    let other = try await files.other()
    let log = LinesLog()
    let current = try CurrentCertificate(files.settings, log: log.logger)
    let first = current.certificate
    func looks(_ what: String) {
      for _ in 0..<3 { current.check() }
      #expect(current.certificate === first, "\(what)")
    }
    looks("nothing changed")
    try files.write(certificate: other.certificate)
    looks("a certificate without its key")
    try files.write(key: "no key")
    looks("no key")
    try files.removeKey()
    looks("gone")
    #expect(log.lines.count == 3 && log.lines.allSatisfy { $0.hasPrefix("certificate not renewed reason=") }, "\(log.lines)")
    try files.write(key: other.key)
    current.check()
    #expect(current.certificate !== first)
    #expect(log.lines.last?.hasPrefix("certificate renewed expires=") == true)
  }

  @Test("files without a certificate and its key keep the server from starting, with a reason")
  func refusals() async throws {
    let files = try CertificateFiles()
    let other = try await files.other()
    func loadError(certificate: String = SelfSigned.certificateText, key: String = SelfSigned.keyText) async throws -> String {
      try files.write(certificate: certificate, key: key)
      let error = await #expect(throws: StartError.self) { try await TestServer.start { $0.tls = files.settings } }
      return error.map { "\($0)" } ?? ""
    }
    #expect(try await loadError(key: other.key).contains("privkey.pem is not the key of the certificate"))
    #expect(try await loadError(key: "").contains("privkey.pem is not a PEM file"))
    let torn = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    #expect(try await loadError(certificate: torn).contains("fullchain.pem is not a PEM"))
    #expect(try await loadError(certificate: "\0").contains("fullchain.pem is not a PEM"))
    try files.write(certificate: SelfSigned.certificateText)
    try files.removeKey()
    let error = await #expect(throws: StartError.self) { try await TestServer.start { $0.tls = files.settings } }
    #expect(error.map { "\($0)" }?.contains("privkey.pem can't be read") == true)
  }

  @Test("clients that disconnect without notice are released, and clients without TLS disturb no other")
  func rude() async throws {
    let files = try CertificateFiles()
    let certificate = SelfSigned.certificateText
    try await with(files) {
      $0.keepAlive.silence = .seconds(1)
      $0.origin.timeouts.step = 500_000
    } _: { server in
      let ports = [try #require(server.server.securePort), try #require(server.server.secureRTMPPort)]
      let before = try await server.metric("process_open_fds")
      for number in 0..<40 {
        let client = try await SignalClient.connect(port: ports[0], trusting: certificate)
        try await client.join(try server.token("user\(number)"))
        client.wire.cut()
      }
      var generator = SystemRandomNumberGenerator()
      for port in ports {
        for number in 0..<40 {
          let wire = try await Wire.connect(port: port)
          // A handshake's first record, text, or nothing at all.
          switch number % 3 {
          case 0: wire.send([0x16, 3, 1, 2, 0] + (0..<600).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
          case 1: wire.send(Self.get)
          default: break
          }
          if number % 2 == 0 { wire.cut() }
        }
      }
      try await eventually("all sockets are back", within: .seconds(60)) {
        let sockets = try await server.metric("roomserver_signalling_sockets")
        let publishers = try await server.metric("roomserver_rtmp_connections")
        return sockets == 0 && publishers == 0
      }
      #expect(try await status(server, trusting: certificate) == 200)
      // Silent connections have 30 s on the HTTPS port, as on the HTTP port.
      try await eventually("descriptors are released") { try await server.metric("process_open_fds") < before + 40 }
    }
  }

  @Test("the server stops with viewers, sockets and silent connections", .timeLimit(.minutes(1)))
  func stop() async throws {
    let files = try CertificateFiles()
    let certificate = SelfSigned.certificateText
    let server = try await TestServer.start {
      $0.tls = files.settings
      $0.origin.publishesOpenly = true
    }
    let port = try #require(server.server.securePort)
    let publisher = try await RTMPPeer.start(.publish, server)
    publisher.sendBeginning()
    let client = try await SignalClient.connect(port: port, trusting: certificate)
    try await client.join(try server.token("alice"))
    let viewer = try await Wire.connect(port: port, trusting: certificate)
    viewer.send("GET /live/studio.flv HTTP/1.1\r\nHost: test\r\n\r\n")
    _ = try await viewer.next { $0.firstRange(of: Array("FLV".utf8)) }
    let silent = try await Wire.connect(port: port)
    let secureRTMP = try await Wire.connect(port: try #require(server.server.secureRTMPPort), trusting: certificate)
    let begun = ContinuousClock.now
    await server.server.stop()
    #expect(ContinuousClock.now - begun < .seconds(10))
    try await eventually("all are notified") { [client.wire, viewer, silent, secureRTMP].allSatisfy(\.isClosed) }
    #expect(client.closeCode == 1001)
  }
}
