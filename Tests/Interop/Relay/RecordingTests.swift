import RoomCodecs
import Foundation
import RoomRelay
import RoomClient
import RoomMedia
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("Recordings of broadcasts")
  struct RecordingTests {
    /// A directory for recordings, removed with the test.
    private final class Folder {
      let path = FileManager.default.temporaryDirectory.appending(path: "recordings-\(UUID().uuidString)").path

      init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

      deinit { try? FileManager.default.removeItem(atPath: path) }

      func file(_ name: String) -> String { "\(path)/\(name)" }
      /// The recordings, without the hidden files of their facts.
      var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
      }
      func size(_ name: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: file(name))[.size] as? Int) ?? 0
      }

      /// Returns ffmpeg's errors from decoding a whole file.
      func decodingErrors(_ name: String) throws -> String {
        String(
          decoding: try run(["sh", "-c", "ffmpeg -nostdin -v error -i '\(file(name))' -f null - 2>&1"]), as: UTF8.self)
      }
    }

    private func start(_ server: TestServer, _ json: String) async throws -> (status: Int, text: String) {
      let answer = try await server.api("POST", "/v1/rooms/demo/jobs", json: json)
      return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    private func jobs(_ server: TestServer) async throws -> String {
      String(decoding: try await server.api("GET", "/v1/rooms/demo/jobs").body, as: UTF8.self)
    }

    @Test("invalid names are rejected with a message, and so is every recording if recording is disabled")
    func names() async throws {
      let folder = try Folder()
      try await withServer(adjust: { $0.relay.recordings = .init(directory: folder.path) }) { server in
        let anchor = try await Participant.join(server, as: "anna")
        for bad in [
          "file:", "file:a", "file:../a.mp4", "file:/tmp/a.mp4", "file:///tmp/a.mp4", "file:a/b.mp4", "file:.a.mp4", "file:..",
          "file:%2e%2e/a.mp4", "file:a.mkv", "file:a b.mp4", "file:a.mp4?x=1", "file:a.mp4?serialnum=x",
          "file:" + String(repeating: "a", count: 200) + ".mp4",
        ] {
          let answer = try await start(server, #"{"jobId":"j","userId":"anna","publishUrl":"\#(bad)"}"#)
          #expect(answer.status == 400 && answer.text.contains("80204") && answer.text.contains("publishUrl"), "\(bad)")
        }
        for bad in ["", "a", "../a.mp4", "a/b.mp4", ".a.mp4", "a.mp4?serialnum=1"] {
          let json = #"{"jobId":"j","userId":"anna","publishUrl":"rtmp://origin/live/a","record":"\#(bad)"}"#
          let answer = try await start(server, json)
          #expect(answer.status == 400 && answer.text.contains("80204") && answer.text.contains("record"), "\(bad)")
        }
        #expect(folder.names == [])
        try FileManager.default.removeItem(atPath: folder.path)
        let gone = try await start(server, #"{"jobId":"j","userId":"anna","publishUrl":"file:a.mp4"}"#)
        #expect(gone.status == 409 && gone.text.contains("No such file"), "\(gone.text)")
        await anchor.leave()
      }
      try await withServer { server in
        let anchor = try await Participant.join(server, as: "anna")
        for more in [#""publishUrl":"file:a.mp4""#, #""publishUrl":"rtmp://origin/live/a","record":"a.mp4""#] {
          let answer = try await start(server, #"{"jobId":"j","userId":"anna",\#(more)}"#)
          #expect(answer.status == 400 && answer.text.contains("80204") && answer.text.contains("--recordings"))
        }
        await anchor.leave()
      }
    }

    @Test("a job whose URL is a file records an anchor, and no file name is used twice")
    func file() async throws {
      let folder = try Folder()
      try await withServer(adjust: { $0.relay.recordings = .init(directory: folder.path) }) { server in
        let anchor = try await Participant.join(server, as: "anna", grants: [.publish, .subscribe, .relay])
        try await anchor.publish(video: .h264, tone: 440)
        let job = JobLog(anchor.room)
        for name in ["show.mp4", "show.flv"] {
          try await anchor.room.jobs.start(ForwardParams(jobId: JobID(name), publishUrl: "file:\(name)"))
        }
        try await eventually("both grow") { folder.size("show.mp4") > 100_000 && folder.size("show.flv") > 100_000 }
        #expect(try await server.metric("roomserver_recordings") == 2)
        #expect(job.reported.infos.contains { $0.target == "file:show.mp4" && $0.state == .connected })
        let taken = try await start(server, #"{"jobId":"x","userId":"anna","publishUrl":"file:show.mp4"}"#)
        #expect(taken.status == 409 && taken.text.contains("serialnum"), "\(taken.text)")
        for name in ["show.mp4", "show.flv"] { try await anchor.room.jobs.stop(JobID(name)) }
        try await eventually("both are complete") { try await server.metric("roomserver_recordings") == 0 }
        for name in ["show.mp4", "show.flv"] {
          #expect(try folder.decodingErrors(name) == "")
          let recording = try Recording(folder.file(name))
          #expect(recording.video?.codec_name == "h264" && recording.video?.width == 320)
          #expect(recording.audio?.codec_name == "aac")
          #expect(recording.times("video").count > 30)
          #expect(recording.steps("video").allSatisfy { $0 > 0 }, "\(name)")
          #expect(recording.steps("audio").allSatisfy { $0 > 0.020 && $0 < 0.026 }, "\(name)")
        }
        let again = try await start(server, #"{"jobId":"x","userId":"anna","publishUrl":"file:show.mp4"}"#)
        #expect(again.status == 409 && again.text.contains("show.mp4"), "\(again.text)")
        #expect(try await server.metric("roomserver_recordings_total") == 2)
        #expect(
          try await server.metric("roomserver_recording_bytes_total") == folder.size("show.mp4") + folder.size("show.flv"))
        #expect(folder.names == ["show.flv", "show.mp4"])
        await anchor.leave()
      }
    }

    @Test("a broadcast is recorded in addition to its output, across a takeover by an anchor of another size")
    func beside() async throws {
      let folder = try Folder()
      try await withServer(adjust: {
        $0.relay.recordings = .init(directory: folder.path)
        $0.relay.statusInterval = .milliseconds(250)
      }) { server in
        let anna = try await Participant.join(server, as: "anna", grants: [.publish, .subscribe, .relay])
        try await anna.publish(video: .h264, tone: 440)
        let jobs = JobLog(anna.room)
        let bert = try await Participant.join(server, as: "bert")
        let settings = VideoEncoderSettings(width: 180, height: 320, fps: 15, bitrate: 250_000, keyFrameInterval: 30)
        let portrait = try VideoSource.testPattern(
          VideoConfiguration(codec: .h264, speed: .ultrafast, settings), index: 2)
        let tone = try AudioSource.tone(frequency: 660)
        try await bert.room.publish([portrait.track, tone.track])

        func job(_ id: String, _ user: UserID, _ more: String) -> String {
          #"{"jobId":"\#(id)","userId":"\#(user)","publishUrl":"rtmp://origin/live/show?serialnum=\#(id)"\#(more)}"#
        }
        #expect(try await start(server, job("1", "anna", "")).status == 201)
        try await eventually("anna is live") { jobs.reported.statuses.contains { $0.jobId == "1" && $0.fps > 5 } }
        // The broadcast exists already: the recording starts with its second job.
        let second = try await start(server, job("2", "anna", #","record":"show.mp4""#))
        #expect(second.status == 201 && second.text.contains(#""record":"show.mp4""#), "\(second.text)")
        try await eventually("it grows") { folder.size("show.mp4") > 50_000 }
        let other = try await start(server, job("3", "bert", #","record":"other.mp4""#))
        #expect(other.status == 409 && other.text.contains("show.mp4"), "\(other.text)")
        let third = try await start(server, job("4", "bert", #","record":"show.mp4""#))
        #expect(third.status == 201 && third.text.contains(#""record":"show.mp4""#), "\(third.text)")
        try await eventually("bert is live") { jobs.reported.infos.contains { $0.jobId == "4" && $0.onAir == true } }
        let then = folder.size("show.mp4")
        try await eventually("it continues to grow") { folder.size("show.mp4") > then + 100_000 }
        #expect(try await server.metric("roomserver_recordings") == 1)
        #expect(try await server.api("DELETE", "/v1/rooms/demo/jobs/4").status == 204)
        try await eventually("it is complete") { try await server.metric("roomserver_recordings") == 0 }
        #expect(folder.names == ["show.mp4"])
        // ffmpeg's own muxer would report the two pictures next to the cut, which are closer to each other than the others.
        let frames = try run([
          "sh", "-c", "ffprobe -v error -show_entries frame=width -of csv=p=0 '\(folder.file("show.mp4"))' 2>&1",
        ])
        let lines = String(decoding: frames, as: UTF8.self).split(separator: "\n")
        #expect(lines.allSatisfy { $0.allSatisfy { $0.isNumber || $0 == "," } }, "\(lines.filter { $0.contains(" ") })")
        let widths = lines.compactMap { Int($0.prefix { $0.isNumber }) }
        #expect(widths.count { $0 == 320 } > 15 && widths.count { $0 == 180 } > 15)
        #expect(widths == widths.sorted(by: >), "the second follows the first, and none is decoded in the other's size")
        let sound = try Recording(folder.file("show.mp4")).steps("audio")
        #expect(sound.allSatisfy { $0 > 0.020 && $0 < 0.026 }, "\(sound)")
        await anna.leave()
        await bert.leave()
      }
    }

    @Test("a file at its limit ends a recording-only job with the reason; a broadcast with another output continues")
    func limit() async throws {
      let folder = try Folder()
      try await withServer(adjust: {
        $0.relay.recordings = .init(directory: folder.path, limit: 120 << 10)
        $0.relay.statusInterval = .milliseconds(250)
      }) { server in
        let anna = try await Participant.join(server, as: "anna", grants: [.publish, .subscribe, .relay])
        try await anna.publish(video: .h264, tone: 440)
        let log = JobLog(anna.room)
        try await anna.room.jobs.start(ForwardParams(jobId: "file", publishUrl: "file:only.mp4"))
        try await anna.room.jobs.start(
          ForwardParams(jobId: "live", publishUrl: "rtmp://origin/live/demo", record: "beside.flv"))
        try await eventually("the recording-only job has ended") { log.reported.ends == [.failed] }
        try await eventually("both recordings are over") { try await server.metric("roomserver_recordings") == 0 }
        #expect(try await server.metric(#"roomserver_recording_failures_total{cause="limit"}"#) == 2)
        let before = log.reported.statuses.count
        try await eventually("the other job continues") {
          log.reported.statuses.dropFirst(before).contains { $0.jobId == "live" && $0.fps > 5 }
        }
        for name in ["only.mp4", "beside.flv"] {
          #expect(folder.size(name) <= 120 << 10)
          #expect(try folder.decodingErrors(name) == "")
          #expect(try Recording(folder.file(name)).times("video").count > 15)
        }
        // A finished file is no longer a recording, so another one can start.
        let json = #"{"jobId":"2","userId":"anna","publishUrl":"rtmp://origin/live/demo?serialnum=2","record":"more.flv"}"#
        #expect(try await start(server, json).status == 201)
        await anna.leave()
      }
    }

    @Test("a killed server leaves files that play up to their last fragment")
    func killed() async throws {
      let folder = try Folder()
      let server = try await ServerProcess(["--recordings", folder.path])
      let room = try await Room.connect(to: server.url, token: try server.token(user: "anna"))
      let settings = VideoEncoderSettings(width: 320, height: 180, fps: 15, bitrate: 250_000, keyFrameInterval: 45)
      let video = try VideoSource.testPattern(VideoConfiguration(codec: .h264, speed: .ultrafast, settings), index: 1)
      let tone = try AudioSource.tone(frequency: 440)
      try await room.publish([video.track, tone.track])
      for name in ["a.mp4", "a.flv"] {
        let json = #"{"jobId":"\#(name)","userId":"anna","publishUrl":"file:\#(name)"}"#
        let answer = try await server.api("POST", "/v1/rooms/demo/jobs", json: json)
        #expect(answer.status == 201, "\(answer.body)")
      }
      let clock = ContinuousClock()
      try await eventually("both have begun") { folder.size("a.mp4") > 0 && folder.size("a.flv") > 0 }
      let begun = clock.now
      try await eventually("some of it is recorded") { folder.size("a.mp4") > 250_000 && clock.now - begun > .seconds(6) }
      server.kill()
      let length = (clock.now - begun) / .seconds(1)
      for name in ["a.mp4", "a.flv"] {
        let recording = try Recording(folder.file(name))
        for kind in ["video", "audio"] {
          let times = recording.times(kind)
          let played = (times.last ?? 0) - (times.first ?? 0)
          #expect(played > length - 3, "\(name): \(played) s of \(kind), \(length) s were recorded")
          // It had started a moment before it was detected.
          #expect(played < length + 3, "\(name): \(played) s of \(kind), \(length) s were recorded")
        }
        #expect(recording.steps("audio").allSatisfy { $0 > 0.020 && $0 < 0.026 }, "\(name)")
        let decodingErrors = try folder.decodingErrors(name)
        #expect(decodingErrors == "", "\(name), \(video.statistics.dropped) pictures dropped")
      }
      await room.leave()
    }
  }
}
