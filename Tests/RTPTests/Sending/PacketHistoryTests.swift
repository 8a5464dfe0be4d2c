import RoomRTP
import Testing

private func give(_ history: inout PacketHistory, _ sequence: UInt16, at time: Int64, interval: Int64 = 0) -> [UInt8]? {
  history.resend(sequence, now: at(milliseconds: time), minimumInterval: interval).map { Array($0) }
}

private func store(_ history: inout PacketHistory, _ bytes: [UInt8], _ sequence: UInt16, at time: Int64 = 0) {
  bytes.read { history.store($0, sequenceNumber: sequence, now: at(milliseconds: time)) }
}

@Suite struct PacketHistoryTests {
  @Test("a stored packet is resent byte for byte; an overwritten one is not")
  func ring() {
    var history = PacketHistory(PacketHistory.Limits(capacity: 16))
    for sequence in 0..<20 { store(&history, [UInt8(sequence), 1, 2], UInt16(truncatingIfNeeded: 65530 + sequence)) }
    let kept = give(&history, 13, at: 1)
    let overwritten = give(&history, 65531, at: 1)
    let never = give(&history, 14, at: 1)
    #expect(kept == [19, 1, 2])
    #expect(overwritten == nil && never == nil)
    #expect(history.resendCount == 1 && history.refusalCount == 2)
  }

  @Test("packets are not resent too often, too soon, too late or if too large")
  func limits() {
    var history = PacketHistory(
      PacketHistory.Limits(capacity: 16, packetSize: 4, maximumAge: 1_000_000, maximumResends: 2))
    store(&history, [1, 2, 3, 4, 5], 1)
    store(&history, [1], 2)
    store(&history, [1], 3)
    let large = give(&history, 1, at: 1)
    #expect(large == nil)
    let soon = give(&history, 2, at: 10, interval: 20_000)
    let first = give(&history, 2, at: 20, interval: 20_000)
    let again = give(&history, 2, at: 30, interval: 20_000)
    let second = give(&history, 2, at: 40, interval: 20_000)
    let often = give(&history, 2, at: 80, interval: 20_000)
    #expect([soon == nil, first == [1], again == nil, second == [1], often == nil] == Array(repeating: true, count: 5))
    let old = give(&history, 3, at: 1_001)
    #expect(old == nil)
  }
}
