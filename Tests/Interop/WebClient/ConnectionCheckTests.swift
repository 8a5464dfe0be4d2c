import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The web client's check of a connection", .timeLimit(.minutes(3)))
  struct ConnectionCheckTests {
    private struct Step: Decodable {
      var name, state: String
      var reason: String?
      var roundTrip, bitrate: Double?
    }

    private func check(_ page: ClientPage, _ server: String, _ token: String) async throws -> [String: Step] {
      let statements = """
        const steps = []
        for await (const step of client.checkConnection('\(server)', '\(token)', { seconds: 2 })) steps.push(step)
        return steps.map(({ name, state, reason, roundTrip, bitrate }) => ({ name, state, reason, roundTrip, bitrate }))
        """
      return Dictionary(try await page.run(statements, as: [Step].self).map { ($0.name, $0) }) { first, _ in first }
    }

    @Test("each way to the server is tried with media and measured, and the room is empty afterwards")
    func ways() async throws {
      try await withServer { server in
        let page = try await ClientPage(of: server.http(""))
        let steps = try await check(page, server.http(""), try await server.token(user: "ann", grants: [.publish]))
        for name in ["camera", "microphone", "signalling", "udp", "tcp"] {
          #expect(steps[name]?.state == "passed", "\(name): \(steps[name]?.reason ?? "")")
        }
        #expect(steps["relay"]?.state == "skipped")
        #expect(steps["signalling"]?.roundTrip ?? 0 > 0)
        for way in ["udp", "tcp"] { #expect(steps[way]?.bitrate ?? 0 > 50_000 && steps[way]?.roundTrip != nil) }
        try await eventually("nobody is left") { try await server.isEmpty() }
        try await page.page.close()
      }
    }

    @Test("a refused token and a server that is not there are results, and no exception")
    func failures() async throws {
      try await withServer { server in
        let page = try await ClientPage(of: server.http(""))
        let steps = try await check(page, server.http(""), "no token")
        for name in ["signalling", "udp", "tcp"] { #expect(steps[name]?.state == "failed" && steps[name]?.reason != nil) }
        #expect(try await check(page, "http://127.0.0.1:9", "")["signalling"]?.state == "failed")
        try await page.page.close()
      }
    }
  }
}
