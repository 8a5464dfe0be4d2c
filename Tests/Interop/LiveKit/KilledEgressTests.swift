import Foundation
import FoundationNetworking
import RoomTestSupport
import Testing

@testable import RoomLoadtest

extension RealMedia {
  @Suite("LiveKit's Egress, if the server is killed", .enabled(if: LiveKitPeer.isInstalled))
  struct KilledEgressTests {
    private static let small = #""advanced": {"width": 320, "height": 180, "framerate": 15, "video_bitrate": 300}"#

    /// What remains on the disk for the next server.
    private final class Folders {
      private let root = FileManager.default.temporaryDirectory.appending(path: "killed-\(UUID().uuidString)")
      let data: String
      let recordings: String

      init() throws {
        (data, recordings) = (root.appending(path: "data").path, root.appending(path: "files").path)
        try FileManager.default.createDirectory(atPath: recordings, withIntermediateDirectories: true)
      }

      deinit { try? FileManager.default.removeItem(at: root) }
    }

    private func files(_ info: [String: Any]) -> [(name: String, size: Int64)] {
      (info["fileResults"] as? [[String: Any]] ?? []).map {
        ($0["filename"] as? String ?? "", ($0["size"] as? String).flatMap { Int64($0) } ?? 0)
      }
    }

    /// Returns the number of files that a server is writing and that have content.
    private func written(_ server: ServerProcess) async throws -> Int {
      struct List: Decodable {
        struct File: Decodable {
          var state: String
          var bytes: Int64
        }
        var recordings: [File]
      }
      let answer = try await server.api("GET", "/v1/recordings")
      return try JSONDecoder().decode(List.self, from: Data(answer.body.utf8)).recordings
        .count { $0.state == "writing" && $0.bytes > 0 }
    }

    private func id(_ answer: [String: Any]) throws -> String { try #require(answer["egressId"] as? String, "\(answer)") }

    @Test(
      "egresses continue after a kill -9, with further files; those that ended say so; each start and end is reported once",
      .timeLimit(.minutes(2)))
    func killed() async throws {
      let (folders, hooks, sink) = (try Folders(), try await LiveKitHooks(), try await LiveSink())
      let arguments = [
        "--data", folders.data, "--workers", "1", "--relay-target", "127.0.0.1", "--livekit-webhook", hooks.url,
        "--webhook-first-wait", "20",
      ]
      let recording = ["--recordings", folders.recordings]
      let first = try await ServerProcess(arguments + recording)
      let admin = LiveKitAdmin(server: first)
      let ann = try LiveKitPeer("ws://127.0.0.1:\(first.port)", token: try first.liveKitToken("ann", room: "a room"))
      try await ann.reaches("ann is connected") { $0.connected }
      try ann.tell("publish video")
      try ann.tell("publish audio")
      try await ann.reaches("ann publishes") { $0.me.tracks.count == 2 }
      let tracks = try #require(ann.state?.me.tracks)
      func start(_ kind: String) async throws -> String {
        let track = try #require(tracks.first { $0.value.kind == kind }?.key)
        return try id(
          try await admin.call("start_track_egress", #"{"room_name": "a room", "track_id": "\#(track)", "file": {}}"#))
      }
      let program = try id(
        try await admin.call(
          "start_room_composite_egress",
          #"""
          {"room_name": "a room", "layout": "grid", \#(Self.small), "file_outputs": [{"filepath": "show.mp4"}],
           "stream_outputs": [{"urls": ["\#(sink.url("program"))"]}], "segment_outputs": [{"live_playlist_name": "live.m3u8"}]}
          """#))
      let (sound, picture) = (try await start("KIND_AUDIO"), try await start("KIND_VIDEO"))
      let stopped = try id(
        try await admin.call(
          "start_participant_egress",
          #"{"room_name": "a room", "identity": "ann", "stream_outputs": [{"urls": ["\#(sink.url("ann"))"]}]}"#))
      try await eventually("media is sent and recorded") {
        let files = try await written(first)
        return files == 3 && sink.stream("program").messages > 60 && sink.stream("ann").messages > 60
      }
      let answer = try await first.liveKit("Egress/StopEgress", room: "a room", json: #"{"egress_id": "\#(stopped)"}"#)
      first.kill()
      #expect(answer.status == 200, "\(answer.body)")

      let before = sink.stream("program").messages
      let second = try await ServerProcess(arguments + recording, port: first.port)
      let ended = try await admin.egress(stopped)
      #expect(ended["status"] as? String == "EGRESS_COMPLETE" && ended["endedAt"] != nil, "\(ended)")
      let active = try await admin.list("list_egress", "items", #"{"active": true}"#)
      #expect(active.count == 3 && active.allSatisfy { $0["status"] as? String == "EGRESS_ACTIVE" }, "\(active)")
      try await ann.reaches("ann publishes again") { $0.connected && $0.events.contains("reconnected") }
      try await eventually("the stream continues, with further files") {
        let files = try await written(second)
        return files == 3 && sink.stream("program").messages > before + 60
      }
      #expect(sink.stream("program").backward == 0)
      let segments = (try await admin.egress(program)["segmentResults"] as? [[String: Any]])?.first
      let playlist = try #require(URL(string: segments?["livePlaylistLocation"] as? String ?? ""))
      try await eventually("and so do the segments") {
        let (body, _) = try await URLSession.shared.data(from: playlist)
        return String(decoding: body, as: UTF8.self).contains("#EXTM3U")
      }

      for id in [program, sound] { try await admin.call("stop_egress", #"{"egress_id": "\#(id)"}"#) }
      for id in [program, sound] {
        let complete = try await admin.egress(id, reaches: "EGRESS_COMPLETE")
        #expect((complete["error"] as? String ?? "") == "")
        try await eventually("its last file is complete", within: .seconds(10)) { files(try await admin.egress(id)).count >= 2 }
      }
      second.kill()

      // It may no longer record: what only did that has failed.
      let third = try await ServerProcess(arguments, port: first.port)
      let failed = try await admin.egress(picture)
      #expect(failed["status"] as? String == "EGRESS_FAILED", "\(failed)")
      #expect((failed["error"] as? String)?.contains("--recordings") == true, "\(failed)")
      try await eventually("all ends are reported") {
        hooks.events.count { $0.name == "egress_ended" } == 4
      }
      third.kill()
      await sink.stop()

      for (id, status, count) in [
        (program, "EGRESS_COMPLETE", 2), (sound, "EGRESS_COMPLETE", 2), (stopped, "EGRESS_COMPLETE", 0),
        (picture, "EGRESS_FAILED", 1),
      ] {
        let reports = hooks.events.filter { $0["egressInfo", "egressId"] == id }
        #expect(reports.first?.name == "egress_started" && reports.last?.name == "egress_ended", "\(reports)")
        #expect(reports.dropFirst().dropLast().allSatisfy { $0.name == "egress_updated" }, "\(reports)")
        #expect(reports.last?["egressInfo", "status"] == status)
        let last = files(reports.last?.message("egressInfo") ?? [:])
        #expect(last.count >= count && last.allSatisfy { $0.size > 0 }, "\(id): \(last)")
        #expect(Set(last.map(\.name)).count == last.count)
      }
    }
  }
}
