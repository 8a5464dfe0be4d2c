import Foundation
import RoomChromium
import RoomClient
import RoomLinkModel
import RoomLossyLink
import RoomMedia
import RoomPeers
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

extension RealMedia {
  /// Jobs that record each track into a file of its own, as it was published.
  @Suite("Recordings of single tracks")
  struct TrackRecordingTests {
    private struct Listed: Decodable {
      struct Track: Decodable {
        var userId: String
        var tag: String?
        var kind: String
        var codec: String
        var startedAt: Int64
      }
      var name: String
      var room: String?
      var job: String?
      var state: String
      var bytes: Int
      var track: Track?
    }
    private struct Answer: Decodable { var recordings: [Listed] }

    private func listed(_ server: TestServer) async throws -> [Listed] {
      try JSONDecoder().decode(Answer.self, from: try await server.api("GET", "/v1/recordings?room=demo").body).recordings
    }

    private func start(_ server: TestServer, _ more: String = "") async throws -> (status: Int, text: String) {
      let answer = try await server.api("POST", "/v1/rooms/demo/jobs", json: #"{"jobId":"stems","tracks":"separate"\#(more)}"#)
      return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    private func stop(_ server: TestServer, files: Int) async throws -> [Listed] {
      #expect(try await server.api("DELETE", "/v1/rooms/demo/jobs/stems").status == 204)
      try await eventually("all files are complete") {
        let all = try await listed(server)
        return all.count == files && all.allSatisfy { $0.state == "ready" }
      }
      return try await listed(server)
    }

    /// Returns what ffmpeg reports while it decodes a file. By default, ffmpeg 5.1 numbers pictures by a guessed frame rate, and
    /// reports pictures of a browser that follow each other sooner; their own times are exact.
    private func decodingErrors(_ path: String) throws -> String {
      let command = "ffmpeg -nostdin -v error -i '\(path)' -enc_time_base -1 -f null - 2>&1"
      return String(decoding: try run(["sh", "-c", command]), as: UTF8.self)
    }

    /// Plays a file in Chromium until its time advances.
    private func plays(_ path: String, from server: TestServer) async throws {
      let file = try Data(contentsOf: URL(filePath: path)).base64EncodedString()
      let page = try await BrowserPage.open(in: .shared())
      try await page.go(to: server.http("/healthz"))
      try await page.wait(until: "document.readyState === 'complete' && location.pathname === '/healthz'")
      let _: Bool = try await page.evaluate(
        """
        (() => {
          window.video = document.createElement('video')
          Object.assign(video, { muted: true, autoplay: true, src: 'data:video/mp4;base64,\(file)' })
          document.body.append(video)
          return true
        })()
        """)
      try await page.wait(until: "video.currentTime > 1 && video.videoWidth > 0 && !video.error")
      try await page.close()
    }

    private func directory() throws -> String {
      let path = FileManager.default.temporaryDirectory.appending(path: "tracks-\(UUID().uuidString)").path
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      return path
    }

    @Test("VP8, H.264 and Opus are kept as they were published, and their times align; nothing is decoded or encoded")
    func native() async throws {
      let path = try directory()
      defer { try? FileManager.default.removeItem(atPath: path) }
      try await withServer(adjust: { $0.relay.recordings = .init(directory: path) }) { server in
        let anna = try await Participant.join(server, as: "anna")
        let annas = try FlashAndBeep(codec: .vp8)
        try await anna.room.publish(annas.tracks)
        let started = try await start(server)
        #expect(started.status == 201 && started.text.contains(#""tracks":"separate""#), "\(started.text)")
        // A user who joins later is recorded as well.
        let bert = try await Participant.join(server, as: "bert")
        let berts = try FlashAndBeep(codec: .h264)
        try await bert.room.publish(berts.tracks)
        try await eventually("four files grow", within: .seconds(60)) {
          let all = try await listed(server)
          return all.count == 4 && all.allSatisfy { $0.state == "writing" && $0.bytes > 0 }
        }
        // Eight seconds of media, measured by the shortest file.
        try await eventually("eight seconds are recorded", within: .seconds(60)) {
          try await listed(server).allSatisfy { file in
            let kind = file.track?.kind ?? ""
            return (try Recording("\(path)/\(file.name)").times(kind).last ?? 0) > 8
          }
        }
        let stopped = Int64(Date().timeIntervalSince1970 * 1000)
        let files = try await stop(server, files: 4)
        for file in files {
          let track = try #require(file.track)
          #expect(file.job == "stems" && file.room == "demo")
          #expect(file.name.hasPrefix("demo.\(track.userId)."))
          let recording = try Recording("\(path)/\(file.name)")
          let expected = track.kind == "audio" ? "opus" : track.userId == "anna" ? "vp8" : "h264"
          #expect(track.codec == expected && (recording.video ?? recording.audio)?.codec_name == expected)
          #expect(try decodingErrors("\(path)/\(file.name)") == "", "\(file.name)")
          #expect(recording.steps(track.kind).allSatisfy { $0 > 0 })
          let live = Double(stopped - track.startedAt) / 1000
          #expect(abs((recording.times(track.kind).last ?? 0) - live) < live / 10, "\(file.name): \(live) s")
        }
        for user in ["anna", "bert"] {
          let own = files.filter { $0.track?.userId == user }
          let (video, audio) = (
            try #require(own.first { $0.track?.kind == "video" }), try #require(own.first { $0.track?.kind == "audio" })
          )
          // An editor places both files by their facts.
          let delay = Double((audio.track?.startedAt ?? 0) - (video.track?.startedAt ?? 0)) / 1000
          let together = "\(path)/\(user).mkv"
          _ = try run([
            "ffmpeg", "-nostdin", "-v", "error", "-i", "\(path)/\(video.name)", "-itsoffset", "\(delay)", "-i",
            "\(path)/\(audio.name)", "-c", "copy", "-avoid_negative_ts", "disabled", together,
          ])
          let offsets = try FlashesAndBeeps(together).offsets.sorted()
          #expect(offsets.count >= 4, "\(user): \(offsets)")
          #expect(offsets.allSatisfy { abs($0) <= 0.040 }, "\(user): \(offsets)")
        }
        for metric in ["mix_decoded_total", "mix_frames_total"] {
          #expect(try await server.metric("roomserver_\(metric)") == 0)
        }
        await anna.leave()
        await bert.leave()
      }
    }

    @Test("a user's VP9 is kept, with the largest layer of a simulcast; each publication has a file, a filter selects tracks")
    func browser() async throws {
      let path = try directory()
      defer { try? FileManager.default.removeItem(atPath: path) }
      try await withServer(adjust: { $0.relay.recordings = .init(directory: path) }) { server in
        let other = try await Participant.join(server, as: "bert")
        try await other.publish(video: .h264, tone: 440)
        let publisher = try await BrowserClient.open()
        try await publisher.join(url: server.url, token: try await server.token(user: "anna"))
        #expect(try await start(server, #","userId":"anna","kinds":["video"]"#).status == 201)
        _ = try await publisher.publish(video: BrowserClient.Video(codec: "VP9"))
        func written(_ count: Int) async throws -> Bool {
          let all = try await listed(server)
          return all.count == count && all.contains { $0.state == "writing" && $0.bytes > 20_000 }
        }
        try await eventually("VP9 is recorded", within: .seconds(60)) { try await written(1) }
        try await publisher.close()
        try await eventually("its file is complete", within: .seconds(60)) {
          try await listed(server).first?.state == "ready"
        }
        let again = try await BrowserClient.open()
        try await again.join(url: server.url, token: try await server.token(user: "anna"))
        _ = try await again.publish(video: BrowserClient.Video(codec: "VP8", simulcast: true, width: 960, height: 540))
        try await eventually("the simulcast is recorded", within: .seconds(60)) { try await written(2) }
        // The browser adds its largest layer as its estimate grows.
        try await eventually("its largest layer is recorded", within: .seconds(90)) {
          let name = try await listed(server).first { $0.state == "writing" }?.name ?? ""
          let sizes = try run([
            "sh", "-c",
            "ffmpeg -nostdin -v info -i '\(path)/\(name)' -vf showinfo -f null - 2>&1 | grep -o 's:960x540' | head -n 1",
          ])
          return String(decoding: sizes, as: UTF8.self).contains("960x540")
        }
        let files = try await stop(server, files: 2)
        try await plays("\(path)/\(try #require(files.first { $0.track?.codec == "vp9" }).name)", from: server)
        #expect(Set(files.compactMap(\.track?.codec)) == ["vp9", "vp8"])
        #expect(files.allSatisfy { $0.track?.userId == "anna" && $0.track?.kind == "video" })
        for file in files {
          #expect(try decodingErrors("\(path)/\(file.name)") == "", "\(file.name)")
          #expect(try Recording("\(path)/\(file.name)").video?.codec_name == file.track?.codec)
        }
        try await again.close()
        await other.leave()
      }
    }

    @Test("with 5 % loss in each direction the files decode without errors", .timeLimit(.minutes(3)))
    func loss() async throws {
      let path = try directory()
      defer { try? FileManager.default.removeItem(atPath: path) }
      try await withServer(adjust: { $0.relay.recordings = .init(directory: path) }) { server in
        let link = BadNetwork(LinkConditions(loss: 0.05, delay: 20_000, jitter: 5_000), seed: 5)
        let anna = try await Participant.join(server, as: "anna", through: link)
        try await anna.publish(video: .vp8, tone: 440)
        let bert = try await Participant.join(server, as: "bert", through: link)
        try await bert.publish(video: .h264, tone: 660)
        #expect(try await start(server).status == 201)
        try await eventually("eight seconds are recorded, with losses", within: .seconds(60)) {
          let all = try await listed(server)
          guard all.count == 4, all.allSatisfy({ $0.bytes > 0 }), link.lost.toServer > 20 else { return false }
          return try all.allSatisfy { file in
            let kind = file.track?.kind ?? ""
            return (try Recording("\(path)/\(file.name)").times(kind).last ?? 0) > 8
          }
        }
        for file in try await stop(server, files: 4) {
          #expect(try decodingErrors("\(path)/\(file.name)") == "", "\(file.name)")
        }
        await anna.leave()
        await bert.leave()
      }
    }

    @Test("a killed server leaves files that decode; they are listed after the restart, and the job continues in new ones")
    func killed() async throws {
      let (path, data) = (try directory(), try directory())
      defer { for each in [path, data] { try? FileManager.default.removeItem(atPath: each) } }
      func all(_ server: ServerProcess) async throws -> [Listed] {
        let answer = try await server.api("GET", "/v1/recordings?room=demo")
        return try JSONDecoder().decode(Answer.self, from: Data(answer.body.utf8)).recordings
      }
      let port = try TCPPort.free()
      let arguments = ["--data", data, "--recordings", path]
      let first = try await ServerProcess(arguments, port: port)
      let options = RoomOptions(reconnect: ReconnectPolicy(tries: 100, waits: [.milliseconds(200) ... .milliseconds(400)]))
      let room = try await Room.connect(to: first.url, token: try first.token(user: "anna"), options: options)
      let sources = try FlashAndBeep(codec: .vp8)
      try await room.publish(sources.tracks)
      #expect(
        try await first.api("POST", "/v1/rooms/demo/jobs", json: #"{"jobId":"stems","tracks":"separate"}"#).status == 201)
      try await eventually("both files grow", within: .seconds(60)) {
        let files = try await all(first)
        return files.count == 2 && files.allSatisfy { $0.bytes > 10_000 }
      }
      let before = try await all(first)
      first.kill()
      for file in before { #expect(try decodingErrors("\(path)/\(file.name)") == "", "\(file.name)") }
      let second = try await ServerProcess(arguments, port: port)
      try await eventually("the old files are listed with their tracks, and new ones grow", within: .seconds(60)) {
        let files = try await all(second)
        let old = files.filter { file in before.contains { $0.name == file.name } }
        return old.count == 2 && old.allSatisfy { $0.state != "writing" && $0.track?.userId == "anna" }
          && files.filter { $0.state == "writing" && $0.bytes > 0 }.count == 2
      }
      await room.leave()
      withExtendedLifetime(sources) {}
    }

    @Test("parameters of other jobs, and a server without recordings, are refused with the reason")
    func refused() async throws {
      let path = try directory()
      defer { try? FileManager.default.removeItem(atPath: path) }
      try await withServer(adjust: { $0.relay.recordings = .init(directory: path) }) { server in
        let anna = try await Participant.join(server, as: "anna")
        for (more, word) in [
          (#","publishUrl":"file:a.mp4""#, "publishUrl"), (#","record":"a.mp4""#, "record"), (#","follow":"stage""#, "follow"),
          (#","videoTrackId":"TR_1""#, "videoTrackId"), (#","kinds":[]"#, "kinds"),
        ] {
          let answer = try await start(server, more)
          #expect(answer.status == 400 && answer.text.contains("80204") && answer.text.contains(word), "\(answer.text)")
        }
        let together = try await server.api("POST", "/v1/rooms/demo/jobs", json: #"{"jobId":"stems","tracks":"together"}"#)
        #expect(together.status == 400)
        // By signalling only with the grant.
        await #expect(throws: RoomError.self) {
          try await anna.room.jobs.start(ForwardParams(jobId: "mine", tracks: .separate))
        }
        await anna.leave()
      }
      try await withServer { server in
        let anna = try await Participant.join(server, as: "anna", grants: [.publish, .relay])
        let answer = try await start(server)
        #expect(answer.status == 400 && answer.text.contains("--recordings"), "\(answer.text)")
        await anna.leave()
      }
    }
  }
}
