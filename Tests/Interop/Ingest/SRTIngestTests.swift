import Foundation
import RoomLinkModel
import RoomLossyLink
import RoomPeers
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("SRT into rooms and into the origin")
  struct SRTIngestTests {
    private func withSRT(
      passphrase: String? = nil, _ test: (TestServer) async throws -> Void
    ) async throws {
      try await withServer(
        grace: .seconds(1),
        adjust: {
          $0.origin.srt.listens = true
          $0.origin.srt.passphrase = passphrase.map { .init($0) }
        }, test)
    }

    @Test("ffmpeg's stream over a link that loses 5 % is a participant whom others see and hear; a killed ffmpeg's tracks end")
    func room() async throws {
      try await withSRT { server in
        let viewer = try await Participant.join(server, as: "viewer")
        let token = try await server.token(user: "camera", grants: [.publish])
        let url = try server.srt("#!::r=room/demo,m=publish,u=camera,token=\(token)", "&latency=1000000")
        let port = try #require(URL(string: String(url.prefix { $0 != "?" }))?.port)
        let lossy = LinkConditions(loss: 0.05, delay: 5000)
        let link = try LossyLink(to: UInt16(port), toTarget: lossy, toClient: lossy, seed: 5)
        let encoder = try Encoder(to: url.replacing(":\(port)?", with: ":\(link.port)?"))
        try await eventually("pictures arrive") { viewer.pictures(of: "camera").decoded >= 45 }
        #expect(viewer.pictures(of: "camera").size == PictureSize(width: 320, height: 180))
        try await eventually("the tone is heard") { viewer.sound(of: "camera").hears(440) }
        #expect(viewer.codecs(of: "camera") == ["h264", "opus"])
        #expect(link.counters(.toTarget).lost > 5 && encoder.errors.isEmpty, "\(encoder.errors)")
        // A killed encoder does not send again what the link lost last.
        for direction in [LossyLink.Direction.toTarget, .toClient] { link.set(direction, to: LinkConditions(delay: 5000)) }
        let shown = viewer.pictures(of: "camera").decoded
        try await eventually("all losses are repaired") { viewer.pictures(of: "camera").decoded >= shown + 30 }
        encoder.kill()
        try await eventually("its tracks end", within: .seconds(15)) { viewer.room.participants.isEmpty }
        #expect(try await server.metric("roomserver_srt_lost_frames_total") == 0)
        #expect(try await server.metric(#"roomserver_ingests_total{protocol="srt"}"#) == 1)
        #expect(try await server.metric(#"roomserver_ingests_total{protocol="rtmp"}"#) == 0)
        await viewer.leave()
        link.stop()
      }
    }

    @Test("ffmpeg publishes to the origin, encrypted; RTMP and HTTP-FLV play it; an encoder without the passphrase is refused")
    func origin() async throws {
      try await withSRT(passphrase: "of ten bytes") { server in
        let token = try await server.token(user: "studio", room: "studio", grants: [.publish])
        let url = try server.srt("live/studio?token=\(token)")
        let open = try await Encoder(to: url).refusal()
        #expect(open.contains("rejected") || open.contains("Connection"), "\(open)")
        let encoder = try Encoder(to: url + "&passphrase=of ten bytes", video: ["-bf", "2", "-g", "15"])
        for address in [try server.rtmp("live/studio"), server.http("/live/studio.flv")] {
          try await eventually("the stream is published") {
            let text = String(decoding: try await server.api("GET", "/v1/streams").body, as: UTF8.self)
            return text.contains(#""publisher":"srt""#) && text.contains("h264") && text.contains("aac")
          }
          let probe = try Peer.probe(address, packets: 60)
          #expect(try await probe.finish() == 0, "\(probe.text)")
          #expect(probe.text.contains("\"h264\"") && probe.text.contains("\"aac\""))
        }
        try await encoder.stop()
        try await eventually("the publish is over", within: .seconds(10)) {
          try await server.metric("roomserver_origin_streams") == 0
        }
      }
    }

    @Test("an encoder that may not publish is refused in its handshake, with a code; nothing begins")
    func refused() async throws {
      try await withSRT { server in
        let (other, viewer) = (
          try await server.token(user: "camera", room: "other"), try await server.token(user: "camera", grants: [.subscribe])
        )
        for streamID in [
          "room/demo", "room/demo?token=nonsense", "room/demo?token=\(other)", "room/demo?token=\(viewer)",
          "#!::r=live/studio,m=request", "live/studio", "live/demo?token=\(other)",
        ] {
          let errors = try await Encoder(to: try server.srt(streamID)).refusal()
          #expect(errors.contains("rejected") || errors.contains("Connection"), "\(streamID): \(errors)")
        }
        #expect(try await server.metric("roomserver_srt_connections_total") == 0)
        #expect(try await server.metric("roomserver_participants") == 0)
      }
    }

    @Test("srt-live-transmit passes on ffmpeg's transport stream, and HLS plays it; it shows a refusal")
    func transmitted() async throws {
      try await withSRT { server in
        let port = try UDPPort.free()
        let encoder = try Encoder(to: "udp://127.0.0.1:\(port)?pkt_size=1316")
        let token = try await server.token(user: "studio", room: "studio", grants: [.publish])
        let refused = try Program(
          "srt-live-transmit", ["udp://127.0.0.1:\(port)", try server.srt("live/other?token=\(token)")])
        try await eventually("it is refused") { refused.text.contains("Application-defined rejection reason") }
        #expect(try await server.metric(#"roomserver_origin_refused_total{reason="token"}"#) > 0)
        refused.stop()
        let relay = try Program(
          "srt-live-transmit", ["udp://127.0.0.1:\(port)", try server.srt("live/studio?token=\(token)", "&latency=200")])
        try await eventually("the stream is published") { try await server.metric("roomserver_origin_streams") == 1 }
        // ffprobe decodes nothing: ffmpeg does, and fails at a damaged segment.
        let player = try Program(
          "ffmpeg",
          [
            "-nostdin", "-v", "info", "-xerror", "-err_detect", "explode", "-i", server.http("/live/studio.m3u8"), "-t", "4",
            "-fps_mode", "passthrough", "-enc_time_base:v", "-1", "-f", "null", "-",
          ])
        #expect(try await player.finish() == 0, "\(player.text)")
        let probe = try await LiveProbe.read(server.http("/live/studio.m3u8"), seconds: 4)
        #expect(probe.video?.codec_name == "h264" && probe.audio?.codec_name == "aac")
        let (pictures, sound) = (probe.steps("video"), probe.steps("audio"))
        #expect(pictures.count > 45 && pictures.allSatisfy { $0 > 0 && $0 < 0.1 }, "\(pictures)")
        #expect(sound.count > 130 && sound.allSatisfy { $0 > 0 && $0 < 0.1 }, "\(sound)")
        #expect(abs(pictures.reduce(0, +) - sound.reduce(0, +)) < 0.5)
        #expect(relay.isRunning && encoder.isRunning && encoder.errors.isEmpty, "\(encoder.errors)")
        #expect(try await server.metric("roomserver_srt_lost_frames_total") == 0)
      }
    }

    @Test("bytes that are no transport stream end their connection, and no other")
    func garbage() async throws {
      try await withSRT { server in
        let token = try await server.token(user: "studio", room: "studio", grants: [.publish])
        let encoder = try Encoder(to: try server.srt("live/good?token=\(try await server.token(user: "a", room: "good"))"))
        let garbage = try Program(
          "ffmpeg",
          [
            "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc2=size=64x64:rate=5", "-f", "rawvideo",
            try server.srt("live/studio?token=\(token)", "&pkt_size=1316"),
          ])
        try await eventually("the garbage is ended") {
          try await server.metric("roomserver_srt_malformed_total") == 1
        }
        try await eventually("its program notices") { !garbage.isRunning }
        try await eventually("only its connection is closed") { try await server.metric("roomserver_srt_connections") == 1 }
        #expect(encoder.isRunning && encoder.errors.isEmpty, "\(encoder.errors)")
        try await encoder.stop()
      }
    }
  }
}
