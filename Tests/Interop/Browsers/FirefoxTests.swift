import Foundation
import RoomChromium
import RoomLossyLink
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  /// Firefox has no H.264 for WebRTC unless it downloads a plugin, and no loopback candidates by default.
  @Suite("Firefox", .enabled(if: Firefox.program != nil))
  struct FirefoxTests {
    @Test("participants see and hear each other; WHIP and WHEP work")
    func participants() async throws {
      try await Firefox.run { firefox in
        try await withServer(adjust: Firefox.reach) { server in
          try await server.openRoom()
          let host = try await Participant.join(server, as: "host")
          try await host.publish(video: .vp8, tone: 440)
          let guest = try await BrowserClient.open(on: firefox.page())
          try await guest.join(url: server.url, token: try await server.token(user: "guest"))
          _ = try await guest.publish(video: .init(codec: "VP8"), audio: .init(frequency: 880))
          try await eventually("the host sees and hears Firefox", within: .seconds(60)) {
            host.pictures(of: "guest").decoded > 10 && host.sound(of: "guest").hears(880)
          }
          try await eventually("Firefox sees and hears the host", within: .seconds(60)) {
            let received = try await guest.received()
            return received.contains { $0.kind == .video && $0.framesDecoded > 10 }
              && received.contains { $0.kind == .audio && abs($0.frequency - 440) < 12 && $0.level > -60 }
          }
          try await guest.leave()
          try await guest.close()

          let camera = try await WHIPPage.open(on: firefox.page())
          try await camera.publish(
            to: server.http("/whip/demo"), token: try await server.token(user: "camera", grants: [.publish]))
          try await eventually("the host sees the camera and hears the microphone, whose tone has 1 kHz", within: .seconds(60))
          {
            host.pictures(of: "camera").decoded > 10 && host.sound(of: "camera").hears(1000)
          }
          let viewer = try await WHIPPage.open(on: firefox.page())
          try await viewer.play(
            from: server.http("/whep/demo/camera"), token: try await server.token(user: "viewer", grants: [.subscribe]))
          try await eventually("the viewer sees it", within: .seconds(60)) { try await viewer.session().framesDecoded > 10 }
          #expect(try await viewer.end() == 200)
          #expect(try await camera.end() == 200)
          await host.leave()
        }
      }
    }

    @Test("H.264 plays on the watch page by HLS, and by WebRTC and for participants as VP8, if Firefox has no H.264")
    func watching() async throws {
      try await Firefox.run { firefox in
        try await withServer(adjust: Firefox.reach) { server in
          try await server.openRoom()
          let host = try await server.goLive()
          try await watch(
            server, in: firefox, without: .nothing, by: "whep", what: "H.264 as VP8 over WebRTC in Firefox", atMost: 1000)
          let guest = try await BrowserClient.open(on: firefox.page())
          try await guest.join(url: server.url, token: try await server.token(user: "guest"))
          try await eventually("Firefox sees the host", within: .seconds(60)) {
            try await guest.received().contains { $0.kind == .video && $0.framesDecoded > 10 }
          }
          try await guest.leave()
          try await guest.close()
          #expect(try await server.metric("roomserver_renditions_total") >= 1)
          try await watch(server, in: firefox, without: .webRTC, by: "hls", what: "HLS with parts in Firefox", atMost: 4000)
          await host.leave()
        }
      }
    }

    @Test("VP8 plays on the watch page by WebRTC, and HTTP-FLV where no playlist arrives", arguments: BrowserKind.installed)
    func methods(kind: BrowserKind) async throws {
      try await kind.withServer { server, browser in
        try await server.openRoom()
        let camera = try await Participant.join(server, as: "camera")
        try await camera.publish(video: .vp8, tone: 440)
        try await watch(server, in: browser, without: .nothing, by: "whep", what: "VP8 over WebRTC in \(kind)", atMost: 1000)
        await camera.leave()
        let host = try await server.goLive()
        try await watch(
          server, in: browser, without: .playlists, by: "flv", what: "HTTP-FLV in \(kind)", atMost: 4000)
        await host.leave()
      }
    }

    /// Plays on the watch page by a method, and checks and prints the first picture and the delay, from drawing to the screen.
    /// - Parameter limit: the most for half of the time; ms.
    private func watch(
      _ server: TestServer, in browser: any Browser, without lack: WatchUser.Lack, by source: String, what: String,
      atMost limit: Int
    ) async throws {
      let viewer = try await WatchUser.open(server.http("/watch/demo?\(source)"), without: lack, in: browser)
      try await viewer.plays(by: source)
      // The browser is warm on the second visit.
      try await viewer.page.go(to: server.http("/watch/demo?again"))
      let first = try await viewer.firstPicture(of: "?again")
      try await viewer.plays(by: source)
      let delays = try await viewer.delays(for: .seconds(4))
      print("watch page, \(what): first picture after \(first) ms, \(delays)")
      #expect(first < 6000, "\(what): the first picture after \(first) ms")
      #expect(delays.p50 < limit, "\(what): \(delays)")
      #expect(delays.ages.count > 10 * delays.illegible, "\(what): \(delays)")
      #expect(try await viewer.page.record.errors == [])
      try await viewer.page.close()
    }

    @Test("a host goes live in the console with camera and microphone; a client and the audience receive both")
    func camera() async throws {
      try await Firefox.run { firefox in
        try await withServer(adjust: Firefox.reach) { server in
          try await server.openRoom()
          let host = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: firefox)
          try await host.goLive(as: "host", room: "demo", url: "rtmp://origin/live/demo", camera: nil)
          try await host.sees(".on-air[data-phase=live]")
          let client = try await Participant.join(server, as: "client")
          // Firefox's camera has 1280x720, of which the smallest layer has a quarter of the width.
          try await eventually("the client sees a larger layer and hears the tone of 1 kHz", within: .seconds(60)) {
            client.pictures(of: "host").size.map { $0.width >= 640 } == true && client.sound(of: "host").hears(1000)
          }
          // In H.264, which the server makes of Firefox's VP8.
          let viewer = try await WatchUser.open(server.http("/watch/demo"), without: .webRTC)
          try await viewer.plays(by: "hls")
          try await viewer.page.close()
          try await host.reportsNoErrors()
          await client.leave()
          try await host.page.close()
        }
      }
    }

    @Test("the first command's watch link plays in an unchanged Firefox, on a machine with one interface")
    func firstCommand() async throws {
      let machine = try NetworkNamespace()
      let setup = try Program(
        URL(filePath: "/usr/bin/env"),
        machine.prefix + [
          "sh", "-ec",
          """
          ip link set lo up; ip link add name lan type veth peer name far; ip address add 10.91.0.2/24 dev lan
          ip link set lan up; ip link set far up; ip route add default via 10.91.0.1
          """,
        ])
      try await eventually("the machine has an interface") { !setup.isRunning }
      let secret = "a secret of the tests, of at least 32 bytes"
      let server = try Program(
        URL(filePath: "/usr/bin/env"),
        machine.prefix + [Program.built("roomserver").path, "serve", "--dev", "--key", "dev", "--secret", secret])
      defer { server.stop() }
      try await eventually("the server serves", within: .seconds(60)) { server.text.contains("watch page") }
      let bots = try Program(
        URL(filePath: "/usr/bin/env"),
        machine.prefix + [
          Program.built("loadtest").path, "demo", "--codec", "vp8", "--width", "320", "--height", "180", "--fps", "15", "--url",
          "ws://127.0.0.1:8080/v1/signal", "--room", "demo", "--token-key", "dev", "--token-secret", secret,
        ])
      defer { bots.stop() }
      do {
        try await Firefox.run(prefix: machine.prefix) { firefox in
          let viewer = try await WatchUser.open("http://127.0.0.1:8080/watch/demo", in: firefox)
          try await viewer.plays(by: "whep")
          // Warm: the first visit also loads the browser's own parts.
          try await viewer.page.go(to: "http://127.0.0.1:8080/watch/demo?again")
          let first = try await viewer.firstPicture(of: "?again")
          print("Firefox, first command: first picture after \(first) ms")
          #expect(first < 4000)
        }
      } catch {
        throw BrowserFailure(description: "\(error); \(bots.text.suffix(300)); \(server.text.suffix(500))")
      }
    }
  }

  @Suite("WebKitGTK", .enabled(if: WebKit.isInstalled))
  struct WebKitTests {
    @Test("a stream plays on the watch page, and the console signs in")
    func watch() async throws {
      try await WebKit.run { browser in
        try await withServer { server in
          try await server.openRoom()
          let host = try await server.goLive()
          try await browser.go(to: server.http("/watch/demo"))
          let video = WatchUser.video
          try await browser.plays("\(video)?.currentTime > 1 && document.querySelector('room-player').getAttribute('method')")
          let source: String = try await browser.evaluate("document.querySelector('room-player').getAttribute('method')")
          print("WebKitGTK plays by \(source)")
          #expect(["hls", "flv", "native"].contains(source))
          try await browser.go(to: "\(server.page)#token=\(try server.apiToken())")
          try await browser.wait(until: "document.querySelector('.shell')?.checkVisibility()")
          await host.leave()
        }
      }
    }
  }
}
