import Foundation
import RoomCluster
import RoomEngine
import RoomLinux
import RoomPeers
import RoomProtocol
import RoomRedis
import RoomTestSupport
import Testing

@testable import RoomClusterServer
@testable import RoomServer

@Suite("Servers of a cluster", .serialized, .enabled(if: RedisServer.isInstalled))
struct ClusterTests {
  private struct State: Decodable {
    struct Node: Decodable {
      var node: String
      var address: String
      var rooms: Int
      var headroom: Double
      var isSelf: Bool
    }

    struct Lease: Decodable { var room: String }

    var enabled: Bool
    var ready: Bool?
    var nodes: [Node]?
    var leases: [Lease]?
  }

  private struct List: Decodable {
    struct Room: Decodable { var name: String }
    struct Totals: Decodable { var rooms: Int }
    var rooms: [Room]
    var totals: Totals
    var next: String?
  }

  private func state(_ server: TestServer) async throws -> State { try await server.api("GET", "/v1/cluster").decoded() }

  private func owns(_ server: TestServer, _ room: String) async throws -> Bool {
    try await state(server).leases?.contains { $0.room == room } ?? false
  }

  /// Returns a server that owns a room.
  private func owner(_ servers: [TestServer]) async throws -> TestServer? {
    for server in servers where try await state(server).leases?.isEmpty == false { return server }
    return nil
  }

  @Test("a server without a cluster says so")
  func alone() async throws {
    try await TestServer.with { server in
      let state = try await state(server)
      let promise = try await server.request("POST", "/v1/cluster/promises", json: "{}")
      #expect(!state.enabled && promise.status == 404)
    }
  }

