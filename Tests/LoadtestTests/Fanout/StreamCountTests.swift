import Testing

@testable import RoomLoadtest

@Suite("Counting a stream by its sequence numbers")
struct StreamCountTests {
  private func count(_ numbers: some Sequence<Int>) -> StreamCount {
    var count = StreamCount()
    for number in numbers { count.count(UInt16(truncatingIfNeeded: number)) }
    return count
  }

  @Test("nothing is expected before the first packet")
  func empty() {
    let count = StreamCount()
    #expect(count.expected == 0 && count.received == 0 && count.lost == 0)
  }

  @Test("a stream without gaps has no losses, across many sequence number wraps")
  func wraps() {
    let count = count(65_000..<265_000)
    #expect(count.received == 200_000 && count.lost == 0 && count.duplicates == 0)
  }

  @Test("a gap is a loss, also across the wrap")
  func gaps() {
    #expect(count([10, 11, 15]).lost == 3)
    #expect(count([65_534, 65_535, 65_538]).lost == 2)
  }

  @Test("a late packet fills its gap")
  func reordered() {
    let count = count([1, 2, 5, 4, 3, 6])
    #expect(count.received == 6 && count.lost == 0)
  }

  @Test("a packet from before the first one counts")
  func beforeTheFirst() {
    let count = count([0, 65_535, 1])
    #expect(count.expected == 3 && count.lost == 0)
  }

  @Test("a duplicate hides no loss")
  func duplicates() {
    let count = count([1, 2, 2, 2, 4])
    #expect(count.received == 3 && count.duplicates == 2 && count.lost == 1)
  }

  @Test("a number that left the window counts as new after a wrap")
  func laps() {
    var count = StreamCount()
    for number in 0..<StreamCount.window { count.count(UInt16(number)) }
    let isNextNew = count.count(UInt16(StreamCount.window))
    let isFirstNewAgain = count.count(0)
    #expect(isNextNew && !isFirstNewAgain)
    #expect(count.late == 1 && count.lost == 0)
  }

  @Test("a gap wider than the window is counted completely")
  func wideGap() {
    let count = count([0, 5000, 5001])
    #expect(count.lost == 4999 && count.received == 3)
  }

  @Test("received and lost packets always add up", arguments: 1...20)
  func anything(seed: UInt64) {
    var state = seed
    var count = StreamCount()
    var fresh = 0
    for _ in 0..<5000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      if count.count(UInt16(truncatingIfNeeded: state >> 40)) { fresh += 1 }
    }
    #expect(count.received == fresh)
    #expect(count.received + count.duplicates + count.late == 5000)
    #expect(count.lost >= 0)
  }
}
