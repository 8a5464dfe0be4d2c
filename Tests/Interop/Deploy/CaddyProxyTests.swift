import Foundation
import RoomPeers
import RoomTestSupport
import Testing

/// Caddy with deploy/caddy/Caddyfile, on a port of its own, with a certificate of its own authority.
private final class CaddyProxy {
  let port: UInt16
  private let folder: URL
  private let caddy: Peer

  static var isInstalled: Bool { Program.path("caddy") != nil && Program.path("openssl") != nil }

  /// - Parameter upstream: the server's port.
  init(before upstream: UInt16) async throws {
    port = try TCPPort.free()
    folder = FileManager.default.temporaryDirectory.appending(path: "proxy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Replaces what a deployment fills in, and the port.
    let shipped = try String(contentsOfFile: "deploy/caddy/Caddyfile", encoding: .utf8)
      .replacing("rooms.example.org", with: "127.0.0.1:\(port)").replacing("127.0.0.1:8080", with: "127.0.0.1:\(upstream)")
    // The machine's own state is not used or changed: no port 80 or 2019, no trusted authority.
    let configuration = """
      {
        admin off
        auto_https disable_redirects
        local_certs
        skip_install_trust
      }
      \(shipped)
      """
    let file = folder.appending(path: "Caddyfile")
    try configuration.write(to: file, atomically: true, encoding: .utf8)
    caddy = try Peer([
      "XDG_DATA_HOME=\(folder.path)", "XDG_CONFIG_HOME=\(folder.path)", "caddy", "run", "--adapter", "caddyfile", "--config",
      file.path,
    ])
    // Caddy listens before it has created its certificate.
    try await eventually("Caddy serves") {
      guard caddy.isRunning else { throw ProgramFailure(what: "Caddy has ended: \(caddy.text)") }
      return try await Peer(["openssl", "s_client", "-connect", "127.0.0.1:\(port)"]).finish() == 0
    }
  }

  deinit {
    caddy.stop()
    try? FileManager.default.removeItem(at: folder)
  }
}

extension RealMedia {
  @Suite("HTTPS with Caddy as reverse proxy", .enabled(if: CaddyProxy.isInstalled))
  struct CaddyProxyTests {
    @Test("signalling, HTTP-FLV and HLS work with deploy/caddy/Caddyfile, and the server knows its clients' addresses")
    func proxied() async throws {
      try await withServer(adjust: grantOneJoinEach) { server in
        let upstream = try #require(URLComponents(string: server.page)?.port)
        let proxy = try await CaddyProxy(before: UInt16(upstream))
        try await expectAllPasses(proxy.port, before: server)
        // alice has used the only join of 127.0.0.1. Caddy does not forward a client's own forwarding headers.
        #expect(try await isRefusedToJoin(from: "198.51.100.7", proxy.port, before: server))
      }
    }
  }
}
