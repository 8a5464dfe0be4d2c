import RoomRTP
import RoomTestSupport
import Testing

@Suite struct SequenceNumberTests {
  @Test("the number after 65535 is 0, and newer")
  func wrap() {
    let last = SequenceNumber(65535)
    #expect(last.next == 0)
    #expect(last.next.distance(from: last) == 1)
    #expect(last.distance(from: last.next) == -1)
    #expect(SequenceNumber(5).advanced(by: -10) == 65531)
  }

  @Test("unwrapping follows a stream across many wraps")
  func unwrap() {
    var unwrapper = SequenceUnwrapper()
    for number in Int64(65_000)..<400_000 {
      #expect(unwrapper.unwrap(UInt16(truncatingIfNeeded: number)) == number)
    }
    #expect(unwrapper.highest == 399_999)
  }

  @Test("an older number does not change the highest, and may precede the first")
  func reordered() {
    var unwrapper = SequenceUnwrapper()
    #expect(unwrapper.highest == nil)
    #expect(unwrapper.unwrap(2) == 2)
    #expect(unwrapper.unwrap(65534) == -2)
    #expect(unwrapper.highest == 2)
    #expect(unwrapper.peek(3) == 3)
    #expect(unwrapper.highest == 2)
  }

  @Test("random reordering within half the range is unwrapped correctly")
  func randomWalk() {
    var random = SeededGenerator(seed: 7)
    var unwrapper = SequenceUnwrapper()
    var position: Int64 = 30_000
    _ = unwrapper.unwrap(UInt16(truncatingIfNeeded: position))
    for _ in 0..<20_000 {
      let step = Int64.random(in: -200...300, using: &random)
      position += step
      #expect(unwrapper.unwrap(UInt16(truncatingIfNeeded: position)) == position)
    }
  }

  @Test("timestamps continue across the 32-bit wrap")
  func timestamps() {
    var unwrapper = TimestampUnwrapper()
    #expect(unwrapper.unwrap(.max - 10) == Int64(UInt32.max) - 10)
    #expect(unwrapper.unwrap(20) == Int64(UInt32.max) + 21)
    #expect(unwrapper.unwrap(.max) == Int64(UInt32.max))
    #expect(unwrapper.newest == Int64(UInt32.max) + 21)
  }
}
