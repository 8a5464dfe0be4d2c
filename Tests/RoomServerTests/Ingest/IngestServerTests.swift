import RoomRTMP
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomServer

@Suite("RTMP publishes to rooms")
struct IngestServerTests {
  private func stream(_ server: TestServer, _ user: UserID = "camera", grants: Grants = [.publish]) throws -> String {
    "room?token=\(try server.token(user, grants: grants))"
  }

  /// Returns the last status that the encoder receives.
  private func ending(of encoder: RTMPPeer) async throws -> Status {
    try await eventually("the end") {
      if case .rejected(let status, _)? = encoder.failure { status } else { nil }
    }
  }

  private func published(_ client: SignalClient) async throws -> PublishedData {
    try await client.event("published") { if case .published(let data) = $0 { data } else { nil } }
  }

  private func connected(_ client: SignalClient) async throws -> Bool {
    try await client.event("connectionChanged") { if case .connectionChanged(let data) = $0 { data.connected } else { nil } }
  }

  private func left(_ client: SignalClient) async throws -> EndReason {
    try await client.event("left") { if case .left(let data) = $0 { data.reason } else { nil } }
  }

  @Test("a stream is a participant from its publish on, its tracks start with their headers, and it leaves after a short delay")
  func life() async throws {
    try await TestServer.with({ $0.rooms.graceTime = .milliseconds(300) }) { server in
      let viewer = try await server.join("viewer")
      let encoder = try await RTMPPeer.start(.publish, server, try stream(server), app: "room")
      let joined = try await viewer.event("joined") { if case .joined(let info) = $0 { info } else { nil } }
      #expect(joined.userId == "camera" && joined.tracks.isEmpty && joined.connected)
      encoder.send(LiveSample.metadata, LiveSample.audioHeader)
      let sound = try #require(try await published(viewer).tracks.first)
      #expect(sound.kind == .audio && sound.tag == "microphone" && sound.codec == .opus && sound.master)
      encoder.send(LiveSample.videoHeader)
      let picture = try #require(try await published(viewer).tracks.first)
      #expect(picture.kind == .video && picture.tag == "camera" && picture.codec == .h264 && picture.master)
      #expect(try await server.metric("roomserver_tracks") == 2)
      #expect(try await server.metric(#"roomserver_ingests_total{protocol="rtmp"}"#) == 1)
      #expect(try await server.metric(#"roomserver_joins_total{code="80000"}"#) == 2)
      encoder.end()
      #expect(try await !connected(viewer))
      #expect(try await left(viewer) == .timedOut)
      #expect(try await server.metric("roomserver_tracks") == 0)
    }
  }

  @Test("an encoder that reconnects in time is the same participant; one that connects too soon ends the first with 401003")
  func again() async throws {
    try await TestServer.with { server in
      let viewer = try await server.join("viewer")
      let first = try await RTMPPeer.start(.publish, server, try stream(server), app: "room")
      first.end()
      #expect(try await !connected(viewer))
      let second = try await RTMPPeer.start(.publish, server, try stream(server), app: "room")
      #expect(try await connected(viewer))
      second.send(LiveSample.videoHeader)
      #expect(try await published(viewer).userId == "camera")
      let third = try await RTMPPeer.start(.publish, server, try stream(server), app: "room")
      #expect(try await ending(of: second).description.hasPrefix("401003: camera joined"))
      #expect(try await left(viewer) == .duplicateLogin)
      third.send(LiveSample.videoHeader)
      #expect(try await published(viewer).userId == "camera")
      #expect(try await server.metric("roomserver_tracks") == 1)
      // A join over signalling also ends it.
      _ = try await server.join("camera")
      #expect(try await ending(of: third).description.hasPrefix("401003"))
      #expect(try await server.metric("roomserver_tracks") == 0)
    }
  }

  @Test("a kick ends the stream and revokes its token, and the room's end is reported")
  func ended() async throws {
    try await TestServer.with { server in
      let name = try stream(server)
      let encoder = try await RTMPPeer.start(.publish, server, name, app: "room")
      encoder.send(LiveSample.audioHeader)
      try await eventually("its track") { try await server.metric("roomserver_published_tracks") == 1 }
      #expect(try await server.api("DELETE", "/v1/rooms/room/participants/camera").status == 204)
      #expect(try await ending(of: encoder).description == "kicked out of the room")
      let status = try await RTMPPeer.refusal(.publish, server, name, app: "room")
      #expect(status.description.contains("10002: the user was kicked"), "\(status)")
      let other = try await RTMPPeer.start(.publish, server, try stream(server, "other"), app: "room")
      #expect(try await server.api("DELETE", "/v1/rooms/room").status == 204)
      #expect(try await ending(of: other).description == "the room was closed")
      #expect(try await server.metric("roomserver_tracks") == 0)
    }
  }

