import Foundation
import RoomTestSupport
import Testing

@testable import RoomClient

@Suite("A fan")
struct FanTests {
  @Test("sends every element to every reader, in one order") func fansOut() async {
    let fan = Broadcaster<Int>()
    let streams = (0..<3).map { _ in fan.stream(backlog: 100) }
    for number in 0..<50 { fan.send(number) }
    fan.finish()
    for stream in streams {
      var got: [Int] = []
      for await number in stream { got.append(number) }
      #expect(got == Array(0..<50))
    }
  }

  @Test("a slow reader loses only its own oldest elements") func boundsReaders() async {
    let fan = Broadcaster<Int>()
    let slow = fan.stream(backlog: 5)
    let fast = fan.stream(backlog: 100)
    for number in 0..<20 { fan.send(number) }
    fan.finish()
    var got: [Int] = []
    for await number in slow { got.append(number) }
    #expect(got == Array(15..<20))
    var all = 0
    for await _ in fast { all += 1 }
    #expect(all == 20)
  }

  @Test("the first stream has the elements since the beginning, up to its bound") func keepsEarly() async throws {
    let fan = Broadcaster<Int>(openingBacklog: 3)
    for number in 0..<5 { fan.send(number) }
    let first = try #require(fan.takeOpening())
    #expect(fan.takeOpening() == nil)
    let second = fan.stream(backlog: 10)
    fan.send(9)
    fan.finish()
    var got: [Int] = []
    for await number in first { got.append(number) }
    #expect(got == [3, 4, 9])
    got = []
    for await number in second { got.append(number) }
    #expect(got == [9])
  }

  @Test("a stream created after the end is finished") func afterTheEnd() async {
    let fan = Broadcaster<Int>()
    fan.finish()
    var count = 0
    for await _ in fan.stream(backlog: 1) { count += 1 }
    #expect(count == 0)
  }

  /// The end of a cancelled reader's stream and an element that resumes the reader once waited for each other.
  @Test("readers may be cancelled while elements are sent", .timeLimit(.minutes(1))) func cancelledReaders() async throws {
    let fan = Broadcaster<Int>()
    let isOver = Shared(false)
    let isSending = Shared(true)
    Thread.detachNewThread {
      while !isOver.withLock({ $0 }) { fan.send(1) }
      isSending.withLock { $0 = false }
    }
    for _ in 0..<3000 {
      let stream = fan.stream(backlog: 1)
      let reader = Task { for await _ in stream {} }
      await Task.yield()
      reader.cancel()
      await reader.value
    }
    isOver.withLock { $0 = true }
    try await eventually("the sender is not blocked") { !isSending.withLock { $0 } }
  }
}
