import Foundation
import RoomPeers
import RoomProtocol
import RoomSFU
import RoomTestSupport
import Testing
import RoomWebRTC

@testable import RoomServer
@testable import RoomEngine

@Suite("A PK whose anchor has no signalling")
struct EncoderAnchorTests {
  private static let host: Grants = [.publish, .subscribe, .admin]

  private func pk(_ server: TestServer, _ room: RoomName) async throws -> PKInfo? {
    try await server.api("GET", "/v1/rooms/\(room)/state").decoded(RoomSnapshot.self).pk
  }

  private func call(_ server: TestServer, _ room: RoomName, _ method: String, _ json: String) async throws -> TestResponse {
    try await server.api("POST", "/v1/rooms/\(room)/calls/\(method)", json: json)
  }

  private func invite(_ server: TestServer) async throws -> Int {
    try await call(server, "a", "invitePK", #"{"room":"b"}"#).status
  }

  /// Starts a PK of room "a", which has its anchor, with bob's room "b".
  private func begin(_ server: TestServer) async throws {
    #expect(try await invite(server) == 200)
    let id = try await eventually("the invitation") {
      try await server.api("GET", "/v1/rooms/b/state").decoded(RoomSnapshot.self).pkInvitations.first?.pkId
    }
    #expect(try await call(server, "b", "acceptPK", #"{"pkId":"\#(id)"}"#).status == 200)
    try await isConnected(server, true)
  }

  /// Waits until both rooms report whether the anchor of "a" is connected.
  private func isConnected(_ server: TestServer, _ connected: Bool) async throws {
    try await eventually("the PK knows that its anchor is there: \(connected)") {
      let (a, b) = (try await pk(server, "a"), try await pk(server, "b"))
      return a?.connected == connected && b?.peerConnected == connected
    }
  }

  private func encoder(_ server: TestServer) async throws -> RTMPPeer {
    let token = try server.token("ann", room: "a", grants: Self.host)
    return try await RTMPPeer.start(.publish, server, "a?token=\(token)", app: "room")
  }

  @Test("the PK of an RTMP anchor that reconnects in time continues, whether its session was kept, lost or taken over")
  func rtmp() async throws {
    try await TestServer.with({ $0.rooms.rules.pkGraceTime = 60_000 }) { server in
      _ = try await server.join("bob", room: "b", grants: Self.host)
      let first = try await encoder(server)
      try await begin(server)
      first.end()
      try await isConnected(server, false)
      let second = try await encoder(server)
      try await isConnected(server, true)
      // The server has not noticed yet that the second one has disconnected.
      let third = try await encoder(server)
      try await eventually("the second is ended") { second.failure != nil }
      try await isConnected(server, true)
      // Disconnected for longer than the grace time.
      let room = try #require(await server.server.directory.room("a"))
      third.end()
      try await isConnected(server, false)
      await room.endGrace(of: "ann")
      #expect(await room.session(of: "ann") == nil)
      let fourth = try await encoder(server)
      try await isConnected(server, true)
      fourth.end()
    }
  }

  @Test("an RTMP host can start a PK after it was lost and reconnected")
  func rtmpBegins() async throws {
    try await TestServer.with { server in
      _ = try await server.join("bob", room: "b", grants: Self.host)
      let first = try await encoder(server)
      first.end()
      let room = try #require(await server.server.directory.room("a"))
      try await eventually("the host is lost") { await !room.isConnected("ann") }
      #expect(try await invite(server) == 409)
      let second = try await encoder(server)
      try await begin(server)
      second.end()
    }
  }

  @Test("the PK of a WHIP anchor continues after its media pauses and resumes, and after a new offer")
  func whip() async throws {
    try await TestServer.with({ $0.rooms.rules.pkGraceTime = 60_000 }) { server in
      _ = try await server.join("bob", room: "b", grants: Self.host)
      let token = try server.token("ann", room: "a", grants: Self.host)
      func post() async throws -> Room {
        #expect(try await server.post("/whip/a", token, try HTTPOffer.publish(.opus)).status == 201)
        return try #require(await server.server.directory.room("a"))
      }
      let room = try await post()
      #expect(try await invite(server) == 409, "a host whose media has not come yet is not there")
      room.inbox.post(.media(.transportConnected(try #require(await room.mediaIDs(of: "ann").publish))))
      try await eventually("its media is there") { await room.isConnected("ann") }
      try await begin(server)
      let transport = try #require(await room.mediaIDs(of: "ann").publish)
      room.inbox.post(.media(.transportDisconnected(transport)))
      try await isConnected(server, false)
      room.inbox.post(.media(.transportConnected(transport)))
      try await isConnected(server, true)
      _ = try await post()
      try await isConnected(server, false)
      room.inbox.post(.media(.transportConnected(try #require(await room.mediaIDs(of: "ann").publish))))
      try await isConnected(server, true)
    }
  }

  @Test("in a quick rematch the guest is present with its tracks in both rooms")
  func rematch() async throws {
    try await TestServer.with { server in
      let ann = try await server.join("ann", room: "a", grants: Self.host)
      let bob = try await server.join("bob", room: "b", grants: Self.host)
      try await ann.publish(.opus, .vp8)
      try await bob.publish(.opus, .vp8)
      let a = try #require(await server.server.directory.room("a"))
      let b = try #require(await server.server.directory.room("b"))
      for round in 0..<20 {
        if round > 0 {
          #expect(try await call(server, round.isMultiple(of: 2) ? "a" : "b", "quitPK", "{}").status == 200)
          try await eventually("the PK has ended") {
            let (a, b) = (try await pk(server, "a"), try await pk(server, "b"))
            return a == nil && b == nil
          }
        }
        try await begin(server)
      }
      try await eventually("both guests") {
        let (here, there) = (await a.mediaIDs(of: "bob@b").tracks, await b.mediaIDs(of: "ann@a").tracks)
        return here.count == 2 && there.count == 2
      }
    }
  }

  @Test("work for another room is done in order")
  func order() async throws {
    var work = OrderedWork()
    let (done, continuation) = AsyncStream.makeStream(of: Int.self)
    for index in 0..<200 {
      work.add {
        for _ in 0..<(200 - index) { await Task.yield() }
        continuation.yield(index)
        if index == 199 { continuation.finish() }
      }
    }
    var order: [Int] = []
    for await index in done { order.append(index) }
    #expect(order == Array(0..<200))
  }
}

extension Room {
  func isConnected(_ user: UserID) -> Bool { execution.core.roster[user]?.isConnected == true }

  /// Removes a lost participant, as if its grace time had ended.
  func endGrace(of user: UserID) {
    perform { core in
      if core.roster[user]?.isConnected == false { core.end(user, EndedData(reason: .timedOut)) }
    }
  }
}