  @Test("a stream that a room can't convert ends with a message and its participant; the user's next stream is judged anew")
  func faults() async throws {
    try await TestServer.with { server in
      let vvc = MediaMessage(
        .video, timestamp: 0, payload: VideoTag.enhancedHeader(.vvc, .sequenceStart, isKeyFrame: true) + [1, 2, 3])
      let adpcm = MediaMessage(.audio, timestamp: 0, payload: [0x1f, 1, 2])
      for (user, message, words) in [
        ("ann" as UserID, vvc, "80201: the video is VVC"), ("bob", adpcm, "80201: the audio is ADPCM"),
      ] {
        let encoder = try await RTMPPeer.start(.publish, server, try stream(server, user), app: "room")
        encoder.send(message)
        #expect(try await ending(of: encoder).description.hasPrefix(words))
        try await eventually("no participant is left") { try await server.metric("roomserver_participants") == 0 }
        let next = try await RTMPPeer.start(.publish, server, try stream(server, user), app: "room")
        next.send(LiveSample.videoHeader)
        try await eventually("its track") { try await server.metric("roomserver_tracks") == 1 }
        next.end()
        #expect(try await server.api("DELETE", "/v1/rooms/room").status == 204)
      }
      #expect(try await server.metric(#"roomserver_ingest_faults_total{protocol="rtmp"}"#) == 2)
    }
  }

  @Test("unauthorised publishers are rejected with the codes of signalling, and by SRT in the handshake, with those of SRT")
  func refused() async throws {
    try await TestServer.with({
      $0.autoCreateRooms = false
      $0.limits.participantsPerRoom = 1
      $0.origin.srt.listens = true
    }) { server in
      #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"room"}"#).status == 201)
      _ = try await server.join("viewer")
      let cases = [
        ("room", "10002: publish to room?token=", 1401), ("room?token=x", "10002", 1403), ("no%20name?token=x", "10011", 1404),
        ("room?token=\(try server.token("camera", ttl: -60))", "10002: the token has expired", 2401),
        ("room?token=\(try server.token("camera", room: "other"))", "10002: the token is for another room", 1403),
        (try stream(server, grants: [.subscribe]), "10003: the token has no grant", 1403),
        (try stream(server, grants: [.publish, .hidden]), "10003: a hidden participant", 1403),
        ("other?token=\(try server.token("camera", room: "other"))", "10011: there is no room", 1404),
        (try stream(server), "80101: the room is full", 1402),
      ]
      for (name, words, code) in cases {
        let status = try await RTMPPeer.refusal(.publish, server, name, app: "room")
        #expect(status.description.hasPrefix(words), "\(status)")
        #expect(try await SRTPeer.refusal(server, "room/\(name)") == code, "\(name)")
      }
      #expect(try await server.metric(#"roomserver_joins_total{code="10002"}"#) == 8)
      #expect(try await server.metric(#"roomserver_joins_total{code="80101"}"#) == 2)
      #expect(try await server.metric("roomserver_srt_connections_total") == 0)
      #expect(try await server.metric("roomserver_participants") == 1)
    }
  }

  @Test("by SRT, the mode, the stream id and a published stream are reasons to refuse, and not a full room's own participant")
  func refusedBySRT() async throws {
    try await TestServer.with({
      $0.limits.participantsPerRoom = 1
      $0.origin.srt.listens = true
    }) { server in
      let token = try server.token("camera", room: "studio")
      let first = try await SRTPeer.start(server, "#!::r=live/studio,m=publish,token=\(token)")
      try await eventually("it publishes") { try await server.metric("roomserver_origin_streams") == 1 }
      for (streamID, code) in [
        ("", 1400), ("#!::m=publish,token=\(token)", 1400), ("#!::r=live/studio,m=bidirectional,token=\(token)", 1405),
        ("#!::r=live/missing,m=request", 1404), ("#!::r=no name,m=request", 1400),
        ("live/studio?token=\(token)", 1409), ("live/studio", 1401), ("live/other?token=\(token)", 1403),
      ] {
        #expect(try await SRTPeer.refusal(server, streamID) == code, "\(streamID)")
      }
      // An encoder that tries again at once is checked and logged once a second.
      for _ in 0..<6 { #expect(try await SRTPeer.refusal(server, "live/other?token=\(token)") == 1403) }
      #expect(try await server.metric(#"roomserver_origin_refused_total{reason="token"}"#) < 7)
      await first.end()
      let name = "room/\(try stream(server))"
      let camera = try await SRTPeer.start(server, name)
      try await eventually("it has joined") { try await server.metric("roomserver_participants") == 1 }
      #expect(try await SRTPeer.refusal(server, "room/\(try stream(server, "other"))") == 1402)
      let again = try await SRTPeer.start(server, name)
      try await eventually("the first is ended") { camera.failure != nil }
      #expect(try await server.metric(#"roomserver_ingests_total{protocol="srt"}"#) == 2)
      await again.end()
    }
  }

  @Test("an encoder that returns by the other protocol in time is the same participant")
  func otherProtocol() async throws {
    try await TestServer.with({ $0.origin.srt.listens = true }) { server in
      let viewer = try await server.join("viewer")
      let first = try await RTMPPeer.start(.publish, server, try stream(server), app: "room")
      first.end()
      #expect(try await !connected(viewer))
      let second = try await SRTPeer.start(server, "room/\(try stream(server))")
      #expect(try await connected(viewer))
      for name in ["rtmp", "srt"] {
        #expect(try await server.metric(#"roomserver_ingests_total{protocol="\#(name)"}"#) == 1)
      }
      await second.end()
    }
  }
}
