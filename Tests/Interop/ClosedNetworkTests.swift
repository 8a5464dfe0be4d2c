import RoomLiveOrigin
import RoomClient
import RoomProtocol
import RoomServer
import RoomEngine
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("Chromium in closed networks")
  struct ClosedNetworkTests {
    /// Exchanges media in both directions between a browser on the given path and a UDP client. Returns the paths that the
    /// browser reports.
    private func exchange(_ server: TestServer, _ way: BrowserClient.Way) async throws -> [BrowserClient.Path] {
      let swift = try await Participant.join(server, as: "swift")
      let browser = try await BrowserClient.open()
      try await browser.join(url: server.url, token: try await server.token(user: "browser"), way: way)
      try await swift.publish(video: .vp8, tone: 440)
      _ = try await browser.publish(video: .init(codec: "VP8"), audio: .init(frequency: 700))
      try await eventually("the client decodes the browser's pictures") { swift.pictures(of: "browser").decoded >= 30 }
      try await eventually("the client hears the browser's tone") { swift.sound(of: "browser").hears(700) }
      try await eventually("the browser decodes the client's pictures") {
        try await browser.received().contains { $0.kind == .video && $0.framesDecoded >= 30 }
      }
      try await eventually("the browser hears the client's tone") {
        try await browser.received().contains { $0.kind == .audio && abs($0.frequency - 440) < 12 && $0.level > -60 }
      }
      let paths = try await browser.paths()
      #expect(try await browser.state().failure == nil)
      try await browser.leave()
      try await browser.close()
      await swift.leave()
      return paths
    }

    @Test("without UDP, media flows through the server's TCP candidate")
    func overTCP() async throws {
      try await withServer { server in
        let paths = try await exchange(server, .tcp)
        #expect(paths.count == 2)
        for path in paths { #expect(path.localProtocol == "tcp" && path.remoteProtocol == "tcp" && path.localType != "relay") }
        #expect(try await server.metric("roomserver_media_tcp_accepted_total") >= 2)
        #expect(try await server.metric("roomserver_media_tcp_malformed_total") == 0)
      }
    }

    @Test("with a relay only, media flows through coturn with the server's credentials", arguments: [false, true])
    func relayed(overTCP: Bool) async throws {
      try await Coturn.with { coturn in
        let setting = ICEServerSetting(urls: [coturn.url(overTCP: overTCP)], access: .secret(Secret(coturn.secret)))
        try await withServer(adjust: { $0.iceServers = [setting] }) { server in
          let paths = try await exchange(server, .relay)
          #expect(paths.count == 2)
          for path in paths {
            #expect(path.localType == "relay" && path.remoteProtocol == "udp")
            #expect(path.relayProtocol == (overTCP ? "tcp" : "udp"))
          }
        }
      }
    }
  }
}
