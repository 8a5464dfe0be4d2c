import Foundation
import Testing

@Suite("HTTP on IPv6")
struct AddressFamilyTests {
  private static let hasIPv6: Bool = {
    let has = (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8))?.contains("00000000000000000000000000000001")
    if has != true { print("skipped: this machine has no IPv6 loopback address") }
    return has == true
  }()

  private func health(_ server: TestServer, at host: String) async throws -> Int {
    let wire = try await Wire.connect(port: server.server.port, host: host)
    defer { wire.close() }
    wire.send("GET /healthz HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
    return try await wire.response().status
  }

  @Test("bound to ::1 it serves only IPv6", .enabled(if: hasIPv6))
  func loopback() async throws {
    try await TestServer.with({ $0.host = "::1" }) { server in
      let status = try await health(server, at: "::1")
      #expect(status == 200)
      await #expect(throws: (any Error).self) { try await health(server, at: "127.0.0.1") }
    }
  }

  @Test("bound to :: it serves both families", .enabled(if: hasIPv6))
  func both() async throws {
    try await TestServer.with({ $0.host = "::" }) { server in
      for host in ["::1", "127.0.0.1"] {
        let status = try await health(server, at: host)
        #expect(status == 200)
      }
    }
  }
}
