import Foundation
import RoomLiveKitProtocol
import RoomPeers
import RoomProtocol
import RoomTestSupport
import RoomToken
import RoomWebRTC
import Testing

@testable import RoomClusterServer
@testable import RoomServer

@Suite("Clients that join through another node than their room's", .serialized, .enabled(if: RedisServer.isInstalled))
struct CarriageTests {
  private func token(_ server: TestServer, _ identity: String = "ann", room: String = "demo") throws -> String {
    var token = LiveKitToken(
      key: TestServer.key, identity: ForeignName(identity), expires: Date(timeIntervalSinceNow: 600))
    token.grants.roomJoin = true
    token.grants.room = ForeignName(room)
    return try server.keys.sign(token)
  }

  /// Opens a WebSocket as LiveKit's clients do.
  private func open(
    _ server: TestServer, _ token: String, headers: String = "", query: String = "protocol=17"
  ) async throws -> (wire: Wire, answer: TestResponse) {
    let wire = try await Wire.connect(port: server.server.port)
    wire.send(
      "GET /rtc?access_token=\(token)&\(query) HTTP/1.1\r\nHost: test\r\n\(headers)Upgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
    return (wire, try await wire.response())
  }

  private func next(_ wire: Wire) async throws -> Frame {
    while true {
      let frame = try await wire.next(Frame.init(taking:))
      if frame.opcode != 9 { return frame }
    }
  }

  /// Returns what the server says first.
  private func welcome(_ wire: Wire) async throws -> LiveKit.JoinResponse {
    let frame = try await next(wire)
    guard frame.opcode == 2, case .join(let join) = try LiveKit.SignalResponse(protobuf: frame.payload).message else {
      throw DidNotHappen(what: "a join, but \(frame)")
    }
    return join
  }

  /// Returns the socket of a client that has joined.
  private func joined(_ server: TestServer, _ identity: String, in room: String) async throws -> Wire {
    let wire = try await open(server, try token(server, identity, room: room)).wire
    _ = try await welcome(wire)
    return wire
  }

  private func code(_ frame: Frame) -> UInt16? {
    frame.opcode == 8 && frame.payload.count >= 2 ? UInt16(frame.payload[0]) << 8 | UInt16(frame.payload[1]) : nil
  }

  @Test("they are in the room of its owner, by their own addresses; its close code and the end of its node reach them")
  func joins() async throws {
    try await ClusterServers.with(2, { $0.limits.connectionsPerAddress = 6 }) { cluster in
      #expect(try await cluster[0].api("POST", "/v1/rooms", json: #"{"name":"demo"}"#).status == 201)
      let owner = try #require(try await cluster.owner(of: "demo"))
      let (here, there) = (cluster[1 - owner], cluster[owner])
      // A plus sign is a space in a query.
      let ann = try await open(here, try token(here), query: "protocol=17&version=a+b%20c")
      #expect(ann.answer.status == 101)
      #expect(try await welcome(ann.wire).participant?.identity == "ann")
      #expect(try await here.metric("roomserver_cluster_carried_clients") == 1)
      #expect(try await there.metric("roomserver_cluster_carried_served") == 1)
      let people: [String: [[String: JSONValue]]] = try await here.api("GET", "/v1/rooms/demo/participants").decoded()
      #expect(people["participants"]?.count == 1)
      // Requests and what follows from them cross.
      ann.wire.send(
        Frame(opcode: 2, payload: LiveKit.SignalRequest { $0.message = .ping(1) }.protobuf).bytes(masked: true))
      var isAnswered = false
      while !isAnswered {
        // A new token comes first.
        if case .pong = try LiveKit.SignalResponse(protobuf: try await next(ann.wire).payload).message { isAnswered = true }
      }
      // The sockets of a node count for their clients, not for the node.
      let bob = try await open(here, try token(here, "bob"))
      #expect(try await welcome(bob.wire).otherParticipants.map(\.identity) == ["ann"])
      var idle: [Wire] = []
      for _ in 0..<4 { idle.append(try await Wire.connect(port: there.server.port)) }
      #expect(try await there.api("GET", "/v1/rooms/demo").status == 200)
      for wire in idle { wire.close() }
      bob.wire.close()
      try await eventually("the socket to the owner is closed too") {
        try await there.metric("roomserver_cluster_carried_served") == 1
      }
      #expect(try await there.api("DELETE", "/v1/rooms/demo/participants/ann").status == 204)
      var last = try await next(ann.wire)
      while last.opcode == 2 { last = try await next(ann.wire) }
      #expect(code(last) == 1000)
      #expect(try await here.metric("roomserver_cluster_carried_lost_total") == 0)

      let carl = try await open(here, try token(here, "carl"))
      _ = try await welcome(carl.wire)
      await there.server.stop()
      last = try await next(carl.wire)
      while last.opcode == 2 { last = try await next(carl.wire) }
      #expect(code(last) == 1000 || code(last) == 1001)
    }
  }

  @Test("two nodes at which clients ask for a new room at once agree on its owner; a node that drains opens none")
  func racing() async throws {
    try await ClusterServers.with(2) { cluster in
      for number in 0..<5 {
        let room = "room\(number)"
        let (one, other) = (cluster[0], cluster[1])
        async let first = joined(one, "ann", in: room)
        async let second = joined(other, "bob", in: room)
        let sockets = try await [first, second]
        let list = try await cluster[0].api("GET", "/v1/rooms/\(room)/participants")
        let people: [String: [[String: JSONValue]]] = try list.decoded()
        #expect(people["participants"]?.count == 2)
        for socket in sockets { socket.close() }
      }
      #expect(try await cluster[0].api("POST", "/v1/server/drain", json: #"{"seconds":60}"#).status == 202)
      let late = try await open(cluster[0], try token(cluster[0], room: "late"))
      #expect(try await welcome(late.wire).participant?.identity == "ann")
      #expect(try await cluster.owner(of: "late") == 1)
    }
  }

  @Test("only nodes pass clients on; where joins open no rooms, each node knows which room is missing")
  func authorised() async throws {
    try await ClusterServers.with(2, { $0.autoCreateRooms = false }) { cluster in
      let server = cluster[0]
      let token = try token(server)
      for value in ["", "127.0.0.1;join;n1;1;00", "-;open;n1;\(Int64(Date.now.timeIntervalSince1970 * 1000));00"] {
        let forged = try await open(server, token, headers: "X-Roomserver-Client: \(value)\r\n")
        #expect(forged.answer.status == 401, "\(value)")
      }
      for server in cluster.servers {
        let answer = try await server.request("GET", "/rtc/validate?access_token=\(token)")
        #expect(answer.status == 404 && String(decoding: answer.body, as: UTF8.self) == "requested room does not exist")
      }
      #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"demo"}"#).status == 201)
      for server in cluster.servers {
        let answer = try await server.request("GET", "/rtc/validate?access_token=\(token)")
        #expect(answer.status == 200 && String(decoding: answer.body, as: UTF8.self) == "success")
      }
    }
  }
}
