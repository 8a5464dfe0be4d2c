import RoomClient
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("Rejected peers")
  struct RejectionTests {
    @Test("an expired token, one signed with another secret, and an invalid one are rejected with 10002")
    func tokens() async throws {
      try await withServer { server in
        let tokens = [
          try await server.token(user: "alice", expiresIn: -60),
          try await server.token(user: "alice", secret: "another secret of at least 32 bytes"),
          "not a token",
        ]
        for token in tokens {
          let error = await #expect(throws: RoomError.self) {
            _ = try await Room.connect(to: server.url, token: token)
          }
          #expect(error?.code == .tokenInvalid)
        }
      }
    }

    @Test("a peer whose certificate does not match its description can't send media")
    func wrongCertificate() async throws {
      try await withServer { server in
        let swift = try await Participant.join(server, as: "swift")
        let browser = try await BrowserClient.open()
        try await browser.join(url: server.url, token: try await server.token(user: "browser"))
        _ = try await browser.publish(video: .init(codec: "VP8"), audio: .init(frequency: 700), wrongFingerprint: true)
        try await eventually("the connection fails") { try await browser.state().failed > 0 }
        #expect(try await browser.state().publishing != "connected")
        #expect(try await server.metric("roomserver_media_rtp_received_total") == 0)
        #expect(swift.pictures(of: "browser").decoded == 0)
        try await browser.close()
        await swift.leave()
      }
    }
  }
}
