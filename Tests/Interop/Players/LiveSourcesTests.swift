import Foundation
import RoomClient
import RoomPeers
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("Players of live sources")
  struct LiveSourcesTests {
    /// What a room sees of its players.
    private final class Guests: Sendable {
      let ended = Shared<[UserID: PlayerEndedData]>([:])
      let room: Room

      init(_ server: TestServer) async throws {
        room = try await Room.connect(
          to: server.url, token: try await server.token(user: "host", grants: [.subscribe, .admin]))
        let events = room.events()
        Task { [ended] in
          for await event in events {
            if case .playerEnded(let data) = event { ended.withLock { $0[data.userId] = data } }
          }
        }
      }

      /// Plays a source, and returns when its picture and its sound arrive.
      func play(_ url: String, as user: UserID) async throws {
        let began = ContinuousClock.now
        try await room.players.start(PlayerParams(userId: user, url: url))
        try await eventually("\(user) plays, not ended: \(ended.withLock { $0 })") {
          let tracks = await room.statistics().remoteTracks.filter { $0.userId == user && $0.frames > 20 }
          return tracks.count == 2 && room.players[user]?.state == .playing
        }
        print("\(user): picture and sound after \(ContinuousClock.now - began)")
        let info = try #require(room.players[user])
        #expect(info.duration == nil && info.seekable == false, "\(user): \(info)")
      }

      func end(of user: UserID) async throws -> PlayerEndedData {
        try await eventually("\(user) ends") { ended.withLock { $0[user] } }
      }
    }

    @Test("streams of a live origin play by RTMP, HTTP-FLV, HLS and SRT, and end with the publisher")
    func origin() async throws {
      try await withServer(adjust: {
        try $0.players.setNetworks(["127.0.0.1/32"])
        $0.origin.publishesOpenly = true
        $0.origin.srt.listens = true
      }) { server in
        let encoder = try LiveEncoder(try server.rtmp("live/studio"), arguments: ["-bf", "0"])
        try await eventually("the stream is published") {
          let text = String(decoding: try await server.api("GET", "/v1/streams").body, as: UTF8.self)
          return text.contains("h264") && text.contains("aac")
        }
        let guests = try await Guests(server)
        try await guests.play(try server.rtmp("live/studio"), as: "rtmp")
        try await guests.play(server.http("/live/studio.flv"), as: "flv")
        try await guests.play(server.http("/live/studio.m3u8"), as: "hls")
        try await guests.play(try server.srt("#!::r=live/studio,m=request"), as: "srt")
        encoder.end()
        for user in ["rtmp", "flv", "hls"] as [UserID] {
          #expect(try await guests.end(of: user).reason == .finished, "\(user)")
        }
        let srt = try await guests.end(of: "srt")
        #expect(srt.reason == .failed && srt.message?.contains("closed the SRT connection") == true, "\(srt)")
        await guests.room.leave()
      }
    }

    @Test("a camera plays by RTSP; when it is gone, the player says so")
    func camera() async throws {
      let script = URL(filePath: #filePath).appending(path: "../rtsp_camera.py").standardized
      let camera = try Program(URL(filePath: "/usr/bin/python3"), [script.path])
      let port = try await eventually("the camera serves") {
        camera.text.firstMatch(of: /(?m)^(\d+)$/).map { String($0.1) }
      }
      try await withServer(adjust: {
        try $0.players.setNetworks(["127.0.0.1/32"])
      }) { server in
        let guests = try await Guests(server)
        try await guests.play("rtsp://127.0.0.1:\(port)/camera", as: "camera")
        #expect(try await server.metric("roomserver_ingests_transcoded_total") == 0)
        camera.stop()
        let ended = try await guests.end(of: "camera")
        #expect(ended.reason == .finished || !(ended.message ?? "").isEmpty, "\(ended)")
        await guests.room.leave()
      }
    }
  }
}
