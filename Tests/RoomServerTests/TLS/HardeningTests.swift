import RoomPeers
import RoomTestSupport
import Testing

@testable import RoomOriginServer
@testable import RoomServer

@Suite("What the TLS ports accept")
struct HardeningTests {
  private static let get = "GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n"

  @Test("TLS 1.2 has only authenticated encryption, over HTTPS and RTMPS")
  func ciphers() async throws {
    let files = try CertificateFiles()
    let certificate = SelfSigned.certificateText
    try await TestServer.with {
      $0.tls = files.settings
    } _: { server in
      for (ciphers, isTaken) in [
        ("ECDHE-ECDSA-AES128-GCM-SHA256", true), ("ECDHE-ECDSA-CHACHA20-POLY1305", true), ("ECDHE-ECDSA-AES128-SHA", false),
        ("ECDHE-ECDSA-AES256-SHA", false),
      ] {
        let https = try await Wire.connect(
          port: try #require(server.server.securePort), trusting: certificate, ciphers: ciphers)
        https.send(Self.get)
        let rtmps = try await Wire.connect(
          port: try #require(server.server.secureRTMPPort), trusting: certificate, ciphers: ciphers)
        // Half of a handshake, which the server answers.
        rtmps.send([3] + [UInt8](repeating: 0, count: 1536))
        if isTaken {
          #expect(try await https.response().status == 200, "\(ciphers)")
          _ = try await rtmps.next { $0.count > 1536 ? true : nil }
        } else {
          try await eventually("\(ciphers) is refused") { https.isClosed && rtmps.isClosed }
        }
        https.close()
        rtmps.close()
      }
    }
  }

  @Test("HSTS is sent only over HTTPS, if it is set, and metrics are not served there")
  func headers() async throws {
    let files = try CertificateFiles()
    let certificate = SelfSigned.certificateText
    for seconds in [0, 31_536_000] {
      try await TestServer.with {
        $0.tls = files.settings
        $0.tls?.strictTransportSeconds = seconds
      } _: { server in
        let plain = try await server.request("GET", "/healthz")
        #expect(plain.headers["strict-transport-security"] == nil)
        let wire = try await Wire.connect(port: try #require(server.server.securePort), trusting: certificate)
        defer { wire.close() }
        wire.send(Self.get + Self.get.replacing("healthz", with: "metrics"))
        let health = try await wire.response()
        #expect(health.headers["strict-transport-security"] == (seconds == 0 ? nil : "max-age=31536000"))
        #expect(try await wire.response().status == 404)
        #expect(try await server.request("GET", "/metrics").status == 200)
      }
    }
  }

  @Test("variants leave half of the cores to everything else", arguments: [(1, 1), (2, 1), (3, 1), (4, 2), (64, 32)])
  func variants(cores: Int, limit: Int) { #expect(VariantDirectory.usualLimit(cores: cores) == limit) }
}
