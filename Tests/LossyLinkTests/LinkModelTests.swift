import RoomLinkModel
import RoomRTP
import Testing

@testable import RoomLossyLink

@Suite("A link in virtual time")
struct LinkModelTests {
  func time(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

  /// Returns the fates of packets sent once per millisecond.
  func fates(_ conditions: LinkConditions, seed: UInt64 = 1, count: Int = 10_000, bytes: Int = 1000) -> [LinkModel.Fate] {
    var link = LinkModel(conditions, seed: seed)
    return (0..<count).map { link.send(bytes: bytes, at: time(Int64($0))) }
  }

  func arrivals(_ fates: [LinkModel.Fate]) -> [Instant] {
    fates.compactMap { if case .arrives(let arrival) = $0 { arrival } else { nil } }
  }

  @Test("a perfect link delivers each packet at once")
  func perfect() {
    #expect(fates(.perfect, count: 3) == [.arrives(time(0)), .arrives(time(1)), .arrives(time(2))])
  }

  @Test("the same seed results in the same fates, another seed in others")
  func seeded() {
    let conditions = LinkConditions(loss: 0.1, delay: 20_000, jitter: 10_000, reorder: 0.05)
    #expect(fates(conditions, seed: 7) == fates(conditions, seed: 7))
    #expect(fates(conditions, seed: 7) != fates(conditions, seed: 8))
  }

  @Test("the random loss matches the condition", arguments: [0.01, 0.05, 0.3])
  func loss(fraction: Double) {
    let lost = fates(LinkConditions(loss: fraction), count: 100_000).count { $0 == .lost }
    #expect(abs(Double(lost) / 100_000 - fraction) < fraction / 10)
  }

  @Test("losses in bursts have the fraction and the mean length of the conditions", arguments: [(0.05, 4.0), (0.1, 8.0)])
  func bursts(fraction: Double, length: Double) {
    let lost = fates(LinkConditions(loss: fraction, burst: length), count: 200_000).map { $0 == .lost }
    let count = lost.count { $0 }
    #expect(abs(Double(count) / 200_000 - fraction) < fraction / 10)
    let bursts = zip([false] + lost, lost).count { !$0 && $1 }
    #expect(abs(Double(count) / Double(bursts) - length) < length / 10)
  }

  @Test("the same seed loses the same bursts, whatever delay and rate are")
  func seededBursts() {
    let plain = LinkConditions(loss: 0.1, burst: 5)
    var slow = LinkConditions(loss: 0.1, burst: 5, delay: 50_000, jitter: 30_000)
    slow.limit(rate: 4_000_000, queueing: 300)
    #expect(fates(plain).map { $0 == .lost } == fates(slow).map { $0 == .lost })
    #expect(fates(plain, seed: 2).map { $0 == .lost } != fates(plain).map { $0 == .lost })
  }

  @Test("a queue of 300 ms makes no packet wait longer, and the wait is known before a packet is sent")
  func queueInMilliseconds() {
    var conditions = LinkConditions()
    conditions.limit(rate: 1_000_000, queueing: 300)
    var link = LinkModel(conditions, seed: 1)
    var longest: Int64 = 0
    for index in 0..<1000 {
      let now = time(Int64(index) * 4)
      let wait = link.wait(at: now)
      guard case .arrives(let arrival) = link.send(bytes: 1000, at: now) else { continue }
      #expect(arrival - now == wait + 8000)
      longest = max(longest, arrival - now)
    }
    #expect(longest > 290_000 && longest <= 300_000)
  }

  @Test("other conditions do not change the random losses")
  func lossIndependentOfDelay() {
    let plain = fates(LinkConditions(loss: 0.05)).map { $0 == .lost }
    let late = fates(LinkConditions(loss: 0.05, delay: 50_000, jitter: 30_000, reorder: 0.1)).map { $0 == .lost }
    #expect(plain == late)
  }

  @Test("delay and jitter bound when a packet arrives, and jitter keeps the order")
  func jitter() {
    let arrivals = arrivals(fates(LinkConditions(delay: 20_000, jitter: 10_000)))
    for (sent, arrival) in arrivals.enumerated() {
      let taken = arrival - time(Int64(sent))
      #expect(taken >= 20_000 && taken <= 30_000)
    }
    #expect(arrivals == arrivals.sorted())
    #expect(Set(zip(arrivals, arrivals.dropFirst()).map { $1 - $0 }).count > 1)
  }

  @Test("held-back packets are overtaken")
  func reorder() {
    let arrivals = arrivals(fates(LinkConditions(delay: 10_000, reorder: 0.05, reorderDelay: 5_000)))
    let overtaken = zip(arrivals, arrivals.dropFirst()).count { $0 > $1 }
    #expect(arrivals.count == 10_000)
    #expect((400...600).contains(overtaken))
  }

  @Test("duplicated packets arrive twice, the copy a millisecond later")
  func duplication() {
    let fates = fates(LinkConditions(delay: 10_000, duplication: 0.2))
    let copies = fates.compactMap { if case .arrivesTwice(let first, let second) = $0 { second - first } else { nil } }
    #expect((1800...2200).contains(copies.count))
    #expect(copies.allSatisfy { $0 == 1000 })
  }

  @Test("a rate spaces the packets and a full queue drops them")
  func rate() {
    // 1000 bytes per millisecond are 8 Mbps, twice the link's bandwidth.
    let fates = fates(LinkConditions(rate: 4_000_000, queue: 10_000), count: 1000)
    let arrivals = arrivals(fates)
    let overflowed = fates.count { $0 == .overflowed }
    #expect(arrivals.count + overflowed == 1000)
    #expect((480...520).contains(overflowed))
    #expect(zip(arrivals, arrivals.dropFirst()).allSatisfy { $1 - $0 >= 2000 })
    // At most the queue is waiting: 10,000 bytes take 20 ms.
    for (sent, fate) in fates.enumerated() {
      if case .arrives(let arrival) = fate { #expect(arrival - time(Int64(sent)) <= 20_000) }
    }
  }

  @Test("an emptied queue accepts packets again")
  func queueDrains() {
    var link = LinkModel(LinkConditions(rate: 8_000, queue: 1000), seed: 1)
    #expect(link.send(bytes: 1000, at: time(0)) == .arrives(time(1000)))
    #expect(link.send(bytes: 1000, at: time(0)) == .overflowed)
    #expect(link.send(bytes: 1000, at: time(1000)) == .arrives(time(2000)))
  }
}

@Suite("Packets in transit")
struct ArrivalQueueTests {
  @Test("packets are returned in the order of arrival, and of sending if they arrive together")
  func order() {
    var queue = ArrivalQueue<Int>()
    var random = SeededGenerator(seed: 3)
    let sent = (0..<1000).map { (packet: $0, arrival: Instant(microseconds: Int64.random(in: 0..<100, using: &random))) }
    for (packet, arrival) in sent { queue.insert(packet, arrival: arrival) }
    var received: [Int] = []
    while let packet = queue.removeArrived(by: Instant(microseconds: 100)) { received.append(packet) }
    #expect(received == sent.sorted { ($0.arrival, $0.packet) < ($1.arrival, $1.packet) }.map(\.packet))
  }

  @Test("a packet stays in the queue until its arrival time")
  func waits() {
    var queue = ArrivalQueue<Int>()
    queue.insert(1, arrival: Instant(microseconds: 50))
    #expect(queue.removeArrived(by: Instant(microseconds: 49)) == nil)
    #expect(queue.nextArrival == Instant(microseconds: 50))
    #expect(queue.removeArrived(by: Instant(microseconds: 50)) == 1)
  }
}
