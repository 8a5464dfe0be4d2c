import Foundation
import RoomPeers
import RoomRelay
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

/// Tests forward jobs to third-party servers, over a longer time.
extension RealMedia {
  @Suite("Forward: a minute, a crash, a slow uplink")
  struct ForwardPeersTests {
    @Test(
      "a minute through nginx-rtmp and to ffmpeg: H.264 and AAC in sync, without gaps", .enabled(if: NginxRTMP.isInstalled),
      .timeLimit(.minutes(4)))
    func minute() async throws {
      try await withServer(adjust: { try $0.pushLocally() }) { server in
        let nginx = try await NginxRTMP()
        let sink = try RTMPSink()
        let source = try FlashAndBeep()
        let anchor = try await Participant.anchor(server, with: source)
        try await anchor.room.jobs.start(ForwardParams(jobId: "nginx", publishUrl: nginx.url("live")))
        try await anchor.room.jobs.start(ForwardParams(jobId: "ffmpeg", publishUrl: sink.url))
        let jobs = JobLog(anchor.room)
        try await eventually("both are sent") {
          Set(jobs.reported.statuses.filter { $0.state == .connected && $0.fps > 0 }.map(\.jobId)).count == 2
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "nginx-\(UUID().uuidString).flv").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let seconds = TestLength.pick(20, long: 60)
        let player = try Program(
          "ffmpeg", ["-nostdin", "-loglevel", "error", "-y", "-i", nginx.url("live"), "-c", "copy", "-t", "\(seconds)", file])
        #expect(try await player.finish(within: .seconds(seconds + 60)) == 0, "\(player.text)")
        for job: JobID in ["nginx", "ffmpeg"] { try await anchor.room.jobs.stop(job) }
        let direct = try await sink.received()
        #expect(jobs.reported.ends.allSatisfy { $0 == .stopped })
        let lost = source.droppedPictures
        for (name, recording, path) in [("nginx", try Recording(file), file), ("ffmpeg", direct, sink.file)] {
          #expect(recording.video?.codec_name == "h264" && recording.audio?.codec_name == "aac", "\(name)")
          #expect(recording.video?.width == 320 && recording.video?.height == 180, "\(name)")
          let times = recording.times("video")
          let length = (times.last ?? 0) - (times.first ?? 0)
          #expect(length > Double(seconds - 5), "\(name)")
          #expect(
            abs(Double(times.count) / length - 15) < 0.5 + Double(lost) / length, "\(name): \(times.count) in \(length) s")
          let steps = recording.steps("video")
          #expect(steps.allSatisfy { $0 > 0 }, "\(name)")
          #expect(steps.count { $0 > 0.1 } <= lost, "\(name): \(steps.filter { $0 > 0.1 }), \(lost) never left")
          #expect(recording.steps("audio").allSatisfy { $0 > 0.020 && $0 < 0.026 }, "\(name)")
          let offsets = try FlashesAndBeeps(path).offsets
          #expect(offsets.count > seconds - 10, "\(name)")
          #expect(offsets.allSatisfy { abs($0) <= 0.040 }, "\(name): \(offsets)")
        }
        await anchor.leave()
      }
    }

