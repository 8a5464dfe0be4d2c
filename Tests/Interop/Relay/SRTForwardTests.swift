import Foundation
import RoomPeers
import RoomProtocol
import RoomPush
import RoomRelay
import RoomServer
import RoomTestSupport
import Testing

/// Tests jobs that push by SRT to third-party receivers.
extension RealMedia {
  @Suite("Jobs by SRT")
  struct SRTForwardTests {
    private static let red = FlashAndBeep.Look(blue: 100, red: 200, tone: 1000)
    private static let blue = FlashAndBeep.Look(width: 192, height: 256, blue: 200, red: 100, tone: 600)

    private func settings(_ configuration: inout ServerConfiguration) throws {
      try configuration.pushLocally()
      configuration.relay.mixCores = 8
    }

    @Test(
      "forward, a PK and back on one URL: one connection to ffmpeg, no gap in pictures and sound", .timeLimit(.minutes(3)))
    func takeovers() async throws {
      try await withServer(adjust: settings) { server in
        let sink = try RTMPSink(overSRT: true)
        let (redSource, blueSource) = (try FlashAndBeep(look: Self.red), try FlashAndBeep(look: Self.blue))
        let red = try await Participant.anchor(server, as: "red", with: redSource)
        let blue = try await Participant.anchor(server, as: "blue", with: blueSource)
        let log = JobLog(red.room)
        func url(_ serial: Int) -> String { "\(sink.url)?streamid=live/studio&latency=200&serialnum=\(serial)" }
        let halves = [
          TrackLayout(userId: "red", x: 0, y: 160, width: 180, height: 320),
          TrackLayout(userId: "blue", x: 180, y: 160, width: 180, height: 320),
        ]
        try await red.room.jobs.start(ForwardParams(jobId: "alone", publishUrl: url(1)))
        try await eventually("the anchor is shown", within: .seconds(60)) { try sink.shows("red", for: 1) }
        try await red.room.jobs.start(
          MergeParams(
            jobId: "pk", publishUrl: url(2), width: 360, height: 640, fps: 15, videoKbps: 500, preset: .ultrafast,
            layouts: halves))
        try await eventually("the PK is shown", within: .seconds(60)) { try sink.shows("red|blue", for: 1) }
        try await red.room.jobs.start(ForwardParams(jobId: "after", publishUrl: url(3)))
        try await eventually("the anchor is shown again", within: .seconds(60)) { try sink.shows("red", for: 1) }
        await #expect(throws: RoomError.self) {
          try await red.room.jobs.start(ForwardParams(jobId: "late", publishUrl: url(3)))
        }
        try await red.room.jobs.stop("after")
        let recording = try await sink.received()
        try await eventually("the jobs are over") { log.reported.ends == [.takenOver, .takenOver, .stopped] }
        #expect(log.reported.statuses.allSatisfy { $0.connections <= 1 })
        let statuses = log.reported.statuses.filter { $0.state == .connected }
        #expect(statuses.contains { $0.fps >= 10 && $0.kbps > 100 } && statuses.allSatisfy { $0.queue < 2000 })
        #expect(log.reported.infos.allSatisfy { $0.target?.hasSuffix("?streamid=live/studio") == true })

        #expect(recording.video?.codec_name == "h264" && recording.audio?.codec_name == "aac")
        let steps = recording.steps("video")
        #expect(steps.allSatisfy { $0 > 0 && $0 < 0.4 }, "\(steps.filter { $0 <= 0 || $0 >= 0.4 })")
        #expect(steps.count { $0 > 0.101 } <= redSource.droppedPictures + 4, "\(steps.filter { $0 > 0.101 })")
        let sounds = recording.steps("audio")
        #expect(sounds.allSatisfy { $0 > 0.0215 && $0 < 0.0255 }, "\(sounds.filter { $0 <= 0.0215 || $0 >= 0.0255 })")
        let looks = try Sides(sink.file).runs.filter { !$0.contains("none") }
        #expect(looks == ["red", "red|blue", "red"], "\(looks)")
        for anchor in [red, blue] { await anchor.leave() }
      }
    }

