import RoomLiveOrigin
import RoomRTP
import Testing

@Suite struct HLSSessionsTests {
  private func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

  @Test("a player is known for as long as it sends requests")
  func renewal() {
    var sessions = HLSSessions(patience: 10_000_000)
    let early = sessions.renew("a", now: at(0))
    #expect(!early)
    sessions.begin("a", now: at(0))
    for second in stride(from: Int64(0), through: 100, by: 10) {
      let isKnown = sessions.renew("a", now: at(second))
      #expect(isKnown)
    }
    let (late, other, again) = (
      sessions.renew("a", now: at(111)), sessions.renew("b", now: at(111)), sessions.renew("a", now: at(111))
    )
    #expect(!late && !other && !again)
  }

  @Test("the number of players is bounded, and idle ones make room")
  func bounds() {
    var sessions = HLSSessions(patience: 10_000_000, capacity: 2)
    for words in ["a", "b", "c"] { sessions.begin(words, now: at(0)) }
    let known = ["a", "b", "c"].filter { sessions.renew($0, now: at(5)) }
    #expect(known == ["a", "b"])
    sessions.begin("c", now: at(16))
    let later = ["a", "b", "c"].filter { sessions.renew($0, now: at(16)) }
    #expect(later == ["c"])
  }
}
