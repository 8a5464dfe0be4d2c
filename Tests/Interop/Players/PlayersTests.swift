import Foundation
import RoomClient
import RoomPeers
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("Players: files and URLs as participants", .enabled(if: NginxFiles.isInstalled))
  struct PlayersTests {
    private func withPlayers(_ body: (TestServer, NginxFiles) async throws -> Void) async throws {
      let files = try await NginxFiles()
      try await withServer(adjust: {
        try $0.players.setNetworks(["127.0.0.1/32"])
      }) { try await body($0, files) }
    }

    /// Waits until a viewer has seen flashes and heard their tones.
    private func noticed(by viewer: FilmViewer, count: Int = 2) async throws {
      do {
        try await eventually("flashes and tones", within: .seconds(15)) { viewer.apart.count >= count }
      } catch {
        let state = viewer.state.withLock { $0 }
        print("pictures \(state.pictures), flashes \(state.flashes), tones \(state.tones), ended \(state.ended)")
        throw error
      }
    }

    /// Plays a film from its start to its end.
    private func plays(_ film: PlayerParams, for viewer: FilmViewer) async throws {
      viewer.begin()
      try await viewer.room.players.start(film)
      try await noticed(by: viewer)
      try await eventually("the film ends") {
        viewer.state.withLock { $0.ended }.first?.reason == .finished
      }
    }

    private struct List: Decodable { var players: [PlayerInfo] }

    private func players(_ server: TestServer) async throws -> [PlayerInfo] {
      try JSONDecoder().decode(List.self, from: try await server.api("GET", "/v1/rooms/demo/players").body).players
    }

    private func change(_ server: TestServer, _ json: String) async throws -> Int {
      try await server.api("PATCH", "/v1/rooms/demo/players/film", json: json).status
    }

    /// Waits for flashes and tones, and checks that each pair is together, and that all viewers see it together.
    private func watch(_ viewers: [FilmViewer], _ what: String, flashes: Int = 2) async throws {
      for viewer in viewers { viewer.begin() }
      for viewer in viewers { try await noticed(by: viewer, count: flashes) }
      let apart = viewers.map(\.apart)
      print("\(what): tone after flash, milliseconds: \(apart)")
      // A busy machine delays single pictures.
      for one in apart { #expect(one.map { abs($0) }.min() ?? 1000 <= 40, "\(what): \(one)") }
      let shown = viewers.map { $0.state.withLock { $0.flashes } }
      let differences = (0..<flashes).map { flash in
        let times = shown.compactMap { $0.indices.contains(flash) ? $0[flash] : nil }
        return (times.max() ?? 0) - (times.min() ?? 0)
      }
      print("\(what): between viewers, milliseconds: \(differences)")
      #expect(differences.min() ?? 1000 <= 100, "\(what): \(differences)")
    }

    @Test("an MP4 of ten minutes is paused, sought, looped, and in sync for four people")
    func film() async throws {
      try await withPlayers { server, files in
        try await Film.make(files.folder.appending(path: "film.mp4"), seconds: 600, video: Film.passing)
        let viewers = [
          try await FilmViewer(server, as: "host", grants: [.subscribe, .publish, .admin]),
          try await FilmViewer(server, as: "ann"), try await FilmViewer(server, as: "bob"),
        ]
        let browser = try await BrowserClient.open()
        try await browser.join(url: server.url, token: try await server.token(user: "browser"))

        let started = try await viewers[0].room.players.start(
          PlayerParams(userId: "film", url: files.url("film.mp4"), name: "A film"))
        #expect(started.state == .opening && started.position == 0)
        try await watch(viewers, "playing")
        try await eventually("the browser decodes pictures") {
          try await browser.received().contains { $0.kind == .video && $0.framesDecoded >= 30 && $0.userId == "film" }
        }
        try await eventually("sound and picture are within 40 ms in the browser", within: .seconds(60)) {
          let received = try await browser.received()
          guard let sound = received.first(where: { $0.kind == .audio })?.playing,
            let picture = received.first(where: { $0.kind == .video })?.playing
          else { return false }
          return abs(picture - sound) <= 40
        }
        var info = try #require(viewers[1].room.players["film"])
        #expect(info.state == .playing && info.duration.map { Int($0.rounded()) } == 600 && info.seekable == true)
        #expect(viewers[1].state.withLock { $0.background } < 60)

        // Paused: no picture follows.
        #expect(try await change(server, #"{"paused":true}"#) == 200)
        try await Task.sleep(for: .milliseconds(500))
        let before = viewers.map { $0.state.withLock { $0.pictures } }
        try await Task.sleep(for: .seconds(1))
        #expect(viewers.map { $0.state.withLock { $0.pictures } } == before)
        info = try #require(try await players(server).first)
        #expect(info.state == .paused && info.position > 2 && info.position < 60)

        // A seek shows its picture, also while the player is paused.
        #expect(try await change(server, #"{"position":401.3}"#) == 200)
        try await eventually("the picture of the second half") {
          viewers.allSatisfy { $0.state.withLock { $0.background } > 100 }
        }
        #expect(try await change(server, #"{"paused":false}"#) == 200)
        try await watch(viewers, "sought")
        info = try #require(try await players(server).first)
        #expect(info.position >= 401 && info.position < 440, "\(info)")

        // At the end it begins again.
        #expect(try await change(server, #"{"position":596,"loop":true}"#) == 200)
        try await eventually("the first half again") {
          viewers.allSatisfy { $0.state.withLock { $0.background } < 60 }
        }
        try await watch(viewers, "looped")
        try await eventually("the position is that of the first half") {
          try #require(try await players(server).first).position < 60
        }

        #expect(try await change(server, #"{"volume":0}"#) == 200)
        try await Task.sleep(for: .milliseconds(500))
        for viewer in viewers { viewer.begin() }
        try await eventually("flashes without tones") {
          viewers.allSatisfy { $0.state.withLock { $0.flashes.count } >= 2 }
        }
        #expect(viewers.allSatisfy { $0.state.withLock { $0.tones } == [] })
        #expect(try await server.metric("roomserver_ingests_transcoded_total") == 0)
        #expect(try await server.metric("roomserver_players") == 1)

        try await viewers[0].room.players.stop("film")
        try await eventually("the film has left") {
          viewers.allSatisfy { !$0.room.participants.contains { $0.userId == "film" } }
        }
        try await eventually("the end is reported") { viewers[2].state.withLock { !$0.ended.isEmpty } }
        #expect(viewers[2].state.withLock { $0.ended } == [PlayerEndedData(userId: "film", reason: .stopped)])
        #expect(viewers[2].room.players.all.isEmpty)
        try await eventually("no player is left") { try await server.metric("roomserver_players") == 0 }
        try await browser.leave()
        try await browser.close()
        for viewer in viewers { await viewer.room.leave() }
      }
    }

    @Test(
      "other formats and codecs play, and end",
      arguments: [
        ("film.mkv", ["-c:v", "libx264", "-bf", "2", "-g", "25"], ["-c:a", "libopus"]),
        ("film.webm", ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "25"], ["-c:a", "libvorbis"]),
        ("film.m3u8", ["-c:v", "libx264", "-bf", "0", "-g", "25", "-hls_time", "1", "-hls_list_size", "0"], ["-c:a", "aac"]),
        ("film.ts", ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:keyint=25"], ["-c:a", "mp2"]),
        ("film.flv", ["-c:v", "libx264", "-bf", "0", "-g", "25"], ["-c:a", "aac"]),
      ])
    func formats(name: String, video: [String], sound: [String]) async throws {
      try await withPlayers { server, files in
        try await Film.make(files.folder.appending(path: name), seconds: 6, video: video, sound: sound)
        let viewer = try await FilmViewer(server, as: "host", grants: [.subscribe, .publish, .admin])
        try await plays(PlayerParams(userId: "film", url: files.url(name)), for: viewer)
        print("\(name): tone after flash, milliseconds: \(viewer.apart), drift \(viewer.drift)")
        // A picture that is lost makes a flash begin 40 ms later; the times of two clocks are rounded.
        #expect(viewer.drift < 80)
        await viewer.room.leave()
      }
    }

    @Test("an uploaded file plays; an unknown one ends the player with a sentence")
    func uploaded() async throws {
      let files = try await NginxFiles()
      try await Film.make(files.folder.appending(path: "film.mp4"), seconds: 8, video: Film.passing)
      let directory = files.folder.appending(path: "uploads")
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
      try await withServer(adjust: {
        $0.uploads = UploadSettings(directory: directory.path)
      }) { server in
        let upload = try Program(
          "curl",
          [
            "-sS", "-X", "POST", "-T", files.folder.appending(path: "film.mp4").path, server.http("/v1/uploads?name=film.mp4"),
            "-H", "Authorization: Bearer \(try server.apiToken())",
          ])
        try await eventually("the file is uploaded") { !upload.isRunning }
        let id = try #require(upload.text.firstMatch(of: /"id":"([^"]+)"/)?.1)
        let viewer = try await FilmViewer(server, as: "host", grants: [.subscribe, .publish, .admin])
        try await plays(PlayerParams(userId: "film", upload: String(id)), for: viewer)
        try await viewer.room.players.start(PlayerParams(userId: "film", upload: "u-00000000000000000000000000000000"))
        let failed = try await eventually("it fails") { viewer.state.withLock { $0.ended }.dropFirst().first }
        #expect(failed.message?.contains("there is no upload") == true)
        await viewer.room.leave()
      }
    }

    @Test("inner networks are refused: by address, by name, after a redirect, and in a playlist")
    func guarded() async throws {
      try await withPlayers { server, files in
        try await Film.make(files.folder.appending(path: "film.ts"), seconds: 2, video: Film.passing)
        try """
        #EXTM3U
        #EXT-X-TARGETDURATION:2
        #EXTINF:2,
        \(files.url("film.ts", host: "127.0.0.2"))
        #EXT-X-ENDLIST
        """.write(to: files.folder.appending(path: "list.m3u8"), atomically: true, encoding: .utf8)
        try """
        #EXTM3U
        #EXT-X-TARGETDURATION:2
        #EXTINF:2,
        file:///etc/passwd
        #EXT-X-ENDLIST
        """.write(to: files.folder.appending(path: "file.m3u8"), atomically: true, encoding: .utf8)
        let host = try await FilmViewer(server, as: "host", grants: [.subscribe, .admin])
        let inner = "is in a network that players may not reach"
        let cases: [(url: String, words: String)] = [
          (files.url("film.ts", host: "127.0.0.2"), "127.0.0.2 \(inner)"),
          (files.url("film.ts", host: "[::1]"), "::1 \(inner)"),
          (files.url("to/127.0.0.2:\(files.port)/film.ts"), "127.0.0.2 \(inner)"),
          (files.url("to/169.254.169.254/latest"), "169.254.169.254 \(inner)"),
          (files.url("list.m3u8"), "127.0.0.2 \(inner)"),
          ("rtmp://127.0.0.3/live/a", "127.0.0.3 \(inner)"), ("rtsp://127.0.0.3/a", "127.0.0.3 \(inner)"),
          ("srt://127.0.0.3:9000", ""), ("srt://:9000?mode=listener", ""),
          (files.url("file.m3u8"), ""), (files.url("none.mp4"), "404"),
        ]
        for (number, item) in cases.enumerated() {
          try await host.room.players.start(PlayerParams(userId: "film", url: item.url))
          let ended = try await eventually("\(item.url) is refused") {
            let all = host.state.withLock { $0.ended }
            return all.count > number ? all.last : nil
          }
          #expect(
            ended.reason == .failed && (item.words.isEmpty || (ended.message ?? "").contains(item.words)),
            "\(item.url): \(ended)")
          #expect(!(ended.message ?? "").isEmpty)
        }
        for url in ["file:///etc/passwd", "concat:/etc/passwd", "data:,a", "http:film", "udp://127.0.0.1:9", "ftp://a/b"] {
          await #expect(throws: RoomError.self) { try await host.room.players.start(PlayerParams(url: url)) }
        }
        #expect(try await server.metric("roomserver_players") == 0)
        await host.room.leave()
      }
    }

    @Test("a player survives the kill of the server, near the position that it had")
    func survives() async throws {
      let files = try await NginxFiles()
      try await Film.make(files.folder.appending(path: "film.mp4"), seconds: 120, video: Film.passing)
      let data = files.folder.appending(path: "data")
      try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: data.path)
      let arguments = ["--data", data.appending(path: "rooms.db").path, "--player-source", "127.0.0.1/32"]
      var server = try await ServerProcess(arguments)
      #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"demo"}"#).status == 201)
      let body = #"{"userId":"film","url":"\#(files.url("film.mp4"))?key=secret","position":60,"volume":0.5}"#
      let answer = try await server.api("POST", "/v1/rooms/demo/players", json: body)
      #expect(answer.status == 201)
      #expect(!answer.body.contains("secret"))
      server.kill()
      server = try await ServerProcess(arguments)
      let player = try await eventually("the player plays again") {
        let list = try JSONDecoder().decode(
          List.self, from: Data(try await server.api("GET", "/v1/rooms/demo/players").body.utf8))
        return list.players.first { $0.state == .playing }
      }
      #expect(player.userId == "film" && player.volume == 0.5 && player.position >= 59 && player.position < 90, "\(player)")
      server.kill()
    }
  }
}
