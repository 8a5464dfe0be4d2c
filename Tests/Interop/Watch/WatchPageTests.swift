import Foundation
import RoomChromium
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The watch page in Chromium")
  struct WatchPageTests {
    @Test("WebRTC shows the first picture within two seconds, and pictures are younger than 300 ms")
    func webRTC() async throws {
      try await withServer { server in
        try await server.openRoom()
        let host = try await server.goLive()
        let viewer = try await WatchUser.open(server.http("/watch/demo"))
        try await viewer.plays(by: "whep")
        // The browser is warm on the second visit.
        try await viewer.page.go(to: server.http("/watch/demo?again"))
        let first = try await viewer.firstPicture(of: "?again")
        #expect(first < 2000, "the first picture after \(first) ms")
        try await viewer.plays(by: "whep")
        let delays = try await viewer.delays(for: .seconds(4))
        #expect(delays.p50 < 300, "\(delays)")
        print("watch page by WebRTC: first picture after \(first) ms, \(delays)")

        // Sound on tap, chat, viewers.
        try await viewer.click("room-player >> .sound")
        try await viewer.page.wait(until: "!\(WatchUser.video).muted")
        let text = #"{"kind":"text","text":"hello viewers"}"#
        #expect(try await server.api("POST", "/v1/rooms/demo/calls/sendMessage", json: text).status == 200)
        try await viewer.reads("/hello viewers/", in: ".watch-messages")
        try await viewer.reads("/1 viewer|2 viewers/", in: ".watch-viewers")
        try await viewer.reads("/s behind/", in: "room-player >> .behind")
        #expect(try await viewer.page.record.errors == [])
        try await viewer.page.close()
        await host.leave()
      }
    }

    @Test(
      "a browser that lacks one way to play uses the next",
      arguments: [
        (WatchUser.Lack.webRTC, "hls"), (.udp, "hls"), (.playlists, "flv"), (.mediaSource, "native"),
      ])
    func fallback(lack: WatchUser.Lack, source: String) async throws {
      try await withServer { server in
        try await server.openRoom()
        let host = try await server.goLive()
        let viewer = try await WatchUser.open(server.http("/watch/demo"), without: lack)
        try await viewer.plays(by: source)
        try await viewer.page.close()
        await host.leave()
      }
    }

    @Test("a browser that can play nothing says so")
    func unplayable() async throws {
      try await withServer { server in
        try await server.openRoom()
        let host = try await server.goLive()
        let viewer = try await WatchUser.open(server.http("/watch/demo"), without: .everything)
        try await viewer.sees("unplayable")
        try await viewer.reads("/can’t play.*codecs/", in: "room-player >> .note")
        try await viewer.page.close()
        await host.leave()
        try await server.counts("codec")
      }
    }

    @Test(
      "a room that is not live plays without WebRTC, by a program that is made on demand",
      arguments: [(WatchUser.Lack.webRTC, "hls"), (.playlists, "flv")])
    func program(lack: WatchUser.Lack, source: String) async throws {
      try await withServer { server in
        try await server.openRoom()
        let host = try await Participant.join(server, as: "host")
        try await host.publish(video: .vp8, tone: 440)
        let viewer = try await WatchUser.open(server.http("/watch/demo"), without: lack)
        try await viewer.plays(by: source)
        let first = try await viewer.firstPicture()
        print("watch page without WebRTC, by a program on demand over \(source): first picture after \(first) ms")
        #expect(first < 8000)
        try await viewer.page.close()
        await host.leave()
      }
    }

    @Test("a viewer without a network for media, one who may not watch, and one who is early read why; the server counts")
    func reasons() async throws {
      try await withServer(adjust: { $0.rooms.watchFallback = false }) { server in
        try await server.openRoom()
        let early = try await WatchUser.open(server.http("/watch/demo"))
        try await early.reads("/Not live/", in: "room-player >> .note")
        try await server.counts("offline")
        try await early.page.close()
        let host = try await Participant.join(server, as: "host")
        try await host.publish(video: .vp8, tone: 440)
        let blocked = try await WatchUser.open(server.http("/watch/demo"), without: .udp)
        try await blocked.sees("unplayable")
        try await blocked.reads("/network does not carry.*UDP/", in: "room-player >> .note")
        try await server.counts("network")
        try await blocked.page.close()
        #expect(try await server.api("PATCH", "/v1/rooms/demo", json: #"{"watch":{"public":false}}"#).status == 200)
        let stranger = try await WatchUser.open(server.http("/watch/demo"))
        try await stranger.reads("/not public.*link/", in: "room-player >> .note")
        try await server.counts("permission")
        try await stranger.page.close()
        await host.leave()
      }
    }

    @Test("the page waits while nothing is live, plays when it is, and waits again")
    func resumes() async throws {
      try await withServer { server in
        try await server.openRoom()
        let viewer = try await WatchUser.open(server.http("/watch/demo"))
        try await viewer.sees("offline")
        try await viewer.reads("/Not live/", in: "room-player >> .note")
        let host = try await server.goLive()
        try await viewer.plays(by: "whep")
        await host.leave()
        try await viewer.sees("offline")
        let again = try await Participant.join(server, as: "host")
        try await again.publish(video: .h264, tone: 440)
        try await viewer.plays(by: "whep")
        try await viewer.page.close()
        await again.leave()
      }
    }

    @Test("a stream of an encoder has a page too, with its smaller sizes")
    func stream() async throws {
      try await withServer(adjust: { $0.origin.publishesOpenly = true }) { server in
        let encoder = try LiveEncoder(try server.rtmp("live/studio"), picture: "testsrc2=s=640x360:r=15")
        let viewer = try await WatchUser.open(server.http("/watch/live/studio"))
        try await viewer.plays(by: "hls")
        try await viewer.page.wait(until: "\(WatchUser.quality).options.length === 2")
        let _: Bool = try await viewer.page.evaluate(
          """
          (quality => {
            quality.value = '1'
            return quality.dispatchEvent(new Event('change'))
          })(\(WatchUser.quality))
          """)
        try await viewer.page.wait(until: "\(WatchUser.video).videoWidth === 320", within: .seconds(40))
        try await viewer.page.close()
        encoder.end()
      }
    }

    @Test("a private room refuses a viewer without a link, and plays with one, also after a reload")
    func privateRoom() async throws {
      try await withServer { server in
        try await server.openRoom(watch: "{}")
        let host = try await server.goLive()
        let stranger = try await WatchUser.open(server.http("/watch/demo"))
        try await stranger.sees("refused")
        try await stranger.reads("/not public/", in: "room-player >> .note")
        try await stranger.page.close()
        let token = try await server.token(user: "guest", grants: [.subscribe, .hidden])
        let viewer = try await WatchUser.open(server.http("/watch/demo?token=\(token)"))
        try await viewer.plays(by: "whep")
        let _: Bool = try await viewer.page.evaluate("(location.reload(), true)")
        try await viewer.page.wait(until: "performance.getEntriesByType('navigation')[0].type === 'reload'")
        try await viewer.plays(by: "whep")
        try await viewer.page.close()
        await host.leave()
      }
    }

    @Test("a page of another origin embeds the player")
    func embedded() async throws {
      try await withServer { server in
        try await server.openRoom()
        let host = try await server.goLive()
        // The same server by another name is another origin. The page around the frame is a document without a policy.
        let frame = server.http("/watch/demo?embed").replacing("127.0.0.1", with: "localhost")
        let viewer = try await WatchUser.open(server.http("/healthz"))
        let _: Bool = try await viewer.page.evaluate(
          """
          (() => {
            const frame = document.createElement('iframe')
            Object.assign(frame, { src: '\(frame)', allow: 'autoplay; fullscreen; picture-in-picture', width: 640, height: 360 })
            document.body.append(frame)
            return true
          })()
          """)
        try await eventually("the frame plays") { try await server.metric("roomserver_viewers") == 1 }
        let console = try await WatchUser.open(server.http("/healthz"))
        let _: Bool = try await console.page.evaluate(
          """
          (() => {
            const frame = document.createElement('iframe')
            frame.src = '\(server.page)'
            document.body.append(frame)
            return true
          })()
          """)
        try await eventually("the console refuses a frame") {
          try await console.page.record.errors.contains { $0.contains("frame-ancestors") }
        }
        try await viewer.page.close()
        try await console.page.close()
        await host.leave()
      }
    }

    @Test(
      "a viewer of a killed server plays again after its restart, without a reload",
      arguments: [WatchUser.Lack.nothing, .webRTC, .playlists])
    func killed(lack: WatchUser.Lack) async throws {
      var server = try await ServerProcess([])
      let port = server.port
      func publish() throws -> LiveEncoder {
        let rtmp = try #require(server.text.firstMatch(of: /rtmp:\/\/127\.0\.0\.1:(\d+)\/live/)).1
        return try LiveEncoder("rtmp://127.0.0.1:\(rtmp)/room/demo?token=\(try server.token(user: "cam"))")
      }
      func job() async throws {
        let job = #"{"jobId":"live","userId":"cam","publishUrl":"rtmp://origin/live/demo"}"#
        try await eventually("the job starts") { try await server.api("POST", "/v1/rooms/demo/jobs", json: job).status == 201 }
      }
      var encoder = try publish()
      try await job()
      let source = lack == .nothing ? "whep" : lack == .webRTC ? "hls" : "flv"
      let viewer = try await WatchUser.open("http://127.0.0.1:\(port)/watch/demo", without: lack)
      try await viewer.plays(by: source)
      let _: Bool = try await viewer.page.evaluate("(window.isTheSamePage = true)")
      server.kill()
      encoder.end()
      try await eventually("the loss is noticed") {
        try await viewer.page.evaluate("document.querySelector('room-player').getAttribute('state') !== 'playing'")
      }
      server = try await ServerProcess([], port: port)
      encoder = try publish()
      try await job()
      try await viewer.plays(by: source, within: .seconds(120))
      #expect(try await viewer.page.evaluate("window.isTheSamePage === true") as Bool)
      try await viewer.page.close()
      encoder.end()
      server.kill()
    }
  }
}
