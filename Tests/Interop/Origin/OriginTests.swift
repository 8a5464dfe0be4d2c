import Foundation
import RoomLiveOrigin
import RoomRTMP
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

@Suite("The live origin with third-party peers", .serialized)
struct OriginPeerTests {
  /// Waits until the stream exists with video and audio.
  private func waitForStream(_ server: TestServer, _ path: String = "live/studio", of encoder: Peer? = nil) async throws {
    try await eventually("the stream is published") {
      if let encoder, !encoder.isRunning { throw PeerEnded(text: encoder.text) }
      let text = String(decoding: try await server.api("GET", "/v1/streams").body, as: UTF8.self)
      return text.contains("\"path\":\"\(path)\"") && text.contains("\"publisher\":") && text.contains("h264")
        && text.contains("aac")
    }
  }

  private struct PeerEnded: Error { let text: String }

  private func check(_ recording: Recording, sampleRate: String = "44100") {
    #expect(recording.video?.codec_name == "h264" && recording.audio?.codec_name == "aac")
    #expect(recording.video?.width == 320 && recording.video?.height == 180)
    #expect(recording.audio?.sample_rate == sampleRate)
    #expect(recording.streams.count == 2, "metadata must not be a separate stream")
    #expect(recording.times("video").count > 15 && recording.times("audio").count > 40)
    #expect(recording.steps("video").allSatisfy { $0 > 0 && $0 < 0.2 }, "\(recording.steps("video"))")
    #expect(recording.steps("audio").allSatisfy { $0 > 0.015 && $0 < 0.035 }, "\(recording.steps("audio"))")
    #expect(recording.packets.first { $0.codec_type == "video" }?.flags?.contains("K") == true)
  }

  @Test("ffmpeg publishes with a token; ffprobe plays over RTMP and HTTP-FLV, rtmpdump over RTMP")
  func publishAndPlay() async throws {
    try await withServer { server in
      let token = try await server.token(user: "encoder", room: "studio", grants: [.publish])
      let encoder = try Peer.encoder(try server.rtmp("live/studio?token=\(token)"))
      try await waitForStream(server, of: encoder)
      let overRTMP = try Peer.probe(try server.rtmp("live/studio"))
      let overHTTP = try Peer.probe(server.http("/live/studio.flv"))
      for probe in [overRTMP, overHTTP] {
        let status = try await probe.finish()
        #expect(status == 0, "\(probe.text)")
        check(try Recording(json: Data(probe.text.utf8)))
      }
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).flv").path
      defer { try? FileManager.default.removeItem(atPath: file) }
      let dump = try Peer(["rtmpdump", "-q", "-r", try server.rtmp("live/studio"), "--live", "-o", file])
      try await eventually("rtmpdump has written some seconds") {
        (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0 > 80_000
      }
      dump.stop()
      let dumped = try Recording(file)
      #expect(dumped.video?.codec_name == "h264" && dumped.audio?.codec_name == "aac", "\(dump.text)")
      #expect(dumped.times("video").count > 15)

      // The same stream is taken, and ffmpeg reports it.
      let second = try Peer.encoder(try server.rtmp("live/studio?token=\(token)"))
      #expect(try await second.finish() != 0)
      #expect(second.text.contains("already"), "\(second.text)")
      encoder.stop()
      try await eventually("the publish is over") { try await server.metric("roomserver_origin_streams") == 0 }
    }
  }

  @Test("ffmpeg without a token is rejected with a message")
  func refused() async throws {
    try await withServer { server in
      let encoder = try Peer.encoder(try server.rtmp("live/studio"))
      #expect(try await encoder.finish() != 0)
      #expect(encoder.text.contains("token"), "\(encoder.text)")
      #expect(try await server.metric("roomserver_origin_refused_total{reason=\"unsigned\"}") >= 1)
    }
  }

