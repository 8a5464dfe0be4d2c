import RoomLinkModel
import RoomRTP
import Testing

@testable import RoomNodeLink

@Suite("Node link: arrivals, and peers that misuse them") struct ArrivalReportTests {
  private func read(_ block: ControlBlock, count: Int? = nil) -> ControlBlock? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: block.bytes, alignment: 8)
    defer { buffer.deallocate() }
    guard let base = buffer.baseAddress else { return nil }
    block.write(to: base)
    return ControlBlock.read(UnsafeRawBufferPointer(rebasing: buffer[..<(count ?? block.bytes)]))
  }

  @Test("arrivals cross with 32 µs of precision, also where the clock's 32 bits wrap; an incomplete block is refused")
  func wire() {
    let base = Instant(microseconds: 1 << 32 - 50)
    var report = ArrivalReport(first: 9, base: base.stamp, repaired: 7, entries: [])
    let arrivals: [Instant?] = [base, nil, base.advanced(microseconds: 100), base.advanced(microseconds: 2_000_000)]
    for arrival in arrivals { report.append(arrival) }
    #expect(read(.arrivals(report)) == .arrivals(report))
    for (index, arrival) in arrivals.enumerated() {
      #expect((report.stamp(index) == nil) == (arrival == nil))
      guard let stamp = report.stamp(index), let arrival else { continue }
      #expect((0..<32).contains(arrival.stamp &- stamp))
    }
    for count in 1..<report.bytes { #expect(read(.arrivals(report), count: count) == nil) }
    // A time before the base, which no receiver sends.
    report.append(base.advanced(microseconds: -1))
    #expect(report.stamp(4) == base.stamp)
  }

  @Test("the feed of an earlier version asks for no arrivals") func earlier() {
    #expect(read(.feed(stream: 1, StreamFeed())) == .feed(stream: 1, StreamFeed(wantsArrivals: true)))
    let old: [UInt8] = [4, 0, 0, 0, 1, 1]
    #expect(old.withUnsafeBytes { ControlBlock.read($0) } == .feed(stream: 1, StreamFeed(wantsArrivals: false)))
  }

  @Test(
    "a peer that reports what it likes: what waits is bounded, the limit stays above the minimum, audio crosses",
    arguments: 1...4)
  func lies(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let conditions = LinkConditions(delay: 5_000)
    let nodes = try VirtualNodes(down: conditions, up: conditions)
    let show = VirtualShow(nodes, videos: [[900, 200], [900, 200]])
    var number: UInt64 = 1
    for _ in 0..<400 {
      show.run(milliseconds: 20)
      let count = Int.random(in: 0...40, using: &random)
      let entries = (0..<count).map { index in
        Bool.random(using: &random) ? UInt16.random(in: 0...(.max), using: &random) : UInt16(index * 400)
      }
      nodes.near.take(
        ArrivalReport(
          first: number, base: .random(in: 0...(.max), using: &random), repaired: .random(in: 0...(.max), using: &random),
          entries: entries), now: nodes.now)
      number = Int.random(in: 0..<20, using: &random) == 0 ? .random(in: 0...(.max), using: &random) : number &+ UInt64(count)
      let adaptation = nodes.near.adaptation
      #expect(adaptation.waiting <= WaitingRecords.capacity)
      #expect(adaptation.limit ?? 100_000 >= 100_000)
    }
    #expect(show.audio.dropLast(10).allSatisfy { $0.arrived != nil })
  }

  @Test("a peer that falls silent on a narrow link: what waits is bounded and dropped") func silent() throws {
    var conditions = LinkConditions(delay: 20_000)
    conditions.limit(rate: 2_000_000, queueing: 300)
    let nodes = try VirtualNodes(down: conditions, up: LinkConditions(delay: 20_000))
    let show = VirtualShow(nodes, videos: [[3000], [3000]])
    show.run(milliseconds: 2_000)
    #expect(nodes.near.adaptation.limit != nil)
    nodes.nearHears = false
    for _ in 0..<40 {
      show.run(milliseconds: 100)
      #expect(nodes.near.adaptation.waiting <= WaitingRecords.capacity)
    }
    show.run(milliseconds: 3_000)
    #expect(nodes.near.liveness == .dead)
    #expect(nodes.near.adaptation.waiting == 0)
    #expect(nodes.near.counters.recordsHeld + nodes.near.counters.recordsLate > 1_000)
  }

  @Test("records wait in order, in memory of fixed size, around its end") func waiting() {
    let waiting = WaitingRecords()
    var (written, taken) = (Int64(0), Int64(0))
    var random = SeededGenerator(seed: 3)
    for _ in 0..<20_000 {
      let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: written), count: .random(in: 0...1500, using: &random))
      let isTaken = bytes.withUnsafeBytes {
        waiting.append(LinkRecord(stream: 1, kind: 0, sequence: written), $0, now: Instant(microseconds: written))
      }
      #expect(waiting.bytes <= WaitingRecords.capacity)
      if isTaken { written += 1 }
      guard !isTaken || Int.random(in: 0..<3, using: &random) == 0 else { continue }
      _ = waiting.takeFirst { record, payload, at in
        #expect(record.sequence == taken && at.microseconds == taken)
        #expect(payload.allSatisfy { $0 == UInt8(truncatingIfNeeded: taken) })
        return true
      }
      taken += 1
    }
    #expect(waiting.count == Int(written - taken))
  }
}
