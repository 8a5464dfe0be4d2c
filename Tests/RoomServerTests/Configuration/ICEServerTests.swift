import Foundation
import RoomProtocol
import RoomServer
import Testing

@testable import RoomEngine

@Suite("ICE servers for clients")
struct ICEServerTests {
  @Test("coturn's credentials are made from a secret: the expiry and the user, signed with HMAC-SHA1")
  func secret() {
    let setting = ICEServerSetting(
      urls: ["turn:t.example.org:3478?transport=udp"], access: .secret("north", lifetime: .seconds(86_400)))
    // The credential is the output of `printf 1800086400:alice | openssl dgst -sha1 -hmac north -binary | base64`.
    #expect(
      setting.serverEntry(for: "alice", at: Date(timeIntervalSince1970: 1_800_000_000.9))
        == ICEServer(
          urls: ["turn:t.example.org:3478?transport=udp"], username: "1800086400:alice",
          credential: "6B2XA+IGm6mxFU4C25JYiVgVob4="))
  }

  @Test("a join returns the servers with credentials for the client, and a resume returns new ones")
  func joined() async throws {
    let adjust: (inout ServerConfiguration) -> Void = {
      $0.iceServers = [
        ICEServerSetting(urls: ["stun:s.example.org"]),
        ICEServerSetting(urls: ["turn:t.example.org"], access: .account(username: "u", credential: "p")),
        ICEServerSetting(urls: ["turns:t.example.org"], access: .secret("north", lifetime: .seconds(60))),
      ]
    }
    try await TestServer.with(adjust) { server in
      let alice = try await server.connect()
      let joined = try await alice.join(try server.token("alice"))
      let servers = try #require(joined.iceServers)
      #expect(servers.map(\.urls) == [["stun:s.example.org"], ["turn:t.example.org"], ["turns:t.example.org"]])
      #expect(servers[0].username == nil && servers[0].credential == nil)
      #expect(servers[1].username == "u" && servers[1].credential == "p")
      let parts = try #require(servers[2].username).split(separator: ":")
      #expect(parts.last == "alice")
      #expect(abs(try #require(Double(parts[0])) - Date().timeIntervalSince1970 - 60) < 10)
      let again = try await server.connect()
      #expect(try await again.join(try server.token("alice"), resume: joined.sessionId).iceServers?.count == 3)
      let bob = try await server.connect()
      #expect(try await bob.join(try server.token("bob")).iceServers?[2].username?.hasSuffix(":bob") == true)
    }
  }

  @Test("without servers the join has none")
  func none() async throws {
    try await TestServer.with { server in
      let client = try await server.connect()
      #expect(try await client.join(try server.token("u")).iceServers == nil)
    }
  }

  @Test(
    "invalid servers are rejected at the start",
    arguments: [
      ICEServerSetting(urls: []), ICEServerSetting(urls: ["http://t"]), ICEServerSetting(urls: ["turn:"]),
      ICEServerSetting(urls: ["turn:t"]), ICEServerSetting(urls: ["stun:a b"]), ICEServerSetting(urls: ["stun:a\"b"]),
      ICEServerSetting(urls: ["turn:t"], access: .secret("")),
      ICEServerSetting(urls: ["turn:t"], access: .secret("s", lifetime: .zero)),
    ])
  func useless(setting: ICEServerSetting) async throws {
    await #expect(throws: StartError.self) { try await TestServer.start { $0.iceServers = [setting] } }
  }
}
