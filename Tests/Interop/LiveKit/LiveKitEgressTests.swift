import Foundation
import RoomProtocol
import RoomRelay
import RoomServer
import RoomTestSupport
import RoomToken
import Testing

@testable import RoomLoadtest

extension RealMedia {
  @Suite("LiveKit's Egress by its Python SDK, unmodified", .enabled(if: LiveKitPeer.isInstalled))
  struct LiveKitEgressTests {
    private static let small = #""advanced": {"width": 320, "height": 180, "framerate": 15, "video_bitrate": 300}"#

    /// Runs a test with a server that records, and a client that publishes picture and sound in the room "a room".
    private func withPublisher(
      _ form: LiveKitAdmin.Form,
      _ test: (_ admin: LiveKitAdmin, _ sink: LiveSink, _ ann: LiveKitPeer, _ folder: URL) async throws -> Void
    ) async throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "egress-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let sink = try await LiveSink()
      let adjust: (inout ServerConfiguration) throws -> Void = { configuration in
        configuration.relay.recordings = .init(directory: folder.path)
        configuration.relay.broadcasts.targets = try RelayTargets(parsing: ["127.0.0.1"])
        configuration.relay.mixCores = 8
      }
      try await withServer(adjust: adjust) { server in
        let ann = try LiveKitPeer(
          server.http("").replacing("http:", with: "ws:"), token: try server.liveKitToken("ann", room: "a room"))
        try await ann.reaches("ann is connected") { $0.connected }
        try ann.tell("publish video")
        try ann.tell("publish audio")
        try await ann.reaches("ann publishes") { $0.me.tracks.count == 2 }
        try await test(LiveKitAdmin(server: server, form: form), sink, ann, folder)
      }
      await sink.stop()
    }

    /// Returns the codecs and the width in a file.
    private func probe(_ folder: URL, _ name: String) throws -> String {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [
        "ffprobe", "-v", "error", "-show_entries", "stream=codec_name,width", "-of", "csv=p=0",
        folder.appending(path: name).path,
      ]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      process.waitUntilExit()
      return String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    }

    private func hasFile(_ info: [String: Any]) -> Bool {
      let files = info["fileResults"] as? [[String: Any]] ?? []
      return !files.isEmpty && files.allSatisfy { Int64($0["size"] as? String ?? "") ?? 0 > 0 }
    }

