import Foundation
import RoomLiveOrigin
import RoomRTMP
import RoomProtocol
import RoomTestSupport
import Testing

@Suite("The live origin over RTMP")
struct OriginTests {
  @Test("a viewer starts with metadata at time 0, both configurations and the last key frame, and gets what follows")
  func play() async throws {
    try await TestServer.with { server in
      let publisher = try await RTMPPeer.start(.publish, server, "studio?token=\(try server.token("anchor", room: "studio"))")
      publisher.sendBeginning()
      publisher.send(
        LiveSample.video(66), LiveSample.audio(70), LiveSample.video(2000, isKeyFrame: true), LiveSample.audio(2010))
      try await eventually("the origin has all of it") { try await server.streams().contains(#""kbps""#) }
      let viewer = try await RTMPPeer.start(.play, server)
      try await eventually("the start") { viewer.played.count >= 5 }
      let start = viewer.played.prefix(5)
      #expect(start.map(\.kind) == [.data, .video, .audio, .video, .audio])
      #expect(start.map(\.timestamp) == [0, 2000, 2000, 2000, 2010])
      #expect(start[1].payload == LiveSample.videoHeader.payload && start[2].payload == LiveSample.audioHeader.payload)
      #expect(LiveSample.isKeyFrame(start[3]))
      publisher.send(LiveSample.video(2066))
      try await eventually("the next frame") { viewer.played.last?.timestamp == 2066 }
      #expect(try await server.metric("roomserver_origin_viewers{protocol=\"rtmp\"}") == 1)
      viewer.end()
      try await eventually("the viewer is gone") {
        try await server.metric("roomserver_origin_viewers{protocol=\"rtmp\"}") == 0
      }
      publisher.end()
      try await eventually("the stream has ended") { try await server.metric("roomserver_origin_streams") == 0 }
    }
  }

  @Test("publishing without a valid token is rejected with a reason")
  func tokens() async throws {
    try await TestServer.with { server in
      let cases = [
        ("studio", "requires a token"), ("studio?token=x", "JWT"),
        ("studio?token=\(try server.token("anchor", room: "other"))", "for room other"),
        ("studio?token=\(try server.token("anchor", room: "studio", grants: [.subscribe]))", "grant"),
        ("studio?token=\(try server.token("anchor", room: "studio", ttl: -10))", "expired"),
      ]
      for (stream, words) in cases {
        let status = try await RTMPPeer.refusal(.publish, server, stream)
        #expect(status.code == .publishDenied && status.description.contains(words), "\(status)")
      }
      #expect(try await server.metric("roomserver_origin_refused_total{reason=\"token\"}") == 4)
      #expect(try await server.metric("roomserver_origin_refused_total{reason=\"unsigned\"}") == 1)
      let token = try server.token("anchor", room: "studio")
      let status = try await RTMPPeer.refusal(.publish, server, "?token=\(token)", app: "live/a/b")
      #expect(status.code == .publishBadName, "\(status)")
    }
  }

  @Test("signed URLs have separate keys for publishing and playing")
  func signatures() async throws {
    let protection = HotlinkProtection(publish: .init(key: "push"), play: .init(key: "pull", validity: 60))
    try await TestServer.with {
      $0.origin.protection = protection
    } _: { server in
      let now = Int64(Date().timeIntervalSince1970)
      let push = try #require(protection.query(path: "/live/studio", for: .publish, unixTime: now))
      let pull = try #require(protection.query(path: "/live/studio", for: .play, unixTime: now))
      let old = try #require(protection.query(path: "/live/studio", for: .play, unixTime: now - 100))
      #expect(try await RTMPPeer.refusal(.publish, server, "studio?\(pull)").description.contains("wsSecret"))
      let publisher = try await RTMPPeer.start(.publish, server, "studio?\(push)")
      publisher.sendBeginning()
      #expect(try await RTMPPeer.refusal(.play, server, "studio?\(push)").code == .playFailed)
      #expect(try await RTMPPeer.refusal(.play, server, "studio").description.contains("signed"))
      #expect(try await RTMPPeer.refusal(.play, server, "studio?\(old)").description.contains("expired"))
      let viewer = try await RTMPPeer.start(.play, server, "studio?\(pull)")
      try await eventually("the picture") { viewer.played.contains(where: LiveSample.isKeyFrame) }

      let flv = try #require(protection.query(path: "/live/studio.flv", for: .play, unixTime: now))
      #expect(try await server.raw("GET /live/studio.flv?\(pull) HTTP/1.1\r\nHost: x\r\n\r\n").status == 403)
      let wire = try await Wire.connect(port: server.server.port)
      wire.send("GET /live/studio.flv?\(flv) HTTP/1.0\r\n\r\n")
      #expect(try await wire.response().status == 200)
      wire.close()
    }
  }

  @Test("one client publishes at a time; a publisher that reconnects continues for its viewers")
  func onePublisher() async throws {
    try await TestServer.with {
      $0.origin.publishesOpenly = true
    } _: { server in
      let first = try await RTMPPeer.start(.publish, server)
      first.sendBeginning()
      let viewer = try await RTMPPeer.start(.play, server)
      try await eventually("the picture") { viewer.played.contains(where: LiveSample.isKeyFrame) }
      let status = try await RTMPPeer.refusal(.publish, server, "studio")
      #expect(status.code == .publishBadName && status.description.contains("already"), "\(status)")
      first.end()
      let second = try await eventually("the path is free") { try? await RTMPPeer.start(.publish, server) }
      second.sendBeginning()
      try await eventually("the second one's picture") { viewer.played.count(where: LiveSample.isKeyFrame) == 2 }
      let times = viewer.played.filter { $0.kind != .data }.map(\.timestamp)
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }, "\(times)")
    }
  }

