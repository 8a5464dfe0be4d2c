import Foundation
import RoomPeers
import RoomProtocol
import RoomTestSupport
import RoomToken
import Testing

extension RealMedia {
  @Suite("LiveKit's Ingress by its Python SDK, unmodified", .enabled(if: LiveKitPeer.isInstalled))
  struct LiveKitIngressTests {
    private static let described =
      #""name": "a camera", "room_name": "a room", "participant_identity": "cam 1", "participant_name": "Camera", "participant_metadata": "m""#

    private func viewer(_ server: TestServer, room: String = "a room") async throws -> LiveKitPeer {
      let peer = try LiveKitPeer(
        server.http("").replacing("http:", with: "ws:"), token: try server.liveKitToken("viewer", room: room))
      try await peer.reaches("the viewer is connected") { $0.connected }
      return peer
    }

    private static func plays(_ state: LiveKitPeer.State) -> Bool {
      let camera = state.others["cam 1"]
      return camera?.name == "Camera" && camera?.metadata == "m" && (camera?.track("KIND_VIDEO")?.frames ?? 0) > 10
        && (camera?.track("KIND_AUDIO")?.energy ?? 0) > 500
    }

    @Test(
      "ffmpeg publishes by RTMP with a stream key; the key is changed, disabled and deleted",
      arguments: LiveKitAdmin.Form.allCases)
    func rtmp(form: LiveKitAdmin.Form) async throws {
      try await withServer { server in
        let admin = LiveKitAdmin(server: server, form: form)
        let made = try await admin.call("create_ingress", #"{"input_type": "RTMP_INPUT", \#(Self.described)}"#)
        let id = try #require(made["ingressId"] as? String, "\(made)")
        let (url, key) = (made["url"] as? String ?? "", made["streamKey"] as? String ?? "")
        #expect(id.hasPrefix("IN_") && url.hasPrefix("rtmp://") && key.utf8.count >= 24 && made["enabled"] as? Bool == true)
        let refused = try Encoder(to: "\(url)/\(key.dropLast())\(key.last == "0" ? "1" : "0")")
        _ = try await refused.refusal()
        let viewer = try await viewer(server)
        let encoder = try Encoder(to: "\(url)/\(key)")
        try await viewer.reaches("the viewer sees and hears the encoder", Self.plays)
        let list = try await admin.list("list_ingress", "items", #"{"room_name": "a room"}"#)
        #expect((list.first?["state"] as? [String: Any])?["status"] as? String == "ENDPOINT_PUBLISHING", "\(list)")
        let participant = try await admin.call("get_participant", #"{"room": "a room", "identity": "cam 1"}"#)
        #expect(participant["kind"] as? String == "INGRESS")

        let renamed = try await admin.call(
          "update_ingress", #"{"ingress_id": "\#(id)", "name": "b", "participant_identity": "cam 2"}"#)
        #expect(renamed["name"] as? String == "b" && renamed["participantName"] as? String == "Camera")
        _ = try await encoder.refusal()
        try await viewer.reaches("the encoder is disconnected") { $0.others.isEmpty }
        let second = try Encoder(to: "\(url)/\(key)")
        try await viewer.reaches("it publishes as another participant") {
          ($0.others["cam 2"]?.track("KIND_VIDEO")?.frames ?? 0) > 5
        }
        try await admin.call("delete_ingress", #"{"ingress_id": "\#(id)"}"#)
        _ = try await second.refusal()
        try await viewer.reaches("it is disconnected") { $0.others.isEmpty }
        let third = try Encoder(to: "\(url)/\(key)")
        _ = try await third.refusal()
        #expect(try await admin.list("list_ingress", "items").isEmpty)
        let missing = try await admin.call("delete_ingress", #"{"ingress_id": "\#(id)"}"#)
        #expect(missing["error"] as? String == "not_found")
        let url2 = try await admin.call("create_ingress", #"{"input_type": "URL_INPUT", \#(Self.described)}"#)
        #expect(url2["error"] as? String == "invalid_argument", "no URL")
      }
    }

    @Test("a URL is played as a participant until its ingress is deleted", .enabled(if: NginxFiles.isInstalled))
    func url() async throws {
      let files = try await NginxFiles()
      try await Film.make(files.folder.appending(path: "film.mp4"), seconds: 60, video: Film.passing)
      try await withServer(adjust: { try $0.players.setNetworks(["127.0.0.1/32"]) }) { server in
        let admin = LiveKitAdmin(server: server)
        let viewer = try await viewer(server)
        let made = try await admin.call(
          "create_ingress", #"{"input_type": "URL_INPUT", "url": "\#(files.url("film.mp4"))", \#(Self.described)}"#)
        let id = try #require(made["ingressId"] as? String, "\(made)")
        #expect(made["url"] as? String == files.url("film.mp4") && (made["streamKey"] as? String ?? "").isEmpty)
        try await viewer.reaches("the viewer sees the film") { ($0.others["cam 1"]?.track("KIND_VIDEO")?.frames ?? 0) > 20 }
        let list = try await admin.list("list_ingress", "items", #"{"room_name": "a room"}"#)
        #expect((list.first?["state"] as? [String: Any])?["status"] as? String == "ENDPOINT_PUBLISHING", "\(list)")
        try await admin.call("delete_ingress", #"{"ingress_id": "\#(id)"}"#)
        try await viewer.reaches("the film has left") { $0.others.isEmpty }
        #expect(try await admin.list("list_ingress", "items").isEmpty)
      }
    }

    @Test("aiortc publishes by WHIP with a stream key", arguments: [true, false]) func whip(isBearer: Bool) async throws {
      try await withServer { server in
        let admin = LiveKitAdmin(server: server)
        let made = try await admin.call("create_ingress", #"{"input_type": "WHIP_INPUT", \#(Self.described)}"#)
        let (url, key) = (made["url"] as? String ?? "", made["streamKey"] as? String ?? "")
        let publisher = try HTTPPeer.aiortc(
          "publish", isBearer ? url : "\(url)/\(key)", isBearer ? key : "none", "--video", "vp8", "--audio", "440")
        let viewer = try await viewer(server)
        try await viewer.reaches("the viewer sees and hears it", Self.plays)
        #expect(try await publisher.end() == 200)
        try await viewer.reaches("it has left") { $0.others.isEmpty }
      }
    }
  }
}
