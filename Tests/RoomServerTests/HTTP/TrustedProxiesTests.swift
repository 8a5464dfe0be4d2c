import Logging
import RoomPeers
import RoomProtocol
import Testing
import RoomWebRTC

@testable import RoomHTTPServer
@testable import RoomServer

@Suite("Clients behind a proxy")
struct TrustedProxiesTests {
  private func client(
    _ lines: String..., peer: String = "127.0.0.1", trusting: [String] = ["127.0.0.1", "10.0.0.0/8", "fd00::/8"]
  ) throws -> String {
    let peer = try #require(TransportAddress(host: peer, port: 4711))
    return try TrustedProxies(parsing: trusting).client(of: peer, forwardedFor: lines).client.host
  }

  @Test(
    "the client is the last address that is not a trusted proxy, whatever it claims",
    arguments: [
      (["203.0.113.9"], "203.0.113.9"), (["198.51.100.7, 203.0.113.9"], "203.0.113.9"),
      (["198.51.100.7,203.0.113.9 , 10.1.1.1,\t10.2.2.2"], "203.0.113.9"),
      (["198.51.100.7", "203.0.113.9", "10.1.1.1"], "203.0.113.9"),
      (["2001:db8::1, fd00::7"], "2001:db8::1"), (["[2001:db8::1]:4711"], "2001:db8::1"), (["[2001:db8::1]"], "2001:db8::1"),
      (["203.0.113.9:4711"], "203.0.113.9"), (["10.3.3.3, 10.1.1.1"], "10.3.3.3"), (["::ffff:203.0.113.9"], "203.0.113.9"),
    ])
  func chain(lines: [String], host: String) throws {
    let proxies = try TrustedProxies(parsing: ["127.0.0.1", "10.0.0.0/8", "fd00::/8"])
    let found = proxies.client(of: try #require(TransportAddress(host: "127.0.0.1", port: 1)), forwardedFor: lines)
    #expect(found.client.host == host && !found.isCut)
  }

  @Test("the header of an untrusted peer is ignored")
  func stranger() throws {
    #expect(try client("203.0.113.9", peer: "192.0.2.1") == "192.0.2.1")
    #expect(try client("203.0.113.9", trusting: []) == "127.0.0.1")
    #expect(try client("198.51.100.7, 203.0.113.9", trusting: ["127.0.0.1"]) == "203.0.113.9")
  }

  @Test(
    "an invalid entry ends the search",
    arguments: [
      "unknown", "", "203.0.113.9.1", "203.0.113.9:", "203.0.113.9:70000", "[203.0.113.9]:80", "[2001:db8::1",
      "[2001:db8::1]80",
      "\"203.0.113.9\"", "fe80::1%eth0", "203.0.113.9 198.51.100.7", String(repeating: "1", count: 65),
    ])
  func unreadable(entry: String) throws {
    #expect(try client("198.51.100.7, \(entry)") == "127.0.0.1")
    #expect(try client("198.51.100.7, \(entry), 10.1.1.1") == "10.1.1.1")
  }

  @Test("32 entries and 2 KiB are read, from the end, and no incomplete entry")
  func bounded() throws {
    let proxies = try TrustedProxies(parsing: ["127.0.0.1", "10.0.0.0/8"])
    let peer = TransportAddress(ipv4: 0x7F00_0001, port: 1)
    func found(_ hops: [String]) -> (client: TransportAddress, isCut: Bool) {
      proxies.client(of: peer, forwardedFor: [hops.joined(separator: ",")])
    }
    let proxy = Array(repeating: "10.0.0.1", count: 31)
    #expect(found(["203.0.113.9"] + proxy).client.host == "203.0.113.9")
    let more = found(["203.0.113.9", "10.0.0.2"] + proxy)
    #expect(more.client.host == "10.0.0.2" && more.isCut)
    // Without its first two digits, 203.0.113.99 would be another address.
    let wide = "10.0.0.1" + String(repeating: " ", count: 2048 - "10.0.0.1,3.0.113.99".utf8.count)
    let half = found(["203.0.113.99", wide])
    #expect(half.client.host == "10.0.0.1" && half.isCut)
  }

  @Test(
    "behind a trusted proxy each client has its own join limit, and from other peers the header is ignored",
    arguments: [true, false])
  func joins(isTrusted: Bool) async throws {
    let log = LinesLog()
    let proxies = try TrustedProxies(parsing: isTrusted ? ["127.0.0.1"] : [])
    try await TestServer.with(
      {
        $0.trustedProxies = proxies
        $0.limits.joinBurst = 1
        $0.limits.joinsPerSecond = 0.001
      }, log: log.logger
    ) { server async throws in
      func refusal(_ user: UserID, from client: String) async throws -> ErrorCode? {
        let client = try await SignalClient.connect(port: server.server.port, forwardedFor: client)
        return try await client.error(of: .join(JoinParams(token: try server.token(user))))?.code
      }
      func offer(from client: String) async throws -> Int {
        let headers = ["Content-Type": "application/sdp", "X-Forwarded-For": client]
        return try await server.http("POST", "/whep/room", try server.token("x"), headers: headers, body: HTTPOffer.view(.opus))
          .status
      }
      #expect(try await refusal("a", from: "203.0.113.1") == nil)
      #expect(try await refusal("b", from: "198.51.100.1, 203.0.113.1") == .joinFailed)
      #expect(
        log.lines.contains { $0.hasPrefix("join refused") && $0.contains("client=\(isTrusted ? "203.0.113.1" : "127.0.0.1") ") }
      )
      #expect(try await refusal("c", from: "203.0.113.2") == (isTrusted ? nil : .joinFailed))
      #expect(try await offer(from: "203.0.113.2") == 429)
      #expect((try await offer(from: "203.0.113.3") == 429) == !isTrusted)
      // Players are not limited, but their addresses are logged.
      #expect(try await server.http("GET", "/live/none.flv", headers: ["X-Forwarded-For": "203.0.113.4"]).status == 404)
      #expect(
        log.lines.contains { $0.hasPrefix("play refused") && $0.contains("client=\(isTrusted ? "203.0.113.4" : "127.0.0.1") ") }
      )
    }
  }
}