  @Test("signed URLs: a good one plays, a bad and an expired one do not, over RTMP and HTTP")
  func signed() async throws {
    let protection = HotlinkProtection(publish: .init(key: "push"), play: .init(key: "pull", validity: 300))
    try await withServer(adjust: { $0.origin.protection = protection }) { server in
      let now = Int64(Date().timeIntervalSince1970)
      let push = try #require(protection.query(path: "/live/studio", for: .publish, unixTime: now))
      let encoder = try Peer.encoder(try server.rtmp("live/studio?\(push)"))
      try await waitForStream(server, of: encoder)
      func query(_ path: String, age: Int64 = 0) throws -> String {
        try #require(protection.query(path: path, for: .play, unixTime: now - age))
      }
      let urls: [(String, Bool)] = [
        (try server.rtmp("live/studio?\(try query("/live/studio"))"), true),
        (try server.rtmp("live/studio?\(try query("/live/other"))"), false),
        (try server.rtmp("live/studio?\(try query("/live/studio", age: 400))"), false),
        (server.http("/live/studio.flv?\(try query("/live/studio.flv"))"), true),
        (server.http("/live/studio.flv?\(push)"), false),
        (server.http("/live/studio.flv?\(try query("/live/studio.flv", age: 400))"), false),
      ]
      let probes = try urls.map { (try Peer.probe($0.0, packets: 20), $0.0, $0.1) }
      for (probe, url, isGood) in probes {
        let status = try await probe.finish()
        #expect((status == 0) == isGood, "\(url): \(probe.text)")
        if !isGood, url.hasPrefix("http") { #expect(probe.text.contains("403"), "\(probe.text)") }
      }
      #expect(try await server.metric("roomserver_origin_refused_total{reason=\"signature\"}") == 4)
    }
  }

  @Test("a job that publishes to the server's own origin can be watched there, without a socket")
  func job() async throws {
    try await withServer(adjust: { $0.relay.statusInterval = .milliseconds(500) }) { server in
      let anchor = try await Participant.join(server, as: "anchor")
      try await anchor.publish(video: .h264, tone: 440)
      func start(_ job: String, _ url: String) async throws -> (status: Int, text: String) {
        let body = #"{"jobId":"\#(job)","publishUrl":"\#(url)","userId":"anchor"}"#
        let answer = try await server.api("POST", "/v1/rooms/demo/jobs", json: body)
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
      }
      let started = try await start("live", "rtmp://origin/live/studio")
      #expect(started.status == 201 && started.text.contains(#""state":"connected""#), "\(started.text)")
      // The same stream under another of its names is the same broadcast.
      let second = try await start("second", try server.rtmp("live/studio"))
      #expect(second.status == 409 && second.text.contains("serialnum"), "\(second.text)")
      try await waitForStream(server)
      let token = try await server.token(user: "encoder", room: "studio", grants: [.publish])
      let encoder = try Peer.encoder(try server.rtmp("live/studio?token=\(token)"))
      #expect(try await encoder.finish() != 0, "nobody else may publish there")

      let probe = try Peer.probe(try server.rtmp("live/studio"), packets: 280)
      let status = try await probe.finish()
      #expect(status == 0, "\(probe.text)")
      let recording = try Recording(json: Data(probe.text.utf8))
      check(recording)
      let keyFrames = recording.packets.count { $0.codec_type == "video" && $0.flags?.contains("K") == true }
      #expect(keyFrames >= 2, "the participant sends key frames when asked only, and the job asks")
      #expect(try await server.metric("roomserver_rtmp_connections_total") == 2, "the job has no connection")

      #expect(try await server.api("DELETE", "/v1/streams/live/studio").status == 204)
      try await eventually("the job is over") {
        String(decoding: try await server.api("GET", "/v1/rooms/demo/jobs").body, as: UTF8.self) == #"{"jobs":[]}"#
      }
      let other = try Peer.encoder(try server.rtmp("live/studio?token=\(token)"))
      try await waitForStream(server, of: other)
      let refused = try await start("late", try server.rtmp("live/studio"))
      #expect(refused.status == 409 && refused.text.contains("already"), "\(refused.text)")
      await anchor.leave()
    }
  }
}