    @Test(
      "everybody is sent to a live server and into a file; layout and streams change", arguments: LiveKitAdmin.Form.allCases)
    func composite(form: LiveKitAdmin.Form) async throws {
      try await withPublisher(form) { admin, sink, _, folder in
        let started = try await admin.call(
          "start_room_composite_egress",
          #"""
          {"room_name": "a room", "layout": "grid", \#(Self.small), "file_outputs": [{"filepath": "../shows/a b.mp4"}],
           "stream_outputs": [{"urls": ["\#(sink.url("first-secret-key"))"]}]}
          """#)
        let id = try #require(started["egressId"] as? String, "\(started)")
        #expect(id.hasPrefix("EG_") && started["roomName"] as? String == "a room")
        try await eventually("pictures arrive") { sink.stream("first-secret-key").messages > 30 }
        let active = try await admin.egress(id, reaches: "EGRESS_ACTIVE")
        let stream = (active["streamResults"] as? [[String: Any]])?.first
        #expect((stream?["url"] as? String)?.contains("secret") == false && active["roomComposite"] != nil)
        #expect(try await admin.list("list_egress", "items", #"{"room_name": "other"}"#).isEmpty)

        let changed = try await admin.call("update_layout", #"{"egress_id": "\#(id)", "layout": "speaker"}"#)
        #expect((changed["roomComposite"] as? [String: Any])?["layout"] as? String == "speaker", "\(changed)")
        let wrong = try await admin.call("update_layout", #"{"egress_id": "\#(id)", "layout": "spiral"}"#)
        #expect(wrong["error"] as? String == "invalid_argument")
        let update =
          #"{"egress_id": "\#(id)", "add_output_urls": ["\#(sink.url("second"))"], "remove_output_urls": ["\#(sink.url("first-secret-key"))"]}"#
        let updated = try await admin.call("update_stream", update)
        #expect((updated["streamResults"] as? [[String: Any]])?.count == 2, "\(updated)")
        try await eventually("pictures arrive at the other server") {
          sink.stream("second").messages > 30
        }
        #expect(sink.stream("first-secret-key").backward == 0)

        #expect(try await admin.call("stop_egress", #"{"egress_id": "\#(id)"}"#)["status"] as? String == "EGRESS_ENDING")
        var ended = try await admin.egress(id, reaches: "EGRESS_COMPLETE")
        try await eventually("the file is complete", within: .seconds(10)) {
          ended = try await admin.egress(id)
          return hasFile(ended)
        }
        let file = try #require((ended["fileResults"] as? [[String: Any]])?.first)
        #expect(file["filename"] as? String == "shows-a-b.mp4" && ended["endedAt"] != nil)
        let probed = try probe(folder, "shows-a-b.mp4")
        #expect(probed.contains("h264,320") && probed.contains("aac"), "\(probed)")
        let again = try await admin.call("stop_egress", #"{"egress_id": "\#(id)"}"#)
        #expect(again["error"] as? String == "failed_precondition")
        #expect(try await admin.list("list_egress", "items", #"{"active": true}"#).isEmpty)
      }
    }

    @Test("a participant, two tracks and one track are sent and recorded", arguments: LiveKitAdmin.Form.allCases)
    func tracks(form: LiveKitAdmin.Form) async throws {
      try await withPublisher(form) { admin, sink, ann, _ in
        let tracks = try #require(ann.state?.me.tracks)
        let video = try #require(tracks.first { $0.value.kind == "KIND_VIDEO" }?.key)
        let audio = try #require(tracks.first { $0.value.kind == "KIND_AUDIO" }?.key)
        let requests: [(String, String)] = [
          (
            "start_participant_egress",
            #"{"room_name": "a room", "identity": "ann", "stream_outputs": [{"urls": ["\#(sink.url("ann"))"]}]}"#
          ),
          (
            "start_track_composite_egress",
            #"""
            {"room_name": "a room", "audio_track_id": "\#(audio)", "video_track_id": "\#(video)", \#(Self.small),
             "file_outputs": [{"filepath": "both"}]}
            """#
          ),
          ("start_track_egress", #"{"room_name": "a room", "track_id": "\#(audio)", "file": {"filepath": "sound"}}"#),
          (
            "start_egress",
            #"""
            {"room_name": "a room", "media": {"video_track_id": "\#(video)"}, "outputs": [{"file": {"filepath": "picture.mp4"}}]}
            """#
          ),
        ]
        var ids: [String] = []
        for (method, request) in requests {
          let started = try await admin.call(method, request)
          ids.append(try #require(started["egressId"] as? String, "\(method): \(started)"))
        }
        try await eventually("the participant arrives") { sink.stream("ann").messages > 30 }
        for id in ids {
          _ = try await admin.egress(id, reaches: "EGRESS_ACTIVE")
          // So that each file has a picture.
          if id == ids.last { try await eventually("media is recorded") { sink.stream("ann").messages > 120 } }
        }
        for id in ids { try await admin.call("stop_egress", #"{"egress_id": "\#(id)"}"#) }
        for id in ids {
          _ = try await admin.egress(id, reaches: "EGRESS_COMPLETE")
          guard id != ids.first else { continue }
          try await eventually("the file is complete", within: .seconds(10)) { hasFile(try await admin.egress(id)) }
        }
        for (method, request, code) in [
          ("start_web_egress", #"{"url": "https://example.org"}"#, "unimplemented"),
          ("start_room_composite_egress", #"{"room_name": "none", "file_outputs": [{}]}"#, "not_found"),
          ("start_room_composite_egress", #"{"room_name": "a room"}"#, "invalid_argument"),
          (
            "start_room_composite_egress", #"{"room_name": "a room", "stream_outputs": [{"urls": ["file:x.mp4"]}]}"#,
            "invalid_argument"
          ),
          (
            "start_room_composite_egress", #"{"room_name": "a room", "file_outputs": [{"s3": {"bucket": "b"}}]}"#,
            "unimplemented"
          ),
          ("start_track_egress", #"{"room_name": "a room", "track_id": "TR_no", "file": {}}"#, "not_found"),
          ("stop_egress", #"{"egress_id": "EG_no"}"#, "not_found"),
        ] {
          let refused = try await admin.call(method, request)
          #expect(refused["error"] as? String == code, "\(method) \(request): \(refused)")
        }
      }
    }
  }
}
