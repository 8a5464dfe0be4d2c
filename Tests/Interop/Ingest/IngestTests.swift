import Foundation
import RoomRelay
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("RTMP into a room")
  struct IngestTests {
    private func url(_ server: TestServer, user: UserID = "camera", room: RoomName = "demo", grants: Grants = [.publish])
      async throws -> String
    {
      try server.rtmp("room/demo?token=\(try await server.token(user: user, room: room, grants: grants))")
    }

    @Test("ffmpeg's stream is a participant that others receive, and that leaves when ffmpeg stops")
    func seenAndHeard() async throws {
      try await withServer(grace: .seconds(1)) { server in
        let viewer = try await Participant.join(server, as: "viewer")
        let encoder = try Encoder(to: try await url(server))
        try await eventually("pictures arrive") { viewer.pictures(of: "camera").decoded >= 20 }
        #expect(viewer.pictures(of: "camera").size == PictureSize(width: 320, height: 180))
        try await eventually("the tone is heard") { viewer.sound(of: "camera").hears(440) }
        #expect(viewer.codecs(of: "camera") == ["h264", "opus"])
        let camera = try #require(viewer.room.participants.first { $0.userId == "camera" })
        #expect(Set(camera.tracks.map(\.tag)) == ["camera", "microphone"])
        let picture = try #require(camera.tracks.first { $0.kind == .video })
        #expect(picture.width == 320 && picture.height == 180 && picture.fps == 15 && picture.master)

        // Another viewer joins in the middle.
        let late = try await Participant.join(server, as: "late")
        try await eventually("pictures reach the late viewer") { late.pictures(of: "camera").decoded >= 5 }
        #expect(try await server.metric(#"roomserver_ingests_total{protocol="rtmp"}"#) == 1)
        #expect(try await server.metric("roomserver_media_rtp_injected_total") > 50)
        try await encoder.stop()
        try await eventually("the camera has left", within: .seconds(10)) {
          viewer.room.participants.map(\.userId) == ["late"]
        }
        for participant in [viewer, late] { await participant.leave() }
        try await eventually("nothing is left behind", within: .seconds(10)) {
          try await server.metric("roomserver_tracks") == 0
        }
      }
    }

    @Test("Chromium in the room plays ffmpeg's stream with audio and video in sync")
    func inChromium() async throws {
      try await withServer { server in
        let encoder = try Encoder(to: try await url(server))
        let browser = try await BrowserClient.open()
        try await browser.join(url: server.url, token: try await server.token(user: "browser"))
        try await eventually("the browser decodes pictures") {
          try await browser.received().contains {
            $0.kind == .video && $0.framesDecoded >= 30 && $0.width == 320 && $0.height == 180
          }
        }
        try await eventually("the browser hears the tone") {
          try await browser.received().contains { $0.kind == .audio && abs($0.frequency - 440) < 12 && $0.level > -60 }
        }
        #expect(try await browser.received().contains { $0.codec == "video/H264" && $0.userId == "camera" })
        let before = try await browser.received().first { $0.kind == .video }?.framesDecoded ?? 0
        // Chromium delays whichever of audio and video is early, gradually over seconds, with any publisher.
        var apart: [Double] = []
        defer { print("video before audio, milliseconds: \(apart.map { Int($0) })") }
        try await eventually("sound and picture are within 40 ms", within: .seconds(60)) {
          let received = try await browser.received()
          guard let sound = received.first(where: { $0.kind == .audio })?.playing,
            let picture = received.first(where: { $0.kind == .video })?.playing
          else { return false }
          apart.append(picture - sound)
          return abs(picture - sound) <= 40
        }
        try await eventually("pictures continue") {
          try await browser.received().contains { $0.kind == .video && $0.framesDecoded > before + 30 }
        }
        #expect(try await browser.state().failure == nil)
        #expect(encoder.isRunning && encoder.errors.isEmpty)
        try await browser.leave()
        try await browser.close()
        try await encoder.stop()
      }
    }

    @Test("a rejected publisher receives the reason")
    func refused() async throws {
      try await withServer { server in
        let cases = [
          ("room/demo", "10002: publish to demo?token="),
          ("room/demo?token=nonsense", "10002"),
          ("room/demo?token=\(try await server.token(user: "camera", room: "other"))", "10002: the token is for another room"),
          ("room/demo?token=\(try await server.token(user: "camera", grants: [.subscribe]))", "10003: the token has no grant"),
          ("room/demo?token=\(try await server.token(user: "camera", expiresIn: -60))", "10002"),
        ]
        for (path, words) in cases {
          let errors = try await Encoder(to: try server.rtmp(path)).refusal()
          #expect(errors.contains(words), "\(words): \(errors)")
        }
        #expect(try await server.metric("roomserver_participants") == 0)
      }
    }

    @Test("OBS's defaults, with B-frames, are transcoded: pictures and sound arrive, and statistics say so")
    func reordered() async throws {
      try await withServer { server in
        let viewer = try await Participant.join(server, as: "viewer")
        let encoder = try Encoder(
          to: try await url(server), video: ["-preset", "fast", "-profile:v", "high", "-bf", "2", "-g", "30"])
        try await eventually("pictures arrive") { viewer.pictures(of: "camera").decoded > 20 }
        try await eventually("the tone is heard") { viewer.sound(of: "camera").hears(440) }
        let body = try await server.api("GET", "/v1/rooms/demo/statistics").body
        let statistics = String(decoding: body, as: UTF8.self)
        #expect(statistics.contains(#""transcodedFrom":"H.264 with B-frames""#), "\(statistics)")
        #expect(try await server.metric("roomserver_ingests_transcoded_total") == 1)
        try await encoder.stop()
        await viewer.leave()
      }
    }

    @Test("a kick ends the encoder's stream, and so does a second login of the same user")
    func ended() async throws {
      try await withServer { server in
        let admin = try await Participant.join(server, as: "admin", grants: [.publish, .subscribe, .admin])
        let first = try Encoder(to: try await url(server))
        try await eventually("the first is there") { admin.pictures(of: "camera").decoded > 0 }
        let second = try Encoder(to: try await url(server))
        #expect(try await first.refusal().contains("401003"))
        try await eventually("the second is there") { admin.remoteTracks(of: "camera").count == 2 }
        let decoded = admin.pictures(of: "camera").decoded
        try await eventually("the second is seen") { admin.pictures(of: "camera").decoded > decoded + 5 }
        try await admin.room.kick(userId: "camera")
        #expect(try await second.refusal().contains("kicked out of the room by admin"))
        try await eventually("the camera is gone") { admin.room.participants.isEmpty }
        await admin.leave()
      }
    }

    @Test("an encoder that reconnects is the same participant")
    func back() async throws {
      try await withServer { server in
        let viewer = try await Participant.join(server, as: "viewer")
        let first = try Encoder(to: try await url(server))
        try await eventually("pictures arrive") { viewer.pictures(of: "camera").decoded > 5 }
        let joined = try #require(viewer.room.participants.first).joinedAt
        first.kill()
        try await eventually("its tracks end") { viewer.remoteTracks(of: "camera").isEmpty }
        #expect(viewer.room.participants.map(\.userId) == ["camera"])
        let decoded = viewer.pictures(of: "camera").decoded
        let second = try Encoder(to: try await url(server))
        try await eventually("pictures arrive again") { viewer.pictures(of: "camera").decoded > decoded + 5 }
        try await eventually("the tone is heard again") { viewer.sound(of: "camera").hears(440) }
        #expect(viewer.room.participants.first?.joinedAt == joined)
        try await second.stop()
        await viewer.leave()
      }
    }

    @Test("a WHEP player receives it like any other user's stream")
    func viewed() async throws {
      try await withServer { server in
        let encoder = try Encoder(to: try await url(server))
        let player = try await WHIPPage.open()
        let token = try await server.token(user: "wall", grants: [.subscribe])
        // The room exists as soon as the encoder is connected.
        try await eventually("the encoder is there") { try await server.metric("roomserver_published_tracks") == 2 }
        try await player.play(from: server.http("/whep/demo/camera"), token: token)
        try await eventually("pictures") {
          let session = try await player.session()
          return session.framesDecoded > 10 && session.width == 320
        }
        #expect(try await player.end() == 200)
        try await encoder.stop()
      }
    }

    @Test("a forward job forwards the stream without transcoding its video")
    func forwarded() async throws {
      try await withServer(adjust: {
        $0.relay.broadcasts.targets = try RelayTargets(parsing: ["127.0.0.1"])
      }) { server in
        let encoder = try Encoder(to: try await url(server))
        try await eventually("both tracks are there") { try await server.metric("roomserver_published_tracks") == 2 }
        let sink = try RTMPSink()
        let body = #"{"jobId":"live","publishUrl":"\#(sink.url)","userId":"camera"}"#
        #expect(try await server.api("POST", "/v1/rooms/demo/jobs", json: body).status == 201)
        try await eventually("pictures are sent") {
          let text = String(decoding: try await server.api("GET", "/v1/rooms/demo/jobs").body, as: UTF8.self)
          return text.contains(#""state":"connected""#) && !text.contains(#""fps":0"#)
        }
        try await sink.receives(pictures: 35, audio: 90)
        #expect(try await server.api("DELETE", "/v1/rooms/demo/jobs/live").status == 204)
        let received = try await sink.received()
        #expect(received.video?.codec_name == "h264" && received.video?.width == 320 && received.video?.height == 180)
        #expect(received.times("video").count > 30)
        #expect(received.steps("video").allSatisfy { $0 > 0 && $0 < 0.2 }, "\(received.steps("video"))")
        #expect(received.steps("audio").allSatisfy { $0 > 0.020 && $0 < 0.026 }, "\(received.steps("audio"))")
        try await encoder.stop()
      }
    }
  }
}
