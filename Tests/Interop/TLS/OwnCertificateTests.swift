import Foundation
import RoomPeers
import RoomClient
import RoomHTTPServer
import RoomServer
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("HTTPS and RTMPS with the server's own certificate")
  struct OwnCertificateTests {
    private func with(_ body: (TestServer) async throws -> Void) async throws {
      let files = try CertificateFiles()
      try await withServer(adjust: { $0.tls = TLSSettings(certificate: files.certificate, key: files.key) }, body)
    }

    @Test("signalling, HTTP-FLV and HLS work over HTTPS; ffmpeg publishes and ffprobe plays over RTMPS")
    func media() async throws {
      try await with { server in
        try await expectAllPasses(try #require(server.securePort), before: server)

        let token = try await server.token(user: "encoder", room: "secret", grants: [.publish])
        let encoder = try Peer.encoder(try server.rtmps("live/secret?token=\(token)"))
        try await eventually("the stream is published") {
          if !encoder.isRunning { throw ProgramFailure(what: encoder.text) }
          return String(decoding: try await server.api("GET", "/v1/streams").body, as: UTF8.self).contains("live/secret")
        }
        let probe = try Peer.probe(try server.rtmps("live/secret"), packets: 60)
        #expect(try await probe.finish() == 0, "\(probe.text)")
        #expect(probe.text.contains("\"h264\"") && probe.text.contains("\"aac\""))
      }
    }

    @Test("no signalling packet waits for the acknowledgement of another")
    func quick() async throws {
      try await with { server in
        var options = RoomOptions()
        options.trust = .none
        let room = try await Room.connect(
          to: "wss://127.0.0.1:\(try #require(server.securePort))/v1/signal", token: try await server.token(user: "alice"),
          options: options)
        var quickest = Duration.seconds(10)
        for _ in 0..<20 {
          let begun = ContinuousClock.now
          try await room.messages.send("hello")
          quickest = min(quickest, ContinuousClock.now - begun)
        }
        // Nagle's algorithm with delayed acknowledgements would take 40 ms each time.
        #expect(quickest < .milliseconds(30))
        await room.leave()
      }
    }

    @Test("a page loaded over HTTPS has camera access and uses wss signalling")
    func console() async throws {
      try await with { server in
        let page = "https://127.0.0.1:\(try #require(server.securePort))/"
        #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"demo"}"#).status == 201)
        let user = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared(), at: page)
        try await user.go("rooms/demo")
        try await user.join(as: "alice")
        #expect(try await user.page.evaluate("window.isSecureContext && window.sockets.at(-1).url.startsWith('wss://')"))
        try await eventually("the camera is sent") { try await server.metric("roomserver_published_tracks") == 2 }
        try await user.reportsNoErrors(except: "404")
        try await user.page.close()
      }
    }
  }
}
