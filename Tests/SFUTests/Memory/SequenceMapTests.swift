import RoomTestSupport
import Testing

@testable import RoomSFU

@Suite("sequence map")
struct SequenceMapTests {
  @Test("numbers continue without a gap over omitted packets, and lost packets leave gaps")
  func continuity() {
    var map = SequenceMap(start: 100)
    #expect(map.outgoing(5000) == nil)
    map.open(at: 5000)
    #expect(map.outgoing(5000)?.number == 100)
    #expect(map.outgoing(4999) == nil)
    #expect(map.outgoing(5003)?.number == 103)
    map.close(before: 5010)
    #expect(map.outgoing(5009)?.number == 109)
    #expect(map.outgoing(5010) == nil)
    #expect(map.next(after: 5009) == 110)
    map.open(at: 6000)
    #expect(map.outgoing(6000)?.number == 110)
    #expect(map.outgoing(5009)?.number == 109, "a late packet keeps its own number")
    #expect(map.outgoing(5500) == nil)
    #expect(map.incoming(109)?.sequence == 5009)
    #expect(map.incoming(110)?.sequence == 6000)
    #expect(map.incoming(99) == nil)
  }

  @Test(
    "no number is assigned to two packets, and both directions agree, over any opening and closing",
    arguments: 1...20 as ClosedRange<UInt64>)
  func noNumberTwice(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var map = SequenceMap(start: Int64.random(in: 1..<16_384, using: &generator))
    var given: [Int64: Int64] = [:]
    var highest: Int64 = 65_536
    var forgotten = Int64.min
    for _ in 0..<3000 {
      switch Int.random(in: 0..<20, using: &generator) {
      case 0: map.close(before: highest + 1)
      case 1 where Bool.random(using: &generator) && Bool.random(using: &generator):
        map.forget(after: highest)
        forgotten = map.next(after: highest)
      case 1: map.open(at: highest - Int64.random(in: -3...20, using: &generator))
      default:
        highest += Int64.random(in: 0...2, using: &generator)
        let sequence = max(1, highest - Int64.random(in: 0...30, using: &generator))
        guard let number = map.outgoing(sequence)?.number else { continue }
        #expect(number >= forgotten && given[number] ?? sequence == sequence)
        given[number] = sequence
        #expect(map.incoming(number)?.sequence == sequence)
        #expect(number < map.next(after: highest))
      }
    }
    #expect(given.count > 100)
  }
}
