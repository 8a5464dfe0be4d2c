import RoomClient
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("Data channels of a browser")
  struct BrowserDataTests {
    @Test("a browser and a RoomClient exchange messages, before there is a track and beside one", .timeLimit(.minutes(2)))
    func messages() async throws {
      try await withServer { server in
        let options = RoomOptions(data: true)
        let ann = try await Room.connect(to: server.url, token: try await server.token(user: "ann"), options: options)
        let page = try await BrowserClient.open()
        try await page.join(url: server.url, token: try await server.token(user: "page"), data: true)
        try await eventually("the channel is open") {
          try await page.send(.init(topic: "chat", text: "grüße", reliable: true))
        }
        let received = try #require(await ann.data.messages().first { _ in true })
        #expect(received == ReceivedData(userId: "page", topic: "chat", payload: Array("grüße".utf8), isReliable: true))
        try await ann.data.send(Array("to all".utf8))
        _ = try await page.publish(audio: .init(frequency: 440))
        let microphone = LocalAudioTrack()
        try await ann.publishAudio(microphone)
        try await eventually("the browser has an m-line for the track") {
          try await !page.received().isEmpty
        }
        try await ann.data.send(Array("beside".utf8), topic: "t", to: ["page"], reliable: false)
        try await eventually("both arrive") { try await page.messages().count == 2 }
        #expect(
          try await page.messages() == [
            .init(from: "ann", text: "to all", reliable: true), .init(from: "ann", topic: "t", text: "beside", reliable: false),
          ])
        try await page.leave()
        try await page.close()
        await ann.leave()
      }
    }
  }
}