  @Test("one API at every node; joins, WHIP and the list lead to the owner; the next owner has the room's state")
  func service() async throws {
    try await ClusterServers.with(3) { cluster in
      let servers = cluster.servers
      for number in 0..<6 {
        let made = try await servers[number % 3].api("POST", "/v1/rooms", json: #"{"name":"room\#(number)"}"#)
        #expect(made.status == 201)
      }
      // An existing room is found at its owner, and not made again.
      #expect(try await servers[0].api("POST", "/v1/rooms", json: #"{"name":"room5"}"#).status == 200)
      for server in servers {
        let all: List = try await server.api("GET", "/v1/rooms").decoded()
        #expect(all.rooms.map(\.name) == (0..<6).map { "room\($0)" } && all.totals.rooms == 6 && all.next == nil)
        let page: List = try await server.api("GET", "/v1/rooms?limit=2&after=room1").decoded()
        #expect(page.rooms.map(\.name) == ["room2", "room3"] && page.next == "room3")
      }
      var owner = servers[0]
      for server in servers where try await owns(server, "room0") { owner = server }
      let others = servers.filter { $0.server.port != owner.server.port }
      try await signalling(owner, others[0])
      try await calls(owner, others)
      await owner.server.stop()
      try await eventually("another node owns the room", within: .seconds(5)) {
        for other in others where try await owns(other, "room0") { return true }
        return false
      }
      let state: RoomSnapshot = try await others[1].api("GET", "/v1/rooms/room0/state").decoded()
      #expect(state.attributes["topic"] == "cluster")
      try await closing(others)
    }
  }

  @Test("a drained node's rooms move with their state; requests find them meanwhile, and new rooms open elsewhere")
  func drain() async throws {
    struct Drain: Decodable {
      var rooms: Int
      var moved: Int
    }
    try await ClusterServers.with(3) { cluster in
      let servers = cluster.servers
      for number in 0..<12 {
        #expect(try await servers[0].api("POST", "/v1/rooms", json: #"{"name":"room\#(number)"}"#).status == 201)
      }
      // The load of the machine decides which nodes have rooms.
      let drained = try #require(try await owner(servers))
      let others = servers.filter { $0.server.port != drained.server.port }
      let owned = try await state(drained).leases ?? []
      let room = try #require(owned.first?.room)
      let ann = try await drained.join("ann", room: RoomName(room))
      let set = #"{"set":{"topic":"moved"}}"#
      #expect(try await others[0].api("POST", "/v1/rooms/\(room)/calls/setAttributes", json: set).status == 200)
      #expect(try await drained.api("POST", "/v1/server/drain", json: #"{"seconds":60}"#).status == 202)
      // No request fails while the rooms move, at any node, and no acknowledged change is lost.
      let isOver = Guarded(false)
      let acknowledged = try await withThrowingTaskGroup(of: (String, Int).self) { group in
        for number in 0..<12 {
          group.addTask {
            let server = servers[number % 3]
            var round = 0
            repeat {
              round += 1
              let read = try await server.api("GET", "/v1/rooms/\(room)")
              #expect(read.status == 200, "node \(number), round \(round): \(read.text)")
              let change = #"{"set":{"n\#(number)":"\#(round)"}}"#
              let answer = try await server.api("POST", "/v1/rooms/\(room)/calls/setAttributes", json: change)
              #expect(answer.status == 200, "node \(number), round \(round): \(answer.text)")
            } while !isOver.withLock { $0 }
            return ("n\(number)", round)
          }
        }
        await drained.server.drained()
        isOver.withLock { $0 = true }
        return try await group.reduce(into: [:]) { $0[$1.0] = "\($1.1)" }
      }
      let ended = try await ann.event("ended") { if case .ended(let data) = $0 { data } else { nil } }
      #expect(ended.reason == .serverStopping)
      let next = try #require(others.first { ended.redirect == "ws://127.0.0.1:\($0.server.port)/v1/signal" })
      let isOwned = try await owns(next, room)
      let left = try await state(drained).leases?.count
      #expect(isOwned && left == 0)
      let drain: Drain = try await drained.api("GET", "/v1/server/drain").decoded()
      #expect(drain.rooms == 0 && drain.moved == owned.count)
      #expect(try await drained.metric("roomserver_cluster_given_total") == owned.count)
      let kept: RoomSnapshot = try await drained.api("GET", "/v1/rooms/\(room)/state").decoded()
      #expect(kept.attributes == acknowledged.merging(["topic": "moved"]) { $1 })
      let all: List = try await others[0].api("GET", "/v1/rooms").decoded()
      #expect(all.totals.rooms == 12)
      // The drained node still answers, and opens nothing.
      let refused = try await drained.connect().error(of: .join(JoinParams(token: try drained.token("bob", room: "new"))))
      #expect(refused?.code == .joinFailed && refused?.redirect?.hasPrefix("ws://127.0.0.1:") == true)
      #expect(try await drained.api("POST", "/v1/rooms", json: #"{"name":"new"}"#).status == 201)
      #expect(try await state(drained).leases?.isEmpty == true)
      #expect(try await others[0].request("POST", "/v1/cluster/handovers", json: "{}").status == 401)
    }
  }

  @Test("a node that another one takes for the owner of a room answers with 421, so that the other asks again")
  func misdirected() async throws {
    try await ClusterServers.with(2) { cluster in
      #expect(try await cluster[0].api("POST", "/v1/rooms", json: #"{"name":"room"}"#).status == 201)
      let owner = try #require(try await cluster.owner(of: "room"))
      let signature = NodeSignature(secret: try #require(try await cluster.ask(["GET", "{roomserver}:secret"]).text))
      for (number, server) in cluster.servers.enumerated() {
        for path in ["/v1/rooms/room", "/v1/rooms/nowhere"] {
          let value = signature.value(node: "n9", method: "GET", target: path, body: [], at: RoomTime.now.unix)
          let answer = try await server.raw(
            "GET \(path) HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAuthorization: Bearer \(try server.apiToken())\r\n"
              + "\(NodeSignature.header): \(value)\r\n\r\n")
          #expect(answer.status == (path.hasSuffix("nowhere") ? 404 : number == owner ? 200 : 421), "\(number) \(path)")
        }
      }
    }
  }

  @Test("a room stays at a node that drains while no other takes it, also one that was offered; it moves when another can")
  func nowhere() async throws {
    try await ClusterServers.with(2) { cluster in
      let servers = cluster.servers
      let ann = try await servers[0].join("ann", room: "room")
      // The other drains too: it refuses the room, or is known to be full.
      for server in servers.reversed() {
        #expect(try await server.api("POST", "/v1/server/drain", json: #"{"seconds":300}"#).status == 202)
      }
      try await eventually("the other reports no headroom") {
        try await state(servers[0]).nodes?.allSatisfy { $0.headroom == 0 } == true
      }
      // Who was disconnected by an attempt returns here.
      try await eventually("the room is here") { try await owns(servers[0], "room") }
      let bob = try await servers[0].join("bob", room: "room")
      #expect(try await servers[0].api("GET", "/v1/rooms/room").status == 200)
      #expect(try await servers[1].api("DELETE", "/v1/server/drain").status == 204)
      // An offer follows a refused one after half a second, and each has 5 s.
      let ended = try await bob.event("ended", within: .seconds(120)) { if case .ended(let data) = $0 { data } else { nil } }
      #expect(ended.redirect == "ws://127.0.0.1:\(servers[1].server.port)/v1/signal")
      let hasMoved = try await owns(servers[1], "room")
      #expect(hasMoved)
      _ = ann
    }
  }

  @Test("two rooms in a PK move together and stay in it, however often they send each other its score")
  func pair() async throws {
    try await ClusterServers.with(2) { cluster in
      let servers = cluster.servers
      for number in 0..<8 {
        #expect(try await servers[0].api("POST", "/v1/rooms", json: #"{"name":"room\#(number)"}"#).status == 201)
      }
      var owned: [String] = []
      var (from, to) = (servers[0], servers[1])
      for (index, server) in servers.enumerated() {
        let rooms = try await state(server).leases?.map(\.room) ?? []
        if rooms.count > owned.count { (owned, from, to) = (rooms, server, servers[1 - index]) }
      }
      let (red, blue) = (owned[0], owned[1])
      let host: Grants = [.publish, .subscribe, .admin]
      for room in [red, blue] { _ = try await from.join(UserID("host-\(room)"), room: RoomName(room), grants: host) }
      func call(_ room: String, _ method: String, _ json: String) async throws -> Int {
        try await to.api("POST", "/v1/rooms/\(room)/calls/\(method)", json: json).status
      }
      func pk(_ room: String) async throws -> PKInfo? {
        try await to.api("GET", "/v1/rooms/\(room)/state").decoded(RoomSnapshot.self).pk
      }
      #expect(try await call(red, "invitePK", #"{"room":"\#(blue)"}"#) == 200)
      let id = try await eventually("the invitation") {
        try await to.api("GET", "/v1/rooms/\(blue)/state").decoded(RoomSnapshot.self).pkInvitations.first?.pkId
      }
      #expect(try await call(blue, "acceptPK", #"{"pkId":"\#(id)"}"#) == 200)
      try await eventually("the PK") {
        let (one, other) = (try await pk(red), try await pk(blue))
        return one?.pkId == id && other?.pkId == id
      }
      #expect(try await from.api("POST", "/v1/server/drain", json: #"{"seconds":60}"#).status == 202)
      var confirmed = 0
      for score in 1...60 where try await call(score % 2 == 0 ? red : blue, "setPKScore", #"{"score":\#(score)}"#) == 200 {
        if score % 2 == 0 { confirmed = score }
      }
      try await eventually("no room is left") { try await state(from).leases?.isEmpty == true }
      let (one, other) = (try await pk(red), try await pk(blue))
      #expect(one?.pkId == id && other?.pkId == id)
      #expect(confirmed > 0 && (one?.score ?? 0) >= confirmed)
      let (hasRed, hasBlue) = (try await owns(to, red), try await owns(to, blue))
      #expect(hasRed && hasBlue)
    }
  }

  private func signalling(_ owner: TestServer, _ other: TestServer) async throws {
    let refused = try await other.connect().error(of: .join(JoinParams(token: try other.token("ann", room: "room0"))))
    #expect(refused?.redirect == "ws://127.0.0.1:\(owner.server.port)/v1/signal")
    _ = try await owner.join("ann", room: "room0")
    let sdp = "v=0\r\n"
    let whip = try await other.raw(
      "POST /whip/room0?x=1 HTTP/1.1\r\nHost: test\r\nConnection: close\r\n"
        + "Authorization: Bearer \(try other.token("cam", room: "room0"))\r\n"
        + "Content-Type: application/sdp\r\nContent-Length: \(sdp.utf8.count)\r\n\r\n\(sdp)")
    #expect(whip.status == 307 && whip.headers["location"] == "http://127.0.0.1:\(owner.server.port)/whip/room0?x=1")
  }

  private func calls(_ owner: TestServer, _ others: [TestServer]) async throws {
    let set = try await others[0].api(
      "POST", "/v1/rooms/room0/calls/setAttributes", json: #"{"set":{"topic":"cluster"}}"#)
    #expect(set.status == 200, "\(String(decoding: set.body, as: UTF8.self))")
    let token = try owner.token("eve", room: "room0")
    let eve = try await owner.connect()
    try await eve.join(token, autoSubscribe: nil)
    #expect(try await others[0].api("DELETE", "/v1/rooms/room0/participants/eve").status == 204)
    #expect(try await others[0].api("DELETE", "/v1/rooms/none/participants/eve").status == 404)
    for other in others {
      try await eventually("the token is revoked at every node") {
        try await other.connect().error(of: .join(JoinParams(token: token)))?.code == .tokenInvalid
      }
    }
    #expect(try await others[0].request("POST", "/v1/cluster/promises", json: "{}").status == 401)
    #expect(try await others[0].request("GET", "/v1/cluster/rooms").status == 401)
    let room = "/v1/cluster/rooms/room0"
    #expect(try await owner.request("POST", "\(room)/pk", json: "{}").status == 401)
    #expect(try await owner.request("POST", "\(room)/lending", json: "{}").status == 401)
    #expect(try await owner.request("DELETE", "\(room)/lending/room1").status == 401)
    #expect(try await owner.request("GET", "\(room)/edge").status == 426, "it is a WebSocket")
    let edge = try await SignalClient.connect(port: owner.server.port, path: "\(room)/edge?edge=n0.1")
    #expect(try await edge.closed() == 1008)
  }

  private func closing(_ servers: [TestServer]) async throws {
    for server in servers { #expect(try await server.api("GET", "/v1/rooms/room0").status == 200) }
    #expect(try await servers[0].api("DELETE", "/v1/rooms/room0").status == 204)
    for server in servers {
      try await eventually("nobody owns it, nor has it") {
        let isOwned = try await owns(server, "room0")
        let isFound = try await server.api("GET", "/v1/rooms/room0").status != 404
        return !isOwned && !isFound
      }
    }
    #expect(try await servers[1].api("POST", "/v1/rooms", json: #"{"name":"room0"}"#).status == 201)
    let state: RoomSnapshot = try await servers[0].api("GET", "/v1/rooms/room0/state").decoded()
    #expect(state.attributes.isEmpty)
  }
}
