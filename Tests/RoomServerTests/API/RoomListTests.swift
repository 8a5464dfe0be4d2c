import Foundation
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomServer

@Suite("REST: lists of rooms, and their counts")
struct RoomListTests {
  struct Page: Decodable {
    struct Room: Decodable, Equatable {
      var name: String
      var participants: Int
      var users: [String]
      var kind: String
      var viewers: Int
    }
    struct Totals: Decodable, Equatable { var rooms: Int }
    var rooms: [Room]
    var totals: Totals
    var next: String?
  }

  private func page(_ server: TestServer, _ query: String = "") async throws -> Page {
    try await server.api("GET", "/v1/rooms\(query)").decoded()
  }

  @Test("pages follow each other by name, and the last one has no next")
  func pages() async throws {
    try await TestServer.with { server in
      let names = ["B", "a", "b.1", "b:2", "c"]
      for name in names.reversed() {
        #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"\#(name)"}"#).status == 201)
      }
      let whole = try await page(server)
      #expect(whole.rooms.map(\.name) == names && whole.next == nil)
      var found: [String] = []
      var next: String?
      repeat {
        let after = next.map { "&after=\($0.replacing(":", with: "%3A"))" } ?? ""
        let page = try await page(server, "?limit=2\(after)")
        #expect(page.rooms.count <= 2)
        found += page.rooms.map(\.name)
        next = page.next
        // The last room of a page may be closed when the next page is requested.
        if next == "a" { #expect(try await server.api("DELETE", "/v1/rooms/a").status == 204) }
      } while next != nil && found.count < 10
      #expect(found == names)
      #expect(try await page(server, "?limit=4").next == nil, "exactly as many as there are")
      #expect(try await page(server, "?after=zz").rooms.isEmpty)
      let bad = [
        "?limit=0", "?limit=1001", "?limit=x", "?after=a%20b", "?after=", "?state=full", "?state=", "?sort=size",
        "?sort=live&after=b", "?q=%FF", "?q=\(String(repeating: "x", count: 65))",
      ]
      for query in bad { #expect(try await server.api("GET", "/v1/rooms\(query)").status == 400, "\(query)") }
    }
  }

  @Test("a list is searched, filtered and sorted, and changes as soon as a room does")
  func queries() async throws {
    try await TestServer.with { server in
      for json in [#"{"name":"quiet"}"#, #"{"name":"talk","audience":"voice"}"#, #"{"name":"full"}"#] {
        #expect(try await server.api("POST", "/v1/rooms", json: json).status == 201)
      }
      let ann = try await server.join("ann", room: "full", autoSubscribe: false)
      #expect(try await page(server, "?sort=live").rooms.map(\.name) == ["full", "quiet", "talk"])
      #expect(try await page(server, "?q=ANN").rooms.map(\.name) == ["full"])
      #expect(try await page(server, "?state=voice").rooms.map(\.kind) == ["voice"])
      let empty = try await page(server, "?state=empty&limit=1")
      #expect(empty.rooms.map(\.name) == ["quiet"] && empty.totals.rooms == 2)
      let next = try #require(empty.next)
      #expect(try await page(server, "?state=empty&limit=1&after=\(next)").rooms.map(\.name) == ["talk"])
      _ = try await ann.call(.leave)
      #expect(try await page(server, "?q=ann").rooms.isEmpty)
      #expect(try await server.api("PATCH", "/v1/rooms/talk", json: #"{"audience":"mixed"}"#).status == 200)
      #expect(try await page(server, "?state=voice").rooms.isEmpty)
      #expect(try await server.api("DELETE", "/v1/rooms/talk").status == 204)
      #expect(try await page(server).rooms.map(\.name) == ["full", "quiet"])
      // A new room with the name of a closed one.
      #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"talk"}"#).status == 201)
      #expect(try await page(server).rooms.map(\.name) == ["full", "quiet", "talk"])
    }
  }

  @Test("operators who look at a room are neither its participants nor its viewers, and a drain does not wait for them")
  func operators() async throws {
    try await TestServer.with { server in
      let host = try await server.join("host", room: "room", autoSubscribe: false)
      _ = try await host.publish(.opus)
      _ = try await server.join("watcher", room: "room", grants: [.subscribe, .hidden], autoSubscribe: false)
      let offer = HTTPOffer.view(.opus, .vp8)
      let wall = try server.token("wall", grants: [.subscribe, .hidden, .admin])
      #expect(try await server.post("/whep/room/host", wall, offer).status == 201)
      let room = try #require(try await page(server).rooms.first)
      #expect(room.participants == 1 && room.users == ["host"] && room.viewers == 0)
      #expect(try await server.metric("roomserver_viewers") == 0)
      #expect(try await server.api("GET", "/v1/server/drain").text.contains(#""viewers":0"#))
      #expect(
        try await server.post("/whep/room/host", try server.token("fan", grants: [.subscribe, .hidden]), offer).status == 201)
      #expect(try await page(server).rooms.first?.viewers == 1)
    }
  }

  @Test("the room's own mix uses no capacity, and does not count as a participant")
  func ownMix() async throws {
    try await TestServer.with { server in
      #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"room","maxParticipants":4}"#).status == 201)
      let host = try await server.join("host", grants: [.publish, .subscribe, .admin], autoSubscribe: false)
      let guest = try await server.join("guest", autoSubscribe: false)
      _ = try await guest.call(.seats(.take(SeatParams())), SeatResult.self)
      _ = try await server.join("viewer", grants: [.subscribe], autoSubscribe: false)
      _ = try await host.event("the mix joins") { event in
        if case .joined(let participant) = event, participant.userId == "@mix" { participant } else { nil }
      }
      var room = try #require(try await page(server).rooms.first)
      #expect(room.participants == 3)
      #expect(room.users == ["host", "guest", "viewer"])
      #expect(try await server.metric("roomserver_participants") == 3)
      // Three of four participants have joined.
      _ = try await server.join("fourth", autoSubscribe: false)
      room = try #require(try await page(server).rooms.first)
      #expect(room.participants == 4)
      let fifth = try await server.connect().error(of: .join(JoinParams(token: try server.token("fifth"))))
      #expect(fifth?.code == .joinFailed)
    }
  }

  @Test("the anchor of another room in a PK uses no capacity, and does not count as a participant")
  func bridgedAnchor() async throws {
    try await TestServer.with { server in
      for room in ["a", "b"] {
        let json = #"{"name":"\#(room)","maxParticipants":2,"audience":"separate"}"#
        #expect(try await server.api("POST", "/v1/rooms", json: json).status == 201)
      }
      let ann = try await server.join("ann", room: "a", grants: [.publish, .subscribe, .admin], autoSubscribe: false)
      let bob = try await server.join("bob", room: "b", grants: [.publish, .subscribe, .admin], autoSubscribe: false)
      try await bob.publish(.opus)
      let invited = try await ann.call(.pk(.invite(PKInviteParams(room: "b"))), PKInviteResult.self)
      try await eventually("bob can accept") {
        try await bob.error(of: .pk(.accept(PKParams(pkId: invited.pkId)))) == nil
      }
      _ = try await ann.event("bob comes over") { event in
        if case .joined(let participant) = event, participant.userId == "bob@b" { participant } else { nil }
      }
      let room = try #require(try await page(server).rooms.first)
      #expect(room.participants == 1 && room.users == ["ann"])
      _ = try await server.join("viewer", room: "a", autoSubscribe: false)
      #expect(try await page(server).rooms.first?.participants == 2)
    }
  }
}
