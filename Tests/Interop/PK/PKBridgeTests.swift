import Foundation
import RoomProtocol
import RoomTestSupport
import Testing

/// Tests PKs between two rooms with real media.
extension RealMedia {
  @Suite("PK between two rooms")
  struct PKBridgeTests {
    private func call(_ server: TestServer, _ room: RoomName, _ method: String, _ body: String = "{}") async throws {
      let answer = try await server.api("POST", "/v1/rooms/\(room)/calls/\(method)", json: body)
      #expect(answer.status == 200, "\(method): \(String(decoding: answer.body, as: UTF8.self))")
    }

    private func state(_ server: TestServer, _ room: RoomName) async throws -> RoomSnapshot {
      try JSONDecoder().decode(RoomSnapshot.self, from: try await server.api("GET", "/v1/rooms/\(room)/state").body)
    }

    @Test(
      "one anchor invites, the other accepts: both broadcasts show both anchors until one quits, without a new stream",
      .timeLimit(.minutes(5)))
    func bridge() async throws {
      try await withServer(adjust: Anchors.settings(.mixed)) { server in
        try await Anchors.makeRooms(server)
        let sources = try Anchors.names.map { try Anchors.source($0) }
        var anchors = [try await Anchors.live(server, "red", sources[0]), try await Anchors.live(server, "blue", sources[1])]
        let listeners = [
          try await Participant.join(server, room: "red", as: "listener", grants: [.subscribe]),
          try await Participant.join(server, room: "blue", as: "listener", grants: [.subscribe]),
        ]
        let viewers = try await Anchors.watch(server)
        for round in 0..<Anchors.rounds {
          // The app's server can invite on their behalf.
          try await call(server, "red", "invitePK", #"{"room":"blue"}"#)
          try await eventually("blue receives the invitation") { try await state(server, "blue").pkInvitations.count == 1 }
          let invitation = try #require(try await state(server, "blue").pkInvitations.first)
          try await call(server, "blue", "acceptPK", #"{"pkId":"\#(invitation.pkId)"}"#)
          try await eventually("the PK has started") {
            let (red, blue) = (try await state(server, "red").pk, try await state(server, "blue").pk)
            return red?.userId == "blue" && blue?.userId == "red"
          }
          if round == 0 {
            for (listener, name) in zip(listeners, Anchors.names) {
              try await eventually("the audience of \(name) hears both") {
                Anchors.tones.values.allSatisfy { listener.sound(of: "@mix").hears($0) }
              }
            }
          }
          try await Anchors.areSeen(viewers, together: true)
          try await call(server, RoomName(Anchors.names[(round + 1) % 2]), "quitPK")
          try await eventually("the PK is over") {
            let (red, blue) = (try await state(server, "red").pk, try await state(server, "blue").pk)
            return red == nil && blue == nil
          }
          if round == 0 {
            for (listener, name) in zip(listeners, Anchors.names) {
              try await eventually("the audience of \(name) hears only its own anchor") {
                Anchors.tones.allSatisfy { listener.sound(of: UserID(name)).hears($1) == ($0 == name) }
                  && !listener.sound(of: "@mix").isFresh
              }
            }
          }
          try await Anchors.areSeen(viewers, together: false)
        }
        for anchor in anchors { try await anchor.jobs.stop("live") }
        for (index, name) in Anchors.names.enumerated() {
          let looks = Array(repeating: [name, "\(name)|\(Anchors.names[1 - index])"], count: Anchors.rounds).flatMap(\.self)
          try await viewers[index].seen().check(name, looks + [name], sources[index])
        }
        for listener in listeners { await listener.leave() }
        for anchor in anchors { await anchor.leave() }
        anchors = []
      }
    }

    @Test("an anchor with an RTMP encoder is shown in the other room again after a reconnect", .timeLimit(.minutes(2)))
    func encoder() async throws {
      try await withServer(adjust: Anchors.settings(.separate)) { server in
        let token = try await server.token(user: "red", room: "red", grants: [.publish, .admin])
        let first = try Encoder(to: try server.rtmp("room/red?token=\(token)"))
        let blue = try await Participant.join(server, room: "blue", as: "blue", grants: [.publish, .subscribe, .admin])
        try await eventually("both tracks are there") { try await server.metric("roomserver_published_tracks") == 2 }
        try await call(server, "red", "invitePK", #"{"room":"blue"}"#)
        try await eventually("blue is invited") { try await state(server, "blue").pkInvitations.count == 1 }
        let invitation = try #require(try await state(server, "blue").pkInvitations.first)
        try await call(server, "blue", "acceptPK", #"{"pkId":"\#(invitation.pkId)"}"#)
        try await eventually("red is seen") { blue.pictures(of: "red@red").decoded > 5 }
        first.kill()
        try await eventually("red is reported missing") { try await state(server, "blue").pk?.peerConnected == false }
        let decoded = blue.pictures(of: "red@red").decoded
        let second = try Encoder(to: try server.rtmp("room/red?token=\(token)"))
        try await eventually("red is back") { try await state(server, "blue").pk?.peerConnected == true }
        try await eventually("red is seen again") {
          blue.pictures(of: "red@red").decoded > decoded + 5 && blue.sound(of: "red@red").hears(440)
        }
        #expect(try await state(server, "red").pk?.pkId == invitation.pkId)
        try await second.stop()
        await blue.leave()
      }
    }
  }
}