    @Test(
      "a receiver that is killed and returns: the job reconnects, its timestamps continue", .timeLimit(.minutes(3)))
    func reconnects() async throws {
      try await withServer(adjust: settings) { server in
        let port = try UDPPort.free()
        let source = try FlashAndBeep()
        let anchor = try await Participant.anchor(server, with: source)
        let log = JobLog(anchor.room)
        try await anchor.room.jobs.start(ForwardParams(jobId: "live", publishUrl: "srt://127.0.0.1:\(port)"))
        let begin = ContinuousClock.now
        do {
          let sink = try RTMPSink(port: port, overSRT: true)
          try await eventually("pictures are sent", within: .seconds(60)) { (log.reported.statuses.last?.fps ?? 0) > 0 }
          // The process is killed with its last reference.
          _ = sink.port
        }
        let loss = ContinuousClock.now
        try await eventually("the loss is reported", within: .seconds(60)) { log.states.last == "autoReconnecting" }
        #expect(log.reported.infos.last?.failure?.cause == .broken)
        let gone = (ContinuousClock.now - loss) / .seconds(1)
        let sink = try RTMPSink(port: port, overSRT: true)
        try await sink.receives(pictures: 15, audio: 40)
        let length = (ContinuousClock.now - begin) / .seconds(1)
        try await eventually("the second connection is counted") { log.reported.statuses.last?.connections == 2 }
        #expect(log.states.last == "connected" && log.reported.ends.isEmpty)
        try await anchor.room.jobs.stop("live")
        let recording = try await sink.received()
        let first = try #require(recording.packets.first { $0.codec_type == "video" })
        #expect(first.flags?.hasPrefix("K") == true)
        #expect(first.dts > gone && first.dts < length + 3, "\(first.dts) s, after \(gone) of \(length) s")
        await anchor.leave()
        // The source ends with its last reference.
        _ = source.droppedPictures
      }
    }

    @Test(
      "a wrong passphrase ends the job with a failure that says so, the right one is accepted",
      .enabled(if: Program.path("srt-live-transmit") != nil), .timeLimit(.minutes(2)))
    func passphrase() async throws {
      try await withServer(adjust: { configuration in
        try settings(&configuration)
        configuration.relay.broadcasts.push.retries = PushRetries(attempts: 0)
      }) { server in
        let port = try UDPPort.free()
        let file = FileManager.default.temporaryDirectory.appending(path: "srt-\(UUID().uuidString).ts")
        defer { try? FileManager.default.removeItem(at: file) }
        let listener = "srt://127.0.0.1:\(port)?mode=listener&passphrase=the-right-one"
        let receiver = try Program("sh", ["-c", "exec srt-live-transmit -q '\(listener)' file://con >'\(file.path)'"])
        let anchor = try await Participant.join(server, as: "anchor", grants: [.publish, .subscribe, .relay])
        try await anchor.publish(video: .h264, tone: 440)
        let log = JobLog(anchor.room)
        func start(_ job: JobID, _ passphrase: String) async throws {
          let url = "srt://127.0.0.1:\(port)?streamid=live/a&passphrase=\(passphrase)"
          try await anchor.room.jobs.start(ForwardParams(jobId: job, publishUrl: url))
        }
        try await start("wrong", "another-secret")
        try await eventually("the job ends") { log.reported.ends == [.failed] }
        let failure = try #require(log.reported.infos.last?.failure)
        #expect(failure.cause == .rejected && failure.message.contains("wrong passphrase"), "\(failure)")
        try await start("right", "the-right-one")
        try await eventually("the job is on air") {
          log.reported.statuses.contains { $0.jobId == "right" && $0.state == .connected && $0.fps > 0 }
        }
        try await eventually("the receiver decrypts the stream") { try Data(contentsOf: file).count > 50_000 }
        // A transport stream begins with the sync byte.
        #expect(try Data(contentsOf: file).first == 0x47)
        receiver.stop()
        await anchor.leave()
      }
    }

    @Test(
      "a target that is not allowed is refused with the same cause, by RTMP and by SRT",
      arguments: ["rtmp://localhost:9/live/x", "srt://localhost:9?streamid=live/x"])
    func forbidden(url: String) async throws {
      try await withServer { server in
        let anchor = try await Participant.join(server, as: "anchor", grants: [.publish, .subscribe, .relay])
        try await anchor.publish(video: nil, tone: 440)
        let log = JobLog(anchor.room)
        try await anchor.room.jobs.start(ForwardParams(jobId: "live", publishUrl: url))
        try await eventually("the job ends") { log.reported.ends == [.failed] }
        #expect(log.reported.infos.last?.failure?.cause == .forbidden)
        await anchor.leave()
      }
    }
  }
}
