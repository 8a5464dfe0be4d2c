import Foundation
import RoomLiveOrigin
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("Players by SRT")
  struct SRTPlayTests {
    private static let request = "#!::r=live/studio,m=request"

    private func published(_ server: TestServer, _ publisher: Encoder) async throws {
      try await eventually("the stream is published") {
        let text = String(decoding: try await server.api("GET", "/v1/streams").body, as: UTF8.self)
        if publisher.isRunning { return text.contains("h264") && text.contains("aac") }
        throw PeerFailure(text: publisher.errors)
      }
    }

    private struct PeerFailure: Error { let text: String }

    @Test("ffprobe and srt-live-transmit play a stream, are counted as its viewers, and end with it")
    func play() async throws {
      try await withServer(adjust: {
        $0.origin.publishesOpenly = true
        $0.origin.srt.listens = true
      }) { server in
        let encoder = try Encoder(to: try server.rtmp("live/studio"))
        try await published(server, encoder)
        let probe = try Peer.probe(try server.srt(Self.request, "&latency=200000"), packets: 60)
        #expect(try await probe.finish() == 0, "\(probe.text)")
        #expect(probe.text.contains("\"h264\"") && probe.text.contains("\"aac\""))

        let file = FileManager.default.temporaryDirectory.appending(path: "srt-\(UUID().uuidString).ts")
        defer { try? FileManager.default.removeItem(at: file) }
        let url = try server.srt(Self.request)
        let relay = try Peer(["sh", "-c", "exec srt-live-transmit -q '\(url)' file://con >'\(file.path)'"])
        try await eventually("the viewer counts") {
          try await server.metric(#"roomserver_origin_viewers{protocol="srt"}"#) == 1
        }
        // A transport stream begins with the sync byte.
        try await eventually("media arrives") { try Data(contentsOf: file).count > 100_000 }
        #expect(try Data(contentsOf: file).first == 0x47)
        try await encoder.stop()
        try await eventually("the player ends with the stream", within: .seconds(60)) {
          try await server.metric(#"roomserver_origin_viewers{protocol="srt"}"#) == 0
        }
        relay.stop()
      }
    }

    @Test("a player without the signature, of a stream that is not there, or in another mode is refused in its handshake")
    func refused() async throws {
      try await withServer(adjust: {
        $0.origin.publishesOpenly = true
        $0.origin.srt.listens = true
        $0.origin.protection = HotlinkProtection(play: .init(key: "pull"))
      }) { server in
        let encoder = try Encoder(to: try server.rtmp("live/studio"))
        try await published(server, encoder)
        for streamID in [Self.request, "#!::r=live/other,m=request", "#!::r=live/studio,m=bidirectional", "#!::r=x,m=request"] {
          let probe = try Peer.probe(try server.srt(streamID), packets: 5)
          #expect(try await probe.finish() != 0, "\(streamID): \(probe.text.prefix(300))")
        }
        #expect(try await server.metric("roomserver_srt_connections_total") == 0)
        try await encoder.stop()
      }
    }
  }
}