    @Test(
      "time from the call to the first bytes at a player that waits behind nginx-rtmp",
      .enabled(if: NginxRTMP.isInstalled && Program.path("rtmpdump") != nil))
    func start() async throws {
      try await withServer(adjust: { try $0.pushLocally() }) { server in
        let nginx = try await NginxRTMP()
        let source = try FlashAndBeep()
        let anchor = try await Participant.anchor(server, with: source)
        let file = FileManager.default.temporaryDirectory.appending(path: "dump-\(UUID().uuidString).flv").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        let player = try Program("rtmpdump", ["-r", nginx.url("live"), "--live", "-o", file])
        try await eventually("the player waits") { nginx.log.contains("play: name='live'") }
        let call = ContinuousClock.now
        try await anchor.room.jobs.start(ForwardParams(jobId: "live", publishUrl: nginx.url("live")))
        func size() -> Int { (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0 }
        try await eventually("the player receives bytes") { size() > 0 }
        let taken = ContinuousClock.now - call
        print("first bytes at the player after \(taken)")
        // The encoder sends the key frame with its next picture, at most 67 ms later; the rest is noise of the machine.
        #expect(taken < .seconds(2), "\(taken)")
        player.stop()
        try await anchor.room.jobs.stop("live")
        await anchor.leave()
      }
    }

    @Test(
      "nginx-rtmp is down for 5 s: the broadcast reconnects, its timestamps continue, the job does not end",
      .enabled(if: NginxRTMP.isInstalled), .timeLimit(.minutes(3)))
    func crash() async throws {
      try await withServer(adjust: { try $0.pushLocally() }) { server in
        let nginx = try await NginxRTMP()
        let source = try FlashAndBeep()
        let anchor = try await Participant.anchor(server, with: source)
        let jobs = JobLog(anchor.room)
        try await anchor.room.jobs.start(ForwardParams(jobId: "live", publishUrl: nginx.url("live")))
        try await eventually("it is sent") { jobs.reported.statuses.contains { $0.fps > 0 } }
        let before = try await play(nginx.url("live"), seconds: 3)
        let crash = ContinuousClock.now
        nginx.kill()
        try await eventually("the loss is reported") { jobs.states.last == "autoReconnecting" }
        #expect([JobFailureCause.broken, .refused].contains(jobs.reported.infos.last?.failure?.cause))
        try await Task.sleep(until: crash + .seconds(5))
        try await nginx.start()
        try await eventually("it is back") {
          jobs.states.last == "connected" && (jobs.reported.statuses.last?.fps ?? 0) > 0
        }
        let after = try await play(nginx.url("live"), seconds: 3)
        let gone = (ContinuousClock.now - crash) / .seconds(1)
        for kind in ["video", "audio"] {
          let last = try #require(before.times(kind).last)
          let first = try #require(after.times(kind).first)
          #expect(first > last + 4 && first < last + gone + 3, "\(kind): \(last), then \(first) after \(gone) s")
        }
        #expect(
          jobs.states == ["unknown", "connecting", "connected", "autoReconnecting", "connected"]
            || jobs.states == ["connecting", "connected", "autoReconnecting", "connected"], "\(jobs.states)")
        #expect(jobs.reported.ends.isEmpty)
        #expect(jobs.reported.statuses.last?.connections == 2)
        await anchor.leave()
      }
    }

    private func play(_ url: String, seconds: Int) async throws -> Recording {
      // Keeps the original timestamps instead of starting at zero.
      try await Task.detached { try Recording(url, ["-read_intervals", "%+\(seconds)"]) }.value
    }

    @Test(
      "a sink at half the rate receives all audio and complete groups of pictures, without a growing delay",
      .timeLimit(.minutes(3)))
    func thinUplink() async throws {
      try await withServer(adjust: { try $0.pushLocally() }) { server in
        let sink = try RTMPSink()
        // About 1 Mbps including audio.
        let source = try FlashAndBeep(bitrate: 900_000)
        let anchor = try await Participant.anchor(server, with: source)
        let jobs = JobLog(anchor.room)
        let pipe = try SlowPipe(to: sink.port, rate: 62_500)
        try await anchor.room.jobs.start(
          ForwardParams(jobId: "live", publishUrl: "rtmp://127.0.0.1:\(pipe.port)/live/anchor"))
        try await eventually("pictures are dropped", within: .seconds(60)) { (jobs.reported.statuses.last?.dropped ?? 0) > 0 }
        let memory = residentBytes()
        let seconds = TestLength.pick(10, long: 20)
        // The sink has received this much audio although its pictures do not fit.
        try await sink.receives(pictures: 31, audio: seconds * 44_100 / 1024)
        let growth = residentBytes() - memory
        try await anchor.room.jobs.stop("live")
        try await eventually("it ends") { jobs.reported.ends == [.stopped] }
        // The limit is 2 s; a stall of the machine between two readings adds to what waits.
        #expect(jobs.reported.statuses.allSatisfy { $0.queue <= 3500 }, "\(jobs.reported.statuses.map(\.queue).max() ?? 0) ms")
        #expect(growth < 20_000_000, "\(growth) bytes")
        pipe.stop()

        let received = try await sink.received()
        #expect(received.steps("audio").allSatisfy { $0 > 0.020 && $0 < 0.026 })
        #expect((received.times("audio").last ?? 0) > Double(seconds - 2))
        let pictures = received.packets.filter { $0.codec_type == "video" }
        var holes = 0
        for (last, next) in zip(pictures, pictures.dropFirst()) where next.dts - last.dts > 0.2 {
          holes += 1
          #expect(next.flags?.hasPrefix("K") == true, "a hole from \(last.dts) to \(next.dts) ends with no key frame")
        }
        // In ten seconds one long hole may be all.
        #expect(holes > TestLength.pick(0, long: 1))
        #expect(pictures.count > 30)
        let offsets = try FlashesAndBeeps(sink.file).offsets
        #expect(offsets.count > 5 && offsets.allSatisfy { abs($0) <= 0.040 }, "\(offsets)")
        await anchor.leave()
      }
    }
  }
}

/// Returns the resident memory of this process, in bytes.
private func residentBytes() -> Int {
  let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
  return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
}
