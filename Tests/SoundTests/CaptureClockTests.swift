import RoomRTP
@testable import RoomSound
import RoomTestSupport
import Testing

@Suite("The clock of a capture")
struct CaptureClockTests {
  @Test("jittery times become even and follow a clock that is 200 ppm off; an interruption is kept")
  func even() {
    var clock = CaptureClock()
    var random = SeededGenerator(seed: 1)
    var last = clock.start(measured: .zero)
    for index in 1..<60_000 {
      let due = Int64(Double(index) * 10_002)
      let time = clock.start(measured: MediaTime(microseconds: due + Int64.random(in: 0...20_000, using: &random)))
      #expect((9500...10_500).contains(time - last))
      last = time
    }
    #expect(abs(last - MediaTime(microseconds: 59_999 * 10_002 + 10_000)) < 5000)
    #expect(clock.start(measured: last.advanced(milliseconds: 1000)) == last.advanced(milliseconds: 1000))
  }
}
