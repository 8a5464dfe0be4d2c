import RoomChromium
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The watch page and a draining server")
  struct WatchDrainTests {
    @Test("viewers stay while the room is live, and move to the next server without a reload when it has ended")
    func drained() async throws {
      try await withServer { next in
        try await next.openRoom()
        try await withServer { server in
          try await server.openRoom()
          let host = try await server.goLive()
          let viewers = [
            try await WatchUser.open(server.http("/watch/demo")),
            try await WatchUser.open(server.http("/watch/demo"), without: .webRTC),
          ]
          for (viewer, source) in zip(viewers, ["whep", "hls"]) {
            try await viewer.plays(by: source)
            let _: Bool = try await viewer.page.evaluate("(window.isTheSamePage = true)")
          }
          let order = #"{"seconds":300,"redirect":"\#(next.url)"}"#
          #expect(try await server.api("POST", "/v1/server/drain", json: order).status == 202)
          for viewer in viewers { try await viewer.asksAgain() }
          // A page that is opened now learns of the next server too, and stays.
          let late = try await WatchUser.open(server.http("/watch/demo"))
          try await late.plays(by: "whep")
          #expect(try await next.metric("roomserver_viewers") == 0)
          await host.leave()
          await server.stop()
          let again = try await next.goLive()
          // WebRTC that shows no picture in time, on a busy machine, is not tried again for a minute.
          try await viewers[0].plays(by: "whep", "flv", "hls", within: .seconds(60))
          try await viewers[1].plays(by: "hls", within: .seconds(60))
          for viewer in viewers {
            #expect(try await viewer.page.evaluate("window.isTheSamePage === true") as Bool)
          }
          try await late.plays(by: "whep", "flv", "hls", within: .seconds(60))
          for viewer in viewers + [late] { try await viewer.page.close() }
          await again.leave()
        }
      }
    }
  }
}
