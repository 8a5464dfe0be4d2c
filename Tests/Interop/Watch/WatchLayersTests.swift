import RoomChromium
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The layers of a simulcast on the watch page")
  struct WatchLayersTests {
    /// Selects an entry of the menu of qualities.
    private static func choose(_ index: Int, _ viewer: WatchUser) async throws {
      let _: Bool = try await viewer.page.evaluate(
        """
        (quality => {
          quality.value = '\(index)'
          return quality.dispatchEvent(new Event('change'))
        })(\(WatchUser.quality))
        """)
    }

    @Test("a viewer by WebRTC selects a layer, and returns to the best", arguments: ["VP8", "H264"])
    func layers(codec: String) async throws {
      try await withServer { server in
        try await server.openRoom()
        let publisher = try await BrowserClient.open()
        try await publisher.join(url: server.url, token: try await server.token(user: "host"))
        _ = try await publisher.publish(
          video: BrowserClient.Video(codec: codec, simulcast: true, width: 960, height: 540))
        let viewer = try await WatchUser.open(server.http("/watch/demo"))
        try await viewer.plays(by: "whep")
        // H.264 has no odd heights.
        func height(_ height: Int) async throws {
          try await viewer.page.wait(
            until: "Math.abs(\(WatchUser.video).videoHeight - \(height)) <= 1", within: .seconds(40))
        }
        try await height(540)
        let names = "[...\(WatchUser.quality).options].map(each => each.textContent)"
        try await viewer.page.wait(until: "\(names).length === 4", within: .seconds(20))
        let shown: [String] = try await viewer.page.evaluate(names)
        #expect(shown[0] == "Auto" && shown[1] == "540p" && shown[2] == "270p" && ["134p", "135p"].contains(shown[3]))
        for (index, expected) in [(3, 135), (2, 270)] {
          try await Self.choose(index, viewer)
          try await height(expected)
          #expect(try await viewer.page.evaluate("\(WatchUser.quality).value") as String == "\(index)")
        }
        try await Self.choose(0, viewer)
        try await height(540)
        try await viewer.plays(by: "whep")
        try await viewer.page.close()
        try await publisher.close()
      }
    }
  }
}
