import Foundation
import RoomPeers
import RoomRelay
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

@Suite("Forward to RTMP", .serialized)
struct ForwardTests {
  private func allowLoopback(_ configuration: inout ServerConfiguration) throws {
    configuration.relay.broadcasts.targets = try RelayTargets(parsing: ["127.0.0.1"])
    configuration.relay.statusInterval = .milliseconds(500)
  }

  @Test("an anchor's H.264 and audio reach an RTMP server in sync and without gaps")
  func forward() async throws {
    try await withServer(adjust: allowLoopback) { server in
      let sink = try RTMPSink()
      let anchor = try await Participant.join(server, as: "anchor")
      try await anchor.publish(video: .h264, tone: 440)
      let body = #"{"jobId":"live","publishUrl":"\#(sink.url)","userId":"anchor"}"#
      let started = try await server.api("POST", "/v1/rooms/demo/jobs", json: body)
      #expect(started.status == 201, "\(String(decoding: started.body, as: UTF8.self))")
      #expect(try await server.api("POST", "/v1/rooms/demo/jobs", json: body).status == 409)

      try await eventually("pictures are sent") {
        let text = String(decoding: try await server.api("GET", "/v1/rooms/demo/jobs").body, as: UTF8.self)
        return text.contains(#""state":"connected""#) && text.contains(#""fps":15"#)
      }
      try await sink.receives(pictures: 45, audio: 130)
      #expect(try await server.api("DELETE", "/v1/rooms/demo/jobs/live").status == 204)
      let received = try await sink.received()
      #expect(received.video?.codec_name == "h264")
      #expect(received.video?.width == 320)
      #expect(received.video?.height == 180)
      #expect(received.audio?.codec_name == "aac")
      #expect(received.audio?.sample_rate == "44100")
      #expect(received.times("video").count > 40)
      #expect(received.steps("video").allSatisfy { $0 > 0 && $0 < 0.2 }, "\(received.steps("video"))")
      #expect(received.steps("audio").allSatisfy { $0 > 0.020 && $0 < 0.026 }, "\(received.steps("audio"))")
      #expect(try await server.api("DELETE", "/v1/rooms/demo/jobs/live").status == 404)
      await anchor.leave()
    }
  }

  @Test(
    "a browser's VP9 and AV1, also with layers, are forwarded as H.264",
    arguments: [("VP9", nil), ("VP9", "L2T2"), ("AV1", nil), ("AV1", "L2T1")] as [(String, String?)])
  func otherCodecs(codec: String, layers: String?) async throws {
    try await withServer(adjust: allowLoopback) { server in
      let sink = try RTMPSink()
      let browser = try await BrowserClient.open()
      try await browser.join(url: server.url, token: try await server.token(user: "browser"))
      _ = try await browser.publish(video: .init(codec: codec, layers: layers), audio: .init(frequency: 700))
      let body = #"{"jobId":"live","publishUrl":"\#(sink.url)","userId":"browser"}"#
      #expect(try await server.api("POST", "/v1/rooms/demo/jobs", json: body).status == 201)
      try await eventually("pictures are sent") {
        let text = String(decoding: try await server.api("GET", "/v1/rooms/demo/jobs").body, as: UTF8.self)
        return text.contains(#""state":"connected""#) && !text.contains(#""fps":0"#)
      }
      try await sink.receives(pictures: 25, audio: 90)
      #expect(try await server.api("DELETE", "/v1/rooms/demo/jobs/live").status == 204)
      let received = try await sink.received()
      #expect(received.video?.codec_name == "h264")
      #expect(received.video?.width == 320)
      #expect(received.video?.height == 180)
      #expect(received.times("video").count > 20)
      #expect(received.steps("video").allSatisfy { $0 > 0 && $0 < 0.5 }, "\(received.steps("video"))")
      #expect(received.times("audio").count > 80)
      try await browser.leave()
      try await browser.close()
    }
  }

  @Test("a job whose server was never reached is not on air, until it is")
  func unreached() async throws {
    try await withServer(adjust: allowLoopback) { server in
      let port = try TCPPort.free()
      let anchor = try await Participant.join(server, as: "anchor")
      try await anchor.publish(video: .h264, tone: 440)
      let body = #"{"jobId":"live","publishUrl":"rtmp://127.0.0.1:\#(port)/live/anchor","userId":"anchor"}"#
      #expect(try await server.api("POST", "/v1/rooms/demo/jobs", json: body).status == 201)
      func jobs() async throws -> String {
        String(decoding: try await server.api("GET", "/v1/rooms/demo/jobs").body, as: UTF8.self)
      }
      try await eventually("the program is ready, and the server is not") {
        let text = try await jobs()
        return text.contains(#""state":"autoReconnecting""#) && text.contains(#""fps":15"#)
      }
      #expect(try await jobs().contains(#""onAir":false"#))
      let sink = try RTMPSink(port: port)
      try await eventually("the job is on air") {
        let text = try await jobs()
        return text.contains(#""onAir":true"#) && text.contains(#""state":"connected""#)
      }
      try await sink.receives(pictures: 15, audio: 40)
      await anchor.leave()
    }
  }

  @Test("a push target that is not allowed is rejected, and the job reports the reason")
  func forbidden() async throws {
    try await withServer { server in
      let anchor = try await Participant.join(server, as: "anchor", grants: [.publish, .subscribe, .relay])
      try await anchor.publish(video: nil, tone: 440)
      let body = #"{"jobId":"live","publishUrl":"rtmp://localhost:9/live/x","userId":"anchor"}"#
      #expect(try await server.api("POST", "/v1/rooms/demo/jobs", json: body).status == 201)
      try await eventually("the job is over", within: .seconds(10)) {
        String(decoding: try await server.api("GET", "/v1/rooms/demo/jobs").body, as: UTF8.self) == #"{"jobs":[]}"#
      }
      await anchor.leave()
    }
  }
}
