import RoomCLinux
import RoomClient
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("Leaks")
  struct LeakTests {
    @Test("500 joins and leaves, and a killed client, leave nothing behind", .timeLimit(.minutes(10)))
    func joinsAndLeaves() async throws {
      try await withServer(grace: .seconds(1)) { server in
        // The first rounds fill caches and pools, and start the browser.
        try await joinAndLeave(server, times: 50)
        try await killedClient(server)
        try await eventually("the first rounds are over") { try await server.isEmpty() }
        let descriptors = linux_open_descriptors()
        let memory = linux_resident_bytes()

        try await joinAndLeave(server, times: 500)
        try await killedClient(server)

        try await eventually("no room and no transport is left") { try await server.isEmpty() }
        try await eventually("the descriptors are back") { linux_open_descriptors() <= descriptors + 4 }
        #expect(linux_resident_bytes() - memory < 32 << 20)
      }
    }

    func joinAndLeave(_ server: TestServer, times: Int) async throws {
      for round in 0..<times {
        let participant = try await Participant.join(server, room: "room\(round % 7)", as: "user\(round)")
        // Every tenth client connects media too.
        if round.isMultiple(of: 10) { try await participant.publish(video: .vp8, tone: 440) }
        await participant.leave()
      }
    }

    /// A client whose process dies sends nothing, neither on its socket nor on its transports.
    func killedClient(_ server: TestServer) async throws {
      let witness = try await Participant.join(server, room: "killed", as: "witness")
      let victim = try await BrowserClient.open()
      try await victim.join(url: server.url, token: try await server.token(user: "victim", room: "killed"))
      _ = try await victim.publish(video: .init(codec: "VP8"), audio: .init(frequency: 700))
      try await eventually("the victim's pictures flow") { witness.pictures(of: "victim").decoded > 0 }
      try await victim.crash()
      try await eventually("the victim is disconnected") { witness.room.participants.isEmpty }
      await witness.leave()
    }
  }
}
