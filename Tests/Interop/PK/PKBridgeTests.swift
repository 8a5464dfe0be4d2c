import Foundation
import RoomClient
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

    @Test("a third room joins a PK, is seen and heard, and leaves: the streams continue without a gap", .timeLimit(.minutes(5)))
    func thirdRoom() async throws {
      try await withServer(adjust: Anchors.settings(.mixed)) { server in
        let stage = #""stage":{"width":360,"height":640,"fps":15,"videoKbps":600,"preset":"ultrafast","scores":true}"#
        for name in Anchors.names + ["green"] {
          #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"\#(name)",\#(stage)}"#).status == 201)
        }
        let sources = try Anchors.names.map { try Anchors.source($0) }
        let look = FlashAndBeep.Look(width: 160, height: 160, blue: 100, red: 100, tone: 1600, isSteady: true)
        let greenSource = try FlashAndBeep(look: look)
        let red = try await Anchors.live(server, "red", sources[0])
        let blue = try await Anchors.live(server, "blue", sources[1])
        let green = try await Room.connect(to: server.url, token: try await Anchors.token(server, "green"))
        try await green.publish(greenSource.tracks)
        let listener = try await Participant.join(server, room: "red", as: "listener", grants: [.subscribe])
        let viewers = try await Anchors.watch(server)
        try await Anchors.meet(red, blue)
        try await Anchors.areSeen(viewers, together: true)

        // The room that was invited invites the third one.
        var params = PKInviteParams(room: "green")
        params.pkId = blue.pk.current?.pkId
        let invited = try await blue.pk.invite(params)
        try await eventually("green is invited") { green.pk.invitations.contains { $0.pkId == invited.pkId } }
        try await green.pk.accept(invited.pkId)
        try await eventually("all three rooms have the same members") {
          [red, blue, green].allSatisfy { $0.pk.current?.members?.map(\.room) == ["red", "blue", "green"] }
        }
        let tones = Array(Anchors.tones.values) + [1600]
        try await eventually("red's audience hears all three", within: .seconds(60)) {
          tones.allSatisfy { listener.sound(of: "@mix").hears($0) }
        }
        try await eventually("each room has the anchors of both others") {
          [(red, ["blue@blue", "green@green"]), (blue, ["red@red", "green@green"]), (green, ["red@red", "blue@blue"])]
            .allSatisfy { room, guests in
              guests.allSatisfy { guest in room.participants.contains { $0.userId.rawValue == guest && $0.tracks.count == 2 } }
            }
        }
        try await green.pk.setScore(3)
        try await eventually("red knows green's score") { red.pk.current?.members?.last?.score == 3 }
        try await green.pk.quit()
        try await eventually("two rooms are left") {
          green.pk.current == nil && [red, blue].allSatisfy { $0.pk.current?.members?.map(\.room) == ["red", "blue"] }
        }
        try await Anchors.areSeen(viewers, together: true)
        try await red.pk.quit()
        try await eventually("the PK is over") { red.pk.current == nil && blue.pk.current == nil }
        try await Anchors.areSeen(viewers, together: false)

        for anchor in [red, blue] { try await anchor.jobs.stop("live") }
        for (index, name) in Anchors.names.enumerated() {
          let recording = try await viewers[index].seen().recording
          let (pictures, sounds) = (recording.steps("video"), recording.steps("audio"))
          // 1024 samples at 44.1 kHz in whole milliseconds: no frame is lost or doubled.
          #expect(sounds.allSatisfy { $0 > 0.0225 && $0 < 0.0245 }, "\(name): \(sounds.filter { $0 < 0.0225 || $0 > 0.0245 })")
          let (_, longest) = sources[index].stalls
          #expect(pictures.allSatisfy { $0 > 0 && $0 < 0.4 + 2 * longest }, "\(name): \(pictures.filter { $0 > 0.101 })")
          print(
            "\(name): \(pictures.count) pictures, the longest step \(Int((pictures.max() ?? 0) * 1000)) ms, \(sounds.count) audio frames"
          )
        }
        await listener.leave()
        for anchor in [red, blue, green] { await anchor.leave() }
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
