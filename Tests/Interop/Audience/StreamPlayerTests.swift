import RoomCodecs
import Foundation
import RoomClient
import RoomLiveOrigin
import RoomMedia
import RoomPeers
import RoomProtocol
import RoomRelay
import RoomServer
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("A player of live streams")
  struct StreamPlayerTests {
    /// Joins an anchor that is live on the server's own origin, with a clock in its picture and a tone of 440 Hz.
    private func goLive(_ server: TestServer) async throws -> Participant {
      let anchor = try await Participant.join(server, as: "anchor", grants: [.publish, .subscribe, .relay])
      try await anchor.publish(video: .h264, tone: 440)
      try await anchor.room.jobs.start(ForwardParams(jobId: "live", publishUrl: "rtmp://origin/live/demo"))
      try await eventually("the stream is published") { try await server.metric("roomserver_origin_streams") == 1 }
      return anchor
    }

    private func check(_ watched: WatchedStream, width: Int = 320, height: Int = 180) async throws {
      try await eventually("pictures with the clock, and the tone") {
        let seen = watched.now
        return seen.pictures.decoded > 20 && seen.sound.hears(440)
      }
      let seen = watched.now
      #expect(seen.pictures.size == PictureSize(width: width, height: height))
      #expect(seen.pictures.repeated == 0 && seen.pictures.illegible == 0)
      #expect(zip(seen.pictureTimes.dropFirst(), seen.pictureTimes).allSatisfy { $0 > $1 })
    }

    @Test("over RTMP and HTTP-FLV: picture and tone, at their times, with the measurements", .timeLimit(.minutes(2)))
    func plays() async throws {
      try await withServer { server in
        let anchor = try await goLive(server)
        for url in [try server.rtmp("live/demo"), server.http("/live/demo.flv")] {
          let watched = WatchedStream(url)
          try await check(watched)
          try await eventually("the rates are measured") {
            let measured = watched.player.statistics
            return (12...18).contains(measured.fps) && measured.bitrate > 50_000
          }
          let measured = watched.player.statistics
          #expect(measured.delay > .milliseconds(200) && measured.delay < .seconds(3), "\(measured.delay)")
          #expect(measured.videoCodec == "H.264" && measured.audioCodec == "AAC")
          #expect(measured.width == 320 && measured.height == 180 && measured.failed == 0)
          #expect(watched.player.state == .playing)
          watched.player.stop()
          try await eventually("the viewer has left") { watched.now.states.last == .ended }
          #expect(watched.now.states.first == .connecting)
        }
        for way in ["rtmp", "flv"] {
          try await eventually("the server has no viewer over \(way)") {
            try await server.metric("roomserver_origin_viewers{protocol=\"\(way)\"}") == 0
          }
        }
        await anchor.leave()
      }
    }

    @Test("a variant has the wanted size and frame rate", .timeLimit(.minutes(2)))
    func variant() async throws {
      try await withServer { server in
        let anchor = try await goLive(server)
        let urls = try await anchor.room.playURLs(PlayPicture(width: 256, height: 144, fps: 10))
        let watched = WatchedStream(try #require(urls.flv))
        try await check(watched, width: 256, height: 144)
        try await eventually("ten pictures a second") { (9...11.5).contains(watched.player.statistics.fps) }
        await #expect(throws: RoomError.self) { try await anchor.room.playURLs(PlayPicture(width: 255, height: 144)) }
        await anchor.leave()
      }
    }

    @Test(
      "flash and beep are together, from the server and through nginx-rtmp", .enabled(if: NginxRTMP.isInstalled),
      .timeLimit(.minutes(3)))
    func offset() async throws {
      try await withServer(adjust: { $0.relay.broadcasts.targets = try RelayTargets(parsing: ["127.0.0.1"]) }) { server in
        let nginx = try await NginxRTMP()
        let source = try FlashAndBeep()
        let anchor = try await Participant.join(server, as: "anchor", grants: [.publish, .subscribe, .relay])
        try await anchor.room.publish(source.tracks)
        try await anchor.room.jobs.start(ForwardParams(jobId: "own", publishUrl: "rtmp://origin/live/demo"))
        try await anchor.room.jobs.start(ForwardParams(jobId: "nginx", publishUrl: nginx.url("demo")))
        try await eventually("both are on air") {
          anchor.room.jobs.all.count { $0.onAir == true && $0.state == .connected } == 2
        }
        for url in [server.http("/live/demo.flv"), nginx.url("demo")] {
          let watched = WatchedStream(url)
          try await eventually("ten beeps at \(url)", within: .seconds(60)) { watched.offsets.count >= 10 }
          let offsets = watched.offsets.sorted()
          #expect(abs(offsets[offsets.count / 2]) < 0.08, "\(offsets)")
          watched.player.stop()
        }
        await anchor.leave()
      }
    }

    @Test(
      "a server that is killed and started again: the player plays again", .enabled(if: NginxRTMP.isInstalled),
      .timeLimit(.minutes(3)))
    func restart() async throws {
      let nginx = try await NginxRTMP()
      var encoder = try Peer.encoder(nginx.url())
      let watched = WatchedStream(nginx.url(), options: .init(reconnect: .unlimited))
      try await eventually("it plays") { watched.player.state == .playing && watched.now.pictures.decoded > 20 }
      let size = watched.now.pictures.size
      nginx.kill()
      encoder.stop()
      try await eventually("it notices") {
        if case .reconnecting = watched.player.state { true } else { false }
      }
      try await nginx.start()
      encoder = try Peer.encoder(nginx.url())
      let before = watched.now.pictures.decoded
      try await eventually("it plays again", within: .seconds(60)) {
        watched.player.state == .playing && watched.now.pictures.decoded > before + 20
      }
      #expect(watched.player.statistics.reconnections >= 1)
      #expect(watched.now.pictures.size == size)
      #expect(zip(watched.now.pictureTimes.dropFirst(), watched.now.pictureTimes).allSatisfy { $0 > $1 })
      encoder.stop()
    }

    @Test("ffmpeg with B-frames: pictures in their order", .timeLimit(.minutes(2)))
    func reordered() async throws {
      try await withServer(adjust: { $0.origin.publishesOpenly = true }) { server in
        let encoder = try LiveEncoder(try server.rtmp("live/film"), arguments: ["-preset", "veryfast", "-bf", "2"])
        try await eventually("the stream is published") { try await server.metric("roomserver_origin_streams") == 1 }
        let watched = WatchedStream(server.http("/live/film.flv"))
        try await eventually("it plays") { watched.now.pictures.decoded > 60 && watched.now.sound.hears(440) }
        let steps = zip(watched.now.pictureTimes.dropFirst(), watched.now.pictureTimes).map { $0 - $1 }
        #expect(steps.allSatisfy { $0 > 0 })
        #expect(steps.count { abs($0 - 1 / 15) < 0.02 } > steps.count * 9 / 10, "\(steps)")
        encoder.end()
      }
    }

    @Test("wrong URLs are failures with their codes", .timeLimit(.minutes(2)))
    func failures() async throws {
      let protection = HotlinkProtection(play: .init(key: "pull", validity: 300))
      try await withServer(adjust: { $0.origin.protection = protection }) { server in
        let query = try #require(
          protection.query(path: "/live/none.flv", for: .play, unixTime: Int64(Date().timeIntervalSince1970)))
        let port = try TCPPort.free()
        func failure(_ url: String) async throws -> StreamFailure? {
          let player = StreamPlayer(url, options: .init(reconnect: .never))
          return try await eventually("\(url) fails") {
            if case .failed(let failure) = player.state { failure } else { nil }
          }
        }
        #expect(try await failure("http://127.0.0.1/live/a.m3u8") == .invalidURL("http://127.0.0.1/live/a.m3u8"))
        #expect(try await failure(server.http("/live/none.flv?\(query)")) == .notFound("HTTP 404"))
        #expect(try await failure(server.http("/live/none.flv")) == .forbidden("HTTP 403"))
        let rtmp = try await failure(try server.rtmp("live/none"))
        guard case .refused(let answer) = rtmp else { throw DidNotHappen(what: "\(rtmp as Any)") }
        #expect(answer.contains("NetStream.Play.Failed") && rtmp?.code.rawValue == 80203)
        guard case .connectFailed(let cause) = try await failure("rtmp://127.0.0.1:\(port)/live/a") else {
          throw DidNotHappen(what: "a refused connection")
        }
        #expect(cause.kind == .refused)
        guard case .unreadable = try await failure(server.page) else { throw DidNotHappen(what: "a page that is no stream") }
      }
    }
  }
}
