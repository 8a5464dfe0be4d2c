import Foundation
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomServer

@Suite("Draining a server")
struct DrainTests {
  private struct State: Decodable {
    var draining: Bool
    var deadline: Int64?
    var redirect: String?
    var rooms: Int
    var participants: Int
  }

  private static let other = "wss://b.example:4443/v1/signal"

  private func state(_ server: TestServer) async throws -> State {
    try await server.api("GET", "/v1/server/drain").decoded()
  }

  @Test("no room is opened, and errors name the redirect; open rooms admit their users; the drain ends when they are empty")
  func runsEmpty() async throws {
    try await TestServer.with { server in
      #expect(try await state(server).draining == false)
      #expect(try await server.request("GET", "/readyz").status == 200)
      let alice = try await server.join("alice")
      let begun = try await server.api("POST", "/v1/server/drain", json: #"{"seconds":60,"redirect":"\#(Self.other)"}"#)
      #expect(begun.status == 202)
      let told: State = try begun.decoded()
      #expect(told.draining && told.redirect == Self.other && told.rooms == 1 && told.participants == 1)
      #expect(try await server.request("GET", "/readyz").status == 503)
      #expect(try await server.request("GET", "/healthz").status == 200)
      #expect(try await server.metric("roomserver_draining") == 1)

      let refused = try await server.connect().error(of: .join(JoinParams(token: try server.token("bob", room: "new"))))
      #expect(refused?.code == .joinFailed && refused?.redirect == Self.other)
      let made = try await server.api("POST", "/v1/rooms", json: #"{"name":"new"}"#)
      #expect(made.status == 429 && made.error?.redirect == Self.other)
      let sdp = "v=0\r\n"
      let token = try server.token("cam", room: "new")
      let whip = try await server.raw(
        "POST /whip/new?x=1 HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAuthorization: Bearer \(token)\r\n"
          + "Content-Type: application/sdp\r\nContent-Length: \(sdp.utf8.count)\r\n\r\n\(sdp)")
      #expect(whip.status == 307 && whip.headers["location"] == "https://b.example:4443/whip/new?x=1", "\(whip)")

      let bob = try await server.join("bob")
      async let over: Void = server.server.drained()
      for client in [alice, bob] { _ = try await client.call(.leave) }
      await over
      #expect(try await state(server).participants == 0)
    }
  }

  @Test("an empty server with an open watch page ends once the page has had time to ask for the next server")
  func pages() async throws {
    try await TestServer.with { server in
      #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"open","watch":{"public":true}}"#).status == 201)
      #expect(try await server.request("GET", "/v1/watch/open").status == 200)
      let begin = ContinuousClock.now
      _ = try await server.api("POST", "/v1/server/drain", json: #"{"seconds":60,"redirect":"\#(Self.other)"}"#)
      struct Page: Decodable { var redirect: String? }
      let page: Page = try await server.request("GET", "/v1/watch/open").decoded()
      #expect(page.redirect == Self.other)
      await server.server.drained()
      // Pages of the largest audience ask every 11.5 s.
      #expect(ContinuousClock.now - begin >= .milliseconds(11_500))
    }
  }

  @Test("only at the deadline are the remaining participants redirected to the other server")
  func deadline() async throws {
    let server = try await TestServer.start()
    let alice = try await server.join("alice")
    let begin = ContinuousClock.now
    await server.server.drain(for: .milliseconds(600), redirect: Self.other)
    #expect(ContinuousClock.now - begin >= .milliseconds(600))
    #expect(!alice.events.contains { $0.name == "ended" })
    await server.server.stop()
    let ended = try await alice.event("ended") { if case .ended(let data) = $0 { data } else { nil } }
    #expect(ended.reason == .serverStopping && ended.redirect == Self.other)
  }

  @Test("a drain can be cancelled, and started again with another deadline")
  func calledOff() async throws {
    try await TestServer.with { server in
      _ = try await server.join("alice")
      _ = try await server.api("POST", "/v1/server/drain", json: #"{"seconds":1,"redirect":"\#(Self.other)"}"#)
      let first = try #require(try await state(server).deadline)
      _ = try await server.api("POST", "/v1/server/drain", json: "{}")
      let second = try await state(server)
      #expect(try #require(second.deadline) > first + 500_000 && second.redirect == Self.other)
      #expect(try await server.api("DELETE", "/v1/server/drain").status == 204)
      #expect(try await state(server).draining == false)
      _ = try await server.join("bob", room: "new")
    }
  }

  @Test(
    "invalid parameters are rejected with the field's name",
    arguments: [
      (#"{"seconds":-1}"#, "seconds"), (#"{"seconds":86401}"#, "seconds"), (#"{"redirect":"http://b"}"#, "redirect"),
      (#"{"redirect":"wss://"}"#, "redirect"), (#"{"deadline":1}"#, "deadline"), ("[]", "body"),
    ])
  func nonsense(body: String, field: String) async throws {
    try await TestServer.with { server in
      let answer = try await server.api("POST", "/v1/server/drain", json: body)
      #expect(answer.status == 400 && answer.error?.message.contains(field) == true)
      #expect(try await server.api("GET", "/v1/server/drain").decoded(State.self).draining == false)
    }
  }

  @Test("SIGTERM waits for the last participant to leave, and SIGINT does not", arguments: [true, false])
  func signals(leaves: Bool) async throws {
    let server = try Command.start(
      ["serve", "--dev", "--media-bind", "127.0.0.1", "--port", "0", "--drain", "60"], environment: [:])
    let greeting = try await eventually("the greeting") { server.output.contains("/v1/rooms\n") ? server.output : nil }
    let port = try #require(greeting.firstMatch(of: /ws:\/\/127\.0\.0\.1:(\d+)\/v1\/signal/).flatMap { UInt16($0.1) })
    let token = try #require(greeting.firstMatch(of: /\n +(ey\S+)\n/)).1
    let client = try await SignalClient.connect(port: port)
    try await client.join(String(token))
    server.signal(SIGTERM)
    try await eventually("it drains") { server.errors.contains("draining") }
    if leaves { _ = try await client.call(.leave) } else { server.signal(SIGINT) }
    #expect(try await server.status() == 0)
    #expect(client.events.contains { $0.name == "ended" } == !leaves)
  }
}
