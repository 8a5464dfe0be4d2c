import Foundation
import Peers
import Relay
import RoomClient
import RoomProtocol
import RoomServer
import Testing

/// PK in which the inviting anchor goes into the other room, with real media.
extension RealMedia {
  @Suite("PK with a move")
  struct PKMoveTests {
    private static let red = FlashAndBeep.Look(width: 320, height: 180, blue: 100, red: 200, tone: 1000)
    private static let blue = FlashAndBeep.Look(width: 192, height: 256, blue: 200, red: 100, tone: 600)
    /// The default split screen in a quarter of its size.
    private static let picture = PKPicture(
      width: 360, height: 640, fps: 15, videoKbps: 600, preset: "ultrafast", own: .init(x: 0, y: 160, width: 180, height: 320),
      peer: .init(x: 180, y: 160, width: 180, height: 320))

    private func settings(_ configuration: inout ServerConfiguration) throws {
      configuration.relay.broadcasts.targets = try RelayTargets(parsing: ["127.0.0.1"])
      configuration.relay.statusInterval = .milliseconds(250)
      configuration.relay.mixCores = 8
      configuration.rooms.audience = .separate
    }

    /// Two PKs, the second of which the anchor leaves by going home.
    private func battles(_ home: Room, against blue: Room) async throws -> Room {
      var home = home
      for round in 0..<2 {
        try await home.pk.invite(in: "blue", way: .move)
        try await eventually("blue hears of it") { blue.pk.invitations.count == 1 }
        try await blue.pk.accept(try #require(blue.pk.invitations.first).pkId)
        try await eventually("the PK is on") { [home] in home.pk.current != nil }
        let away = try await home.pk.move(PKMove(picture: Self.picture))
        #expect(away.jobs.count == 2, "\(away.jobs)")
        try await Task.sleep(for: .milliseconds(2500))
        if round == 0 {
          try await blue.pk.quit()
          try await eventually("the PK is over") { away.pk.current == nil }
        }
        home = try await away.pk.returnHome()
        #expect(home.jobs.map(\.jobId) == ["live"])
        try await eventually("the PK is over for both") { blue.pk.current == nil }
        try await Task.sleep(for: .milliseconds(1500))
      }
      return home
    }

    @Test(
      "by one call there and one back: both broadcasts are split screens of both anchors meanwhile, in one stream each",
      .timeLimit(.minutes(4)))
    func move() async throws {
      try await withServer(adjust: settings) { server in
        let names = ["red", "blue"]
        let sources = [try FlashAndBeep(look: Self.red), try FlashAndBeep(codec: .vp8, look: Self.blue)]
        let picture = String(decoding: try JSONEncoder().encode(Self.picture), as: UTF8.self)
        var rooms: [Room] = []
        for (name, source) in zip(names, sources) {
          let made = try await server.api("POST", "/v1/rooms", json: #"{"name":"\#(name)","pk":\#(picture)}"#)
          #expect(made.status == 201, "\(String(decoding: made.body, as: UTF8.self))")
          let token = try await server.token(user: name, room: name, grants: [.publish, .subscribe, .relay, .admin])
          let room = try await Room.connect(to: server.url, token: token)
          try await room.publish(source.tracks)
          try await room.startForward(ForwardParams(jobId: "live", publishUrl: try server.rtmp("live/\(name)")))
          rooms.append(room)
        }
        let files = names.map { FileManager.default.temporaryDirectory.appending(path: "\($0)-\(UUID().uuidString).flv").path }
        defer { for file in files { try? FileManager.default.removeItem(atPath: file) } }
        try await eventually("both are on air") { try await server.metric("roomserver_origin_streams") == 2 }
        let players = try zip(names, files).map { name, file in
          try Program(
            "ffmpeg", ["-nostdin", "-loglevel", "error", "-y", "-i", try server.rtmp("live/\(name)"), "-c", "copy", file])
        }
        try await eventually("both are watched", within: .seconds(20)) {
          files.allSatisfy { (try? FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int) ?? 0 > 50_000 }
        }
        rooms[0] = try await battles(rooms[0], against: rooms[1])
        for room in rooms { try await room.stopJob("live") }
        for player in players { #expect(try await player.finish(within: .seconds(30)) == 0, "\(player.text)") }
        for (index, file) in files.enumerated() {
          let recording = try Recording(file)
          let steps = recording.steps("video")
          #expect(steps.allSatisfy { $0 > 0 })
          #expect(steps.count { $0 > 0.101 } <= sources[index].droppedPictures + 2, "\(steps.filter { $0 > 0.101 })")
          #expect(recording.steps("audio").allSatisfy { $0 > 0.0225 && $0 < 0.0245 })
          let (own, other) = (names[index], names[1 - index])
          let runs = try Sides(file).runs
          #expect(runs == [own, "\(own)|\(other)", own, "\(own)|\(other)", own], "\(runs)")
        }
        for room in rooms { await room.leave() }
      }
    }
  }
}
