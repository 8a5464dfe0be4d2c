import Testing

@testable import RoomLoadtest

@Suite("Delays of packets")
struct PacketDelaysTests {
  @Test(
    "a delay is rounded down to 0.1 ms below 20 ms, to 1 ms above, and to 511 ms beyond",
    arguments: [(0, 0), (99, 0), (100, 0.1), (19_999, 19.9), (20_000, 20), (20_999, 20), (123_456, 123), (2_000_000, 511)])
  func steps(microseconds: Int64, milliseconds: Double) {
    var delays = PacketDelays()
    delays.add(microseconds)
    #expect(delays.quantile(0.5) == milliseconds)
  }

  @Test("quantiles are those of the packets since an earlier state")
  func quantiles() {
    var before = PacketDelays()
    for _ in 0..<100 { before.add(50_000) }
    var delays = before
    for number in 1...100 { delays.add(Int64(number) * 100) }
    #expect((delays - before).quantile(0.5) == 5)
    #expect((delays - before).quantile(0.99) == 9.9)
  }
}