  @Test("a viewer of a missing stream is rejected; one whose publisher does not reconnect is notified of the end")
  func ends() async throws {
    try await TestServer.with {
      $0.origin.publishesOpenly = true
      $0.origin.linger = .milliseconds(300)
    } _: { server in
      #expect(try await RTMPPeer.refusal(.play, server, "studio").code == .playStreamNotFound)
      let publisher = try await RTMPPeer.start(.publish, server)
      publisher.sendBeginning()
      let viewer = try await RTMPPeer.start(.play, server)
      try await eventually("the picture") { viewer.played.contains(where: LiveSample.isKeyFrame) }
      publisher.end()
      try await eventually("the end") { viewer.hasEnded }
      #expect(try await server.metric("roomserver_origin_viewers{protocol=\"rtmp\"}") == 0)
    }
  }

  @Test("the API lists streams and ends a publish")
  func api() async throws {
    try await TestServer.with {
      $0.origin.publishesOpenly = true
    } _: { server in
      #expect(try await server.streams() == #"{"streams":[]}"#)
      let publisher = try await RTMPPeer.start(.publish, server)
      publisher.sendBeginning()
      try await eventually("the stream is listed") {
        let text = try await server.streams()
        return text.contains(#""path":"live/studio""#) && text.contains(#""publisher":"rtmp""#)
          && text.contains(#""codec":"h264""#) && text.contains(#""codec":"aac""#) && text.contains(#""sampleRate":44100"#)
      }
      #expect(try await server.api("DELETE", "/v1/streams/live/studio").status == 204)
      try await eventually("the publisher is gone") { publisher.isClosed }
      #expect(try await server.api("DELETE", "/v1/streams/live/studio").status == 404)
      #expect(try await server.request("GET", "/v1/streams").status == 401)
    }
  }
}

extension TestServer {
  /// Returns the list of streams as text.
  func streams() async throws -> String { String(decoding: try await api("GET", "/v1/streams").body, as: UTF8.self) }
}
