import RoomRTP
import RoomTestSupport
import Testing

private func requests(_ tracker: inout LossTracker, at time: Int64, roundTrip: Int64 = 0, room: Int = 64) -> [UInt16] {
  withUnsafeTemporaryAllocation(of: UInt16.self, capacity: room) { numbers in
    let count = tracker.requests(now: at(milliseconds: time), roundTrip: roundTrip, into: numbers)
    return Array(numbers[..<count])
  }
}

private func receive(_ tracker: inout LossTracker, _ sequences: [UInt16], at time: Int64 = 0) -> [LossTracker.Arrival] {
  sequences.map { tracker.receive($0, now: at(milliseconds: time)) }
}

@Suite struct LossTrackerTests {
  @Test("a gap is requested after the reorder tolerance, also across the wrap")
  func gap() {
    var tracker = LossTracker()
    let arrivals = receive(&tracker, [65533, 65534, 2])
    #expect(arrivals == [.inOrder, .inOrder, .afterGap(3)])
    #expect(tracker.missingCount == 3)
    let early = requests(&tracker, at: 4)
    #expect(early.isEmpty)
    #expect(tracker.deadline == at(milliseconds: 5))
    let due = requests(&tracker, at: 5)
    #expect(due == [65535, 0, 1])
    #expect(tracker.requestCount == 3)
  }

  @Test("reordered packets are never requested")
  func reordered() {
    var tracker = LossTracker()
    let arrivals = receive(&tracker, [1, 3, 2])
    #expect(arrivals == [.inOrder, .afterGap(1), .filledGap])
    #expect(tracker.missingCount == 0)
    #expect(tracker.deadline == nil)
    let due = requests(&tracker, at: 100)
    #expect(due.isEmpty)
  }

  @Test("a repeated request waits for the round trip")
  func retries() {
    var tracker = LossTracker()
    _ = receive(&tracker, [1, 3])
    let times = (0..<400).filter { !requests(&tracker, at: Int64($0), roundTrip: 80_000).isEmpty }
    #expect(times == [5, 105, 205, 305])
  }

  @Test("a packet is given up after the maximum requests or time")
  func abandoned() {
    var often = LossTracker(LossTracker.Policy(maximumRequests: 3))
    _ = receive(&often, [1, 3])
    let times = (0..<400).filter { !requests(&often, at: Int64($0)).isEmpty }
    #expect(times == [5, 25, 45])
    #expect(often.missingCount == 0 && often.abandonedCount == 1 && often.deadline == nil)
    let late = receive(&often, [2, 2])
    #expect(late == [.late, .duplicate])

    var long = LossTracker(LossTracker.Policy(maximumRequests: 200, patience: 100_000))
    _ = receive(&long, [1, 3])
    let all = (0..<400).filter { !requests(&long, at: Int64($0)).isEmpty }
    #expect(all == [5, 25, 45, 65, 85])
    #expect(long.abandonedCount == 1)
  }

  @Test("with little room the oldest packets are first, and the rest stays due")
  func littleRoom() {
    var tracker = LossTracker()
    _ = receive(&tracker, [0, 11])
    let first = requests(&tracker, at: 5, room: 4)
    let second = requests(&tracker, at: 5, room: 64)
    #expect(first == [1, 2, 3, 4])
    #expect(second == [5, 6, 7, 8, 9, 10])
  }

  @Test("duplicates are reported")
  func duplicates() {
    var tracker = LossTracker()
    let arrivals = receive(&tracker, [7, 7, 8, 7])
    #expect(arrivals == [.inOrder, .duplicate, .inOrder, .duplicate])
  }

  @Test("packets that leave the window are given up")
  func window() {
    var tracker = LossTracker(LossTracker.Policy(window: 64))
    _ = receive(&tracker, [0, 10])
    for sequence in UInt16(11)..<90 { _ = tracker.receive(sequence, now: at(milliseconds: 1)) }
    #expect(tracker.missingCount == 0)
    #expect(tracker.abandonedCount == 9)
    #expect(tracker.deadline == nil)
    let due = requests(&tracker, at: 100)
    #expect(due.isEmpty)
  }

  @Test("a distant stray changes nothing; a restarted sender is followed")
  func restart() {
    var tracker = LossTracker()
    let stray = receive(&tracker, [100, 101, 30_000, 102])
    #expect(stray == [.inOrder, .inOrder, .late, .inOrder])
    let anew = receive(&tracker, [40_000, 40_001, 40_002, 40_003, 40_004])
    #expect(anew == [.late, .late, .late, .restarted, .inOrder])
    #expect(tracker.missingCount == 0)
  }

  @Test("everything is repaired on a lossy, reordering link", arguments: 0..<8 as Range<UInt64>)
  func lossyLink(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var tracker = LossTracker()
    var link: [(time: Int64, sequence: UInt16)] = []
    var got = Set<Int64>()
    let total: Int64 = 80_000
    var next: Int64 = 65_000
    let first = next
    func transmit(_ sequence: UInt16, _ now: Int64) {
      if !random.chance(0.05) { link.append((now + 20 + Int64.random(in: 0...4, using: &random), sequence)) }
    }
    var unwrapper = SequenceUnwrapper()
    link.append((0, UInt16(truncatingIfNeeded: next)))
    next += 1
    for now in 0..<(total / 2 + 2000) {
      for _ in 0..<2 where next < first + total {
        transmit(UInt16(truncatingIfNeeded: next), now)
        next += 1
      }
      let arrived = link.filter { $0.time <= now }
      link.removeAll { $0.time <= now }
      for item in arrived {
        _ = tracker.receive(item.sequence, now: at(milliseconds: now))
        got.insert(unwrapper.unwrap(item.sequence))
      }
      for sequence in requests(&tracker, at: now, roundTrip: 45_000) where !random.chance(0.05) { transmit(sequence, now + 20) }
    }
    // No packets follow the last ones that would reveal their loss.
    #expect(Int64(got.count) >= total - 10)
    #expect(tracker.abandonedCount == 0)
    #expect(tracker.requestCount < UInt64(total) / 8)
  }

  @Test("random numbers never break the counters")
  func fuzzed() {
    var random = SeededGenerator(seed: 5)
    var tracker = LossTracker(LossTracker.Policy(window: 64))
    var sequence: UInt16 = 0
    for time in 0..<200_000 {
      sequence =
        random.chance(0.01)
        ? UInt16.random(in: 0 ... .max, using: &random) : sequence &+ UInt16.random(in: 0...5, using: &random)
      _ = tracker.receive(sequence, now: at(milliseconds: Int64(time)))
      if time % 7 == 0 { _ = requests(&tracker, at: Int64(time), room: 8) }
      #expect(tracker.missingCount >= 0 && tracker.missingCount < 64)
      #expect((tracker.deadline == nil) == (tracker.missingCount == 0))
    }
  }
}
