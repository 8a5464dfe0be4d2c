import Foundation
import Peers
import Relay
import RoomProtocol
import RoomServer
import Testing

/// PK between two rooms, with real media.
extension RealMedia {
  @Suite("PK between two rooms")
  struct PKTests {
    private static let red = FlashAndBeep.Look(width: 320, height: 180, blue: 100, red: 200, tone: 1000)
    private static let blue = FlashAndBeep.Look(width: 192, height: 256, blue: 200, red: 100, tone: 600)

    private func settings(_ configuration: inout ServerConfiguration) throws {
      configuration.relay.broadcasts.targets = try RelayTargets(parsing: ["127.0.0.1"])
      configuration.relay.statusInterval = .milliseconds(250)
      configuration.relay.mixCores = 8
      // The two rooms are on two workers.
      configuration.media.workers = 2
    }

    private func call(_ server: TestServer, _ room: String, _ method: String, _ body: String = "{}") async throws {
      let answer = try await server.api("POST", "/v1/rooms/\(room)/calls/\(method)", json: body)
      #expect(answer.status == 200, "\(method): \(String(decoding: answer.body, as: UTF8.self))")
    }

    private func state(_ server: TestServer, _ room: String) async throws -> RoomSnapshot {
      try JSONDecoder().decode(RoomSnapshot.self, from: try await server.api("GET", "/v1/rooms/\(room)/state").body)
    }

    @Test(
      "invited by the one, accepted by the other: both broadcasts are split screens of both anchors until one quits, in one stream each",
      .timeLimit(.minutes(4)))
    func bridge() async throws {
      try await withServer(adjust: settings) { server in
        let rooms = ["red", "blue"]
        let sources = [try FlashAndBeep(look: Self.red), try FlashAndBeep(codec: .vp8, look: Self.blue)]
        var anchors: [Participant] = []
        for (room, source) in zip(rooms, sources) {
          // A small split screen: the halves are where they are by default, in a quarter of the size.
          let made = try await server.api(
            "POST", "/v1/rooms",
            json: """
              {"name":"\(room)","pk":{"width":360,"height":640,"fps":15,"videoKbps":600,"preset":"ultrafast",
              "own":{"x":0,"y":160,"width":180,"height":320},"peer":{"x":180,"y":160,"width":180,"height":320}}}
              """)
          #expect(made.status == 201, "\(String(decoding: made.body, as: UTF8.self))")
          let anchor = try await Participant.join(
            server, room: room, as: "anchor-\(room)", grants: [.publish, .subscribe, .relay, .admin])
          try await anchor.room.publish(source.tracks)
          try await anchor.room.startForward(ForwardParams(jobId: "live", publishUrl: try server.rtmp("live/\(room)")))
          anchors.append(anchor)
        }
        let listener = try await Participant.join(server, room: "red", as: "listener", grants: [.subscribe])
        let files = rooms.map { FileManager.default.temporaryDirectory.appending(path: "\($0)-\(UUID().uuidString).flv").path }
        defer { for file in files { try? FileManager.default.removeItem(atPath: file) } }
        try await eventually("both are on air") { try await server.metric("roomserver_origin_streams") == 2 }
        let players = try zip(rooms, files).map { room, file in
          try Program(
            "ffmpeg", ["-nostdin", "-loglevel", "error", "-y", "-i", try server.rtmp("live/\(room)"), "-c", "copy", file])
        }
        try await eventually("both are watched", within: .seconds(20)) {
          files.allSatisfy { (try? FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int) ?? 0 > 50_000 }
        }
        for round in 0..<3 {
          try await call(server, "red", "invitePK", #"{"room":"blue"}"#)
          try await eventually("blue hears of it") { try await state(server, "blue").pkInvitations.count == 1 }
          let invitation = try #require(try await state(server, "blue").pkInvitations.first)
          try await call(server, "blue", "acceptPK", #"{"pkId":"\#(invitation.pkId)"}"#)
          try await eventually("the PK is on") {
            let (red, blue) = (try await state(server, "red").pk, try await state(server, "blue").pk)
            return red?.userId == "anchor-blue" && blue?.userId == "anchor-red"
          }
          if round == 0 {
            try await eventually("the audience has the other anchor's sound too") {
              listener.sound(of: "anchor-blue@blue").isFresh || listener.sound(of: "@mix").isFresh
            }
          }
          try await Task.sleep(for: .milliseconds(2500))
          try await call(server, round % 2 == 0 ? "blue" : "red", "quitPK")
          try await eventually("the PK is over") {
            let (red, blue) = (try await state(server, "red").pk, try await state(server, "blue").pk)
            return red == nil && blue == nil
          }
          try await Task.sleep(for: .milliseconds(1500))
        }
        for anchor in anchors { try await anchor.room.stopJob("live") }
        for player in players { #expect(try await player.finish(within: .seconds(30)) == 0, "\(player.text)") }
        for (index, file) in files.enumerated() {
          let recording = try Recording(file)
          let steps = recording.steps("video")
          #expect(steps.allSatisfy { $0 > 0 })
          #expect(steps.count { $0 > 0.101 } <= sources[index].droppedPictures + 2, "\(steps.filter { $0 > 0.101 })")
          #expect(recording.steps("audio").allSatisfy { $0 > 0.0225 && $0 < 0.0245 })
          let (own, other) = (rooms[index], rooms[1 - index])
          let runs = try Sides(file).runs
          #expect(runs == [own, "\(own)|\(other)", own, "\(own)|\(other)", own, "\(own)|\(other)", own], "\(runs)")
        }
        await listener.leave()
        for anchor in anchors { await anchor.leave() }
      }
    }
  }
}
