import RoomCodecs
import Foundation
import RoomPeers
import RoomClient
import RoomMedia
import RoomProtocol
import RoomTestSupport
import Testing

/// Tests recorded broadcasts on a server that stops and is restarted.
extension RealMedia {
  @Suite("Recorded broadcasts and restarts")
  struct RecordingRestartTests {
    private struct Jobs: Decodable {
      struct Detail: Decodable {
        var job: JobInfo
        var status: JobStatusData?
      }
      var jobs: [Detail]
    }

    private func jobs(_ server: ServerProcess) async throws -> [JobInfo] {
      let answer = try await server.api("GET", "/v1/rooms/demo/jobs")
      return try JSONDecoder().decode(Jobs.self, from: Data(answer.body.utf8)).jobs.map(\.job).sorted { $0.jobId < $1.jobId }
    }

    @Test(
      "they continue after SIGTERM and SIGKILL, each time in a new file; without a recording directory they continue unrecorded",
      .timeLimit(.minutes(3)))
    func restarts() async throws {
      let root = FileManager.default.temporaryDirectory.appending(path: "restarts-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: root) }
      let tapes = root.appending(path: "tapes")
      try FileManager.default.createDirectory(at: tapes, withIntermediateDirectories: true)
      func size(_ name: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: tapes.appending(path: name).path)[.size] as? Int) ?? 0
      }
      let port = try TCPPort.free()
      let data = ["--data", root.appending(path: "data").path]
      let arguments = data + ["--recordings", tapes.path]
      var server = try await ServerProcess(arguments, port: port)
      let options = RoomOptions(reconnect: ReconnectPolicy(tries: 100, waits: [.milliseconds(200) ... .milliseconds(400)]))
      let token = try server.token(user: "anna", grants: [.publish, .subscribe, .relay])
      let room = try await Room.connect(to: server.url, token: token, options: options)
      let settings = VideoEncoderSettings(width: 320, height: 180, fps: 15, bitrate: 250_000, keyFrameInterval: 15)
      let video = try VideoSource.testPattern(VideoConfiguration(codec: .h264, speed: .ultrafast, settings), index: 1)
      let tone = try AudioSource.tone(frequency: 440)
      try await room.publish([video.track, tone.track])
      try await room.jobs.start(ForwardParams(jobId: "live", publishUrl: "rtmp://origin/live/demo", record: "live.mp4"))
      try await room.jobs.start(ForwardParams(jobId: "tape", publishUrl: "file:tape.flv"))

      for (number, suffix) in ["", "-2", "-3"].enumerated() {
        let names = ["live\(suffix).mp4", "tape\(suffix).flv"]
        try await eventually("round \(number): \(names) grow") { names.allSatisfy { size($0) > 50_000 } }
        let running = try await jobs(server)
        #expect(running.map(\.jobId) == ["live", "tape"] && running.allSatisfy { $0.state == .connected }, "\(running)")
        #expect(running.first?.record == "live.mp4")
        if number == 0 { server.kill() } else { server.terminate() }
        for name in names {
          let recording = try Recording(tapes.appending(path: name).path)
          #expect(recording.times("video").count > 10 && recording.times("audio").count > 20, "\(name)")
        }
        server = try await ServerProcess(number < 2 ? arguments : data, port: port)
      }
      // Recording is disabled now: other outputs continue, and the file-only job has failed.
      try await eventually("the live broadcast is there") {
        let running = try await jobs(server)
        return running.map(\.jobId) == ["live"] && running[0].onAir == true && running[0].record == nil
      }
      let there = try FileManager.default.contentsOfDirectory(atPath: tapes.path).filter { !$0.hasPrefix(".") }.sorted()
      #expect(there == ["live-2.mp4", "live-3.mp4", "live.mp4", "tape-2.flv", "tape-3.flv", "tape.flv"])
      await room.leave()
    }
  }
}
