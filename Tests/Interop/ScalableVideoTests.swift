import RoomClient
import RoomLinkModel
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("scalable video of Chromium")
  struct ScalableVideoTests {
    @Test(
      "a browser that joins late receives all layers of another's VP9 and AV1, with losses and after a cut too",
      .timeLimit(.minutes(3)),
      arguments: [("VP9", "L2T2", 360), ("VP9", "L3T3_KEY", 540), ("AV1", "L1T3", 360), ("AV1", "L2T2", 360)])
    func whole(codec: String, mode: String, height: Int) async throws {
      try await withServer { server in
        let uplink = BadNetwork(LinkConditions(delay: 20_000), seed: 20)
        let link = BadNetwork(LinkConditions(delay: 20_000), seed: 21)
        func detours(_ link: BadNetwork) -> [String: UInt16] {
          var detours: [String: UInt16] = [:]
          for port in server.mediaPorts { detours["\(port)"] = link.detour(for: .init(ipv4: 0x7F00_0001, port: port)).port }
          return detours
        }
        let publisher = try await BrowserClient.open()
        try await publisher.join(
          url: server.url, token: try await server.token(user: "publisher"), detours: detours(uplink))
        _ = try await publisher.publish(video: .init(codec: codec, layers: mode, width: height * 16 / 9, height: height))
        try await eventually("the browser sends all layers", within: .seconds(60)) {
          try await publisher.sending().contains { $0.height == height && $0.mode == mode }
        }
        let viewer = try await BrowserClient.open()
        try await viewer.join(url: server.url, token: try await server.token(user: "viewer"), detours: detours(link))
        func picture() async throws -> BrowserClient.Received? { try await viewer.received().first { $0.kind == .video } }
        func moves(_ count: Int, within limit: Duration, _ comment: String) async throws -> BrowserClient.Received {
          let before = try await picture()?.framesDecoded ?? 0
          return try await eventually(comment, within: limit) {
            let now = try await picture()
            return now.map { $0.height == height && $0.framesDecoded >= before + count } == true ? now : nil
          }
        }
        let first = try await moves(15, within: .seconds(30), "pictures of the full size")
        let steady = try await moves(75, within: .seconds(40), "pictures go on")
        // A browser that can't decode asks again and again; one that has no CPU for a while may ask once.
        #expect(steady.keyFrameRequests - first.keyFrameRequests <= 1)

        link.lose(0.03)
        _ = try await moves(60, within: .seconds(60), "pictures go on with 3 % of loss")
        link.lose(0)
        uplink.lose(1)
        // The real time of an interruption in which the server gets nothing.
        try await Task.sleep(for: .seconds(3))
        uplink.lose(0)
        // The server can't send again what it never got, so the browser asks for a key frame, unless the publisher paused too.
        _ = try await moves(30, within: .seconds(40), "pictures return")
        for page in [publisher, viewer] {
          #expect(try await page.state().failure == nil)
          try await page.close()
        }
      }
    }
  }
}
