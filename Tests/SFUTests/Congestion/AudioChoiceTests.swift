import Testing

@testable import RoomSFU

@Suite("the choice of audio on a thin path")
struct AudioChoiceTests {
  private func demand(_ rate: Int, speaks: Bool = false, isSent: Bool = true) -> AudioChoice.Demand {
    .init(rate: rate, isSpeaking: speaks, isSent: isSent)
  }

  @Test("those who speak come first, then those who are sent")
  func order() {
    #expect(AudioChoice.choose([demand(50), demand(50, speaks: true), demand(50)], bitrate: 100) == [true, true, false])
    #expect(AudioChoice.choose([demand(50, isSent: false), demand(50)], bitrate: 60) == [false, true])
    #expect(AudioChoice.choose([demand(50), demand(50, speaks: true, isSent: false)], bitrate: 60) == [false, true])
  }

  @Test("one more needs some room, and silent streams that cost nothing are kept")
  func room() {
    #expect(AudioChoice.choose([demand(50), demand(50, isSent: false)], bitrate: 100) == [true, false])
    #expect(AudioChoice.choose([demand(50), demand(50, isSent: false)], bitrate: 110) == [true, true])
    #expect(
      AudioChoice.choose([demand(50, speaks: true), demand(0), demand(50), demand(2)], bitrate: 60) == [
        true, true, false, true,
      ])
  }

  @Test("one is sent in any case")
  func least() {
    #expect(AudioChoice.choose([demand(50), demand(50)], bitrate: 0) == [true, false])
    #expect(AudioChoice.choose([], bitrate: 0) == [])
  }
}
