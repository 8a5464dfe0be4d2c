import Foundation
import RoomPeers
import RoomTestSupport
import Testing

/// nginx with deploy/nginx/roomserver.conf, on ports of its own, with a self-signed certificate.
private final class NginxProxy {
  let port: UInt16
  private let nginx: Nginx

  static var isInstalled: Bool { Nginx.isInstalled && Program.path("openssl") != nil }

  /// - Parameter upstream: the server's port.
  init(before upstream: UInt16) async throws {
    port = try TCPPort.free()
    let plain = try TCPPort.free()
    nginx = try Nginx(port: port)
    let folder = nginx.folder
    let names = (certificate: "\(folder.path)/fullchain.pem", key: "\(folder.path)/privkey.pem")
    let openssl = try Program(
      "openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
        "/CN=localhost", "-keyout", names.key, "-out", names.certificate,
      ])
    guard try await openssl.finish() == 0 else { throw ProgramFailure(what: openssl.text) }
    // Replaces what a deployment fills in, and the ports.
    let shipped = try String(contentsOfFile: "deploy/nginx/roomserver.conf", encoding: .utf8)
      .replacing("/etc/letsencrypt/live/rooms.example.org/fullchain.pem", with: names.certificate)
      .replacing("/etc/letsencrypt/live/rooms.example.org/privkey.pem", with: names.key)
      .replacing("rooms.example.org", with: "localhost").replacing("127.0.0.1:8080", with: "127.0.0.1:\(upstream)")
      .replacing("listen 443 ", with: "listen 127.0.0.1:\(port) ").replacing("listen 80;", with: "listen 127.0.0.1:\(plain);")
      .replacing(#/ *listen \[::\].*\n/#, with: "")
    try await nginx.start(nginx.http(shipped))
  }
}

extension RealMedia {
  @Suite("HTTPS with nginx as reverse proxy", .enabled(if: NginxProxy.isInstalled))
  struct NginxProxyTests {
    @Test("signalling, HTTP-FLV and HLS work with deploy/nginx/roomserver.conf, and the server knows its clients' addresses")
    func proxied() async throws {
      try await withServer(adjust: grantOneJoinEach) { server in
        let upstream = try #require(URLComponents(string: server.page)?.port)
        let proxy = try await NginxProxy(before: UInt16(upstream))
        try await expectAllPasses(proxy.port, before: server)
        // alice has used the only join of 127.0.0.1. nginx forwards the client address given by another proxy, which is on this
        // machine too.
        for (origin, isLimited) in [("198.51.100.7", false), ("198.51.100.7", true), ("127.0.0.1", true)] {
          #expect(try await isRefusedToJoin(from: origin, proxy.port, before: server) == isLimited, "\(origin)")
        }
      }
    }
  }
}
