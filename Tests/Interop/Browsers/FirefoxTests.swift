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
    /// Waits until the watch page plays by a method, and its pictures advance. Returns the milliseconds to the first picture.
    private func plays(_ page: any WebPage, _ url: String, by source: String) async throws -> Int {
      let start = ContinuousClock.now
      try await page.go(to: url)
      try await page.waits(until: "document.querySelector('.screen')?.dataset.source === '\(source)'")
      let video = "document.querySelector('video')"
      try await page.waits(until: "\(video).readyState >= 2 && \(video).videoWidth > 0")
      let first = ContinuousClock.now - start
      let before: Double = try await page.evaluate("\(video).currentTime")
      try await page.waits(until: "\(video).currentTime >= \(before + 1)")
      return Int(first.components.seconds * 1000 + first.components.attoseconds / 1_000_000_000_000_000)
    }

    @Test("participants see each other, WHIP and WHEP work, and the watch page plays by each method")
    func scenarios() async throws {
      let firefox = try await Firefox.start()
      do { try await run(in: firefox) } catch {
        await firefox.quit()
        throw error
      }
      await firefox.quit()
    }

    private func run(in firefox: Firefox) async throws {
      // Firefox offers the addresses of interfaces only, and reaches no server on the loopback address from them.
      try await withServer(adjust: { $0.media.bind = ["127.0.0.1", "::"] }) { server in
        try await server.openRoom()
        let host = try await Participant.join(server, as: "host")
        try await host.publish(video: .vp8, tone: 440)

        // A participant: both sides see each other. Without a sound device Firefox runs no AudioContext, so the page's tone is silent.
        let guest = try await BrowserClient.open(on: firefox.page())
        try await guest.join(url: server.url, token: try await server.token(user: "guest"))
        _ = try await guest.publish(video: .init(codec: "VP8"), audio: .init(frequency: 880))
        try await eventually("the host sees Firefox", within: .seconds(60)) { host.pictures(of: "guest").decoded > 10 }
        try await eventually("Firefox sees the host, and receives the sound", within: .seconds(60)) {
          let received = try await guest.received()
          return received.contains { $0.kind == .video && $0.framesDecoded > 10 }
            && received.contains { $0.kind == .audio && $0.packets > 50 }
        }
        try await guest.leave()
        try await guest.close()

        // WHIP from Firefox, and WHEP of it in Firefox.
        let camera = try await WHIPPage.open(on: firefox.page())
        try await camera.publish(
          to: server.http("/whip/demo"), token: try await server.token(user: "camera", grants: [.publish]))
        try await eventually("the host sees the camera and hears the microphone, whose tone has 1 kHz", within: .seconds(60)) {
          host.pictures(of: "camera").decoded > 10 && host.sound(of: "camera").hears(1000)
        }
        let viewer = try await WHIPPage.open(on: firefox.page())
        try await viewer.play(
          from: server.http("/whep/demo/camera"), token: try await server.token(user: "viewer", grants: [.subscribe]))
        try await eventually("the viewer sees it", within: .seconds(60)) { try await viewer.session().framesDecoded > 10 }
        #expect(try await viewer.end() == 200)
        #expect(try await camera.end() == 200)

        // The watch page, by each method.
        let page = try await firefox.page()
        let first = try await plays(page, server.http("/watch/demo"), by: "whep")
        try await firefox.set("media.peerconnection.enabled", false)
        let job = #"{"jobId":"live","userId":"host","publishUrl":"rtmp://origin/live/demo"}"#
        #expect(try await server.api("POST", "/v1/rooms/demo/jobs", json: job).status == 201)
        try await eventually("the stream is on air") {
          String(decoding: try await server.api("GET", "/v1/streams").body, as: UTF8.self).contains("demo")
        }
        let second = try await plays(page, server.http("/watch/demo?hls"), by: "hls")
        print("Firefox: first picture by WebRTC after \(first) ms, by HLS after \(second) ms, with the page's load")
        try await firefox.set("media.peerconnection.enabled", true)
        try await page.close()
        await host.leave()
      }
      // Without HLS, HTTP-FLV is next.
      try await withServer(adjust: {
        $0.media.bind = ["127.0.0.1", "::"]
        $0.origin.hls.streams = 0
      }) { server in
        try await server.openRoom()
        let host = try await server.goLive()
        let page = try await firefox.page()
        // The room's H.264 becomes VP8 for Firefox: on the watch page, and for a participant.
        let rendition = try await plays(page, server.http("/watch/demo?vp8"), by: "whep")
        print("Firefox: first picture of H.264 as VP8 after \(rendition) ms, with the page's load")
        let guest = try await BrowserClient.open(on: firefox.page())
        try await guest.join(url: server.url, token: try await server.token(user: "guest"))
        try await eventually("Firefox sees the host", within: .seconds(60)) {
          try await guest.received().contains { $0.kind == .video && $0.framesDecoded > 10 }
        }
        try await guest.leave()
        try await guest.close()
        #expect(try await server.metric("roomserver_renditions_total") == 1, "both receive the same rendition")
        try await firefox.set("media.peerconnection.enabled", false)
        let first = try await plays(page, server.http("/watch/demo"), by: "flv")
        print("Firefox: first picture by HTTP-FLV after \(first) ms, with the page's load")
        try await firefox.set("media.peerconnection.enabled", true)
        try await page.close()
        await host.leave()
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
      let firefox = try await Firefox.start(prefix: machine.prefix)
      do {
        let page = try await firefox.page()
        _ = try await plays(page, "http://127.0.0.1:8080/watch/demo", by: "whep")
        // Warm: the first visit also loads the browser's own parts.
        let first = try await plays(page, "http://127.0.0.1:8080/watch/demo?again", by: "whep")
        print("Firefox, first command: first picture after \(first) ms")
        #expect(first < 4000)
      } catch {
        await firefox.quit()
        throw BrowserFailure(description: "\(error); \(bots.text.suffix(300)); \(server.text.suffix(500))")
      }
      await firefox.quit()
    }
  }

  @Suite("WebKitGTK", .enabled(if: WebKit.isInstalled))
  struct WebKitTests {
    @Test("a stream plays on the watch page, and the console signs in")
    func watch() async throws {
      let browser = try await WebKit.start()
      do {
        try await withServer { server in
          try await server.openRoom()
          let host = try await server.goLive()
          try await browser.go(to: server.http("/watch/demo"))
          let video = "document.querySelector('video')"
          try await browser.waits(until: "\(video)?.currentTime > 1 && document.querySelector('.screen').dataset.source")
          let source: String = try await browser.evaluate("document.querySelector('.screen').dataset.source")
          print("WebKitGTK plays by \(source)")
          #expect(["hls", "flv", "native"].contains(source))
          try await browser.go(to: "\(server.page)#token=\(try server.apiToken())")
          try await browser.waits(until: "document.querySelector('.shell')?.checkVisibility()")
          await host.leave()
        }
      } catch {
        try await browser.close()
        throw error
      }
      try await browser.close()
    }
  }
}
