import RoomClient
import RoomLinkModel
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("Redundant audio")
  struct RedundantAudioTests {
    @Test(
      "Chromium sends RED, which the server uses, and through a link that loses 20 % it has to make up little",
      .timeLimit(.minutes(3)))
    func chromium() async throws {
      try await withServer { server in
        func detours(_ link: BadNetwork) -> [String: UInt16] {
          var detours: [String: UInt16] = [:]
          for port in server.mediaPorts {
            detours["\(port)"] = link.detour(for: .init(ipv4: 0x7F00_0001, port: port)).port
          }
          return detours
        }
        let uplink = BadNetwork(LinkConditions(loss: 0.05, delay: 20_000), seed: 7)
        let link = BadNetwork(LinkConditions(loss: 0.2, delay: 20_000), seed: 8)
        let speaker = try await BrowserClient.open()
        try await speaker.join(url: server.url, token: try await server.token(user: "speaker"), detours: detours(uplink))
        _ = try await speaker.publish(audio: .init(frequency: 700))
        let listener = try await BrowserClient.open()
        try await listener.join(url: server.url, token: try await server.token(user: "listener"), detours: detours(link))
        let swift = try await Participant.join(server, as: "swift")

        #expect(try await speaker.sound().codecs.first == "audio/red")
        try await eventually("the server restores what the browser's link loses") {
          try await server.metric("roomserver_media_audio_restored_total") >= 10
        }
        try await eventually("the listener hears the tone") {
          try await listener.received().contains { abs($0.frequency - 700) < 12 && $0.level > -60 }
        }
        #expect(try await listener.sound().answered)
        try await eventually("the client hears the tone") { swift.sound(of: "speaker").hears(700) }
        // Browsers report on sound every five seconds.
        try await eventually("the server repeats packets") {
          try await server.metric("roomserver_media_audio_redundant_total") > 100
        }
        let before = try await listener.sound()
        let seconds = TestLength.pick(10, long: 30)
        try await eventually("some seconds of sound", within: .seconds(60)) {
          try await listener.sound().samples - before.samples > Double(seconds * 48_000)
        }
        let after = try await listener.sound()
        let repeated = try await server.metric("roomserver_media_audio_redundant_total")
        let forwarded = try await server.metric("roomserver_media_rtp_forwarded_total")
        let concealed = (after.concealed - before.concealed) / (after.samples - before.samples)
        #expect(after.lost - before.lost > seconds * 4, "the link loses")
        #expect(
          concealed < 0.04,
          "\(concealed) of the sound was made up, \(after.lost - before.lost) packets lost, \(repeated) of \(forwarded) had copies"
        )
        for page in [speaker, listener] {
          #expect(try await page.state().failure == nil)
          try await page.leave()
          try await page.close()
        }
        await swift.leave()
      }
    }
  }
}
