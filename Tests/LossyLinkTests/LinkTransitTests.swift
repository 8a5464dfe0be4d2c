import RoomLinkModel
import RoomRTP
import Testing

@testable import RoomLossyLink

/// An IP link in virtual time, from 0 on.
@Suite("An IP link in virtual time")
struct LinkTransitTests {
  private func packet(_ direction: LinkTransit.Direction = .down, bytes: Int = 1000) -> LinkTransit.Packet {
    LinkTransit.Packet(bytes: [UInt8](repeating: 0, count: bytes), direction: direction)
  }

  /// Sends a packet down each `interval` microseconds until `end`, and delivers each when it is due.
  private func run(_ transit: inout LinkTransit, every interval: Int64, until end: Int64) {
    for time in stride(from: 0, to: end, by: Int(interval)) {
      deliver(&transit, until: Int64(time))
      transit.enter(packet(), at: Instant(microseconds: Int64(time)))
    }
    deliver(&transit, until: end)
  }

  private func deliver(_ transit: inout LinkTransit, until end: Int64) {
    while let arrival = transit.nextArrival, arrival.microseconds <= end { _ = transit.removeArrived(by: arrival) }
  }

  private func start(_ schedule: LinkSchedule, seed: UInt64 = 1) -> LinkTransit {
    LinkTransit(schedule, seed: seed, start: Instant(microseconds: 0))
  }

  private func limited(_ rate: Int64, queueing milliseconds: Int64 = 300) -> LinkConditions {
    var conditions = LinkConditions()
    conditions.limit(rate: rate, queueing: milliseconds)
    return conditions
  }

  @Test("twice the rate fills the queue: half of it is dropped, and packets wait up to the queue's length")
  func bottleneck() {
    var transit = start(LinkSchedule(down: limited(1_000_000), up: .perfect))
    run(&transit, every: 4000, until: 10_000_000)
    let report = transit.report(at: Instant(microseconds: 10_000_000), isFirst: true)
    #expect(report.down.packets == 2500 && report.down.bytes == 2_500_000)
    #expect(abs(Double(report.down.deliveredBytes) * 8 / 10 - 1_000_000) < 20_000)
    #expect(report.down.lost == 0 && report.down.overflowed > 1150)
    #expect(report.down.queueP50 > 280 && report.down.queueMax <= 300)
    #expect(report.up.packets == 0 && report.latenessP99 == 0)
  }

  @Test("the log has a slot for each 100 ms, with what was offered, delivered, dropped and queued")
  func slots() {
    var transit = start(LinkSchedule(down: limited(1_000_000), up: .perfect))
    run(&transit, every: 4000, until: 2_000_000)
    let slots = transit.report(at: Instant(microseconds: 2_000_000), isFirst: true).down.slots
    #expect(slots.count == 21 || slots.count == 20)
    #expect(slots.prefix(20).allSatisfy { $0.offered == 25_000 })
    #expect(slots[5].delivered >= 11_000 && slots[5].delivered <= 14_000)
    #expect(slots[0].dropped == 0 && slots[19].dropped >= 11)
    #expect(slots[0].queue <= 96 && slots[19].queue > 280)
  }

  @Test("the schedule's step decides the fate of the packets sent from its time on")
  func schedule() throws {
    var blackout = LinkConditions()
    blackout.loss = 1
    let steps = [(0, LinkConditions.perfect), (1, blackout), (3, LinkConditions.perfect)].map { second, down in
      LinkSchedule.Step(at: Int64(second) * 1_000_000, down: down, up: .perfect)
    }
    var transit = start(try #require(LinkSchedule(steps)))
    run(&transit, every: 10_000, until: 4_000_000)
    let down = transit.report(at: Instant(microseconds: 4_000_000), isFirst: true).down
    #expect(down.lost == 200 && down.deliveredPackets == 200)
    #expect(down.slots[9].dropped == 0 && down.slots[10].dropped == 10 && down.slots[29].dropped == 10)
    #expect(down.slots[30].dropped == 0)
  }

  @Test("the directions have their own queues, losses and logs")
  func directions() {
    var transit = start(LinkSchedule(down: limited(100_000), up: LinkConditions(delay: 5000)))
    for _ in 0..<10 {
      transit.enter(packet(.down), at: Instant(microseconds: 0))
      transit.enter(packet(.up), at: Instant(microseconds: 0))
    }
    deliver(&transit, until: 5000)
    let early = transit.report(at: Instant(microseconds: 5000), isFirst: true)
    #expect(early.up.deliveredPackets == 10 && early.down.deliveredPackets == 0)
    #expect(early.up.queueMax == 0)
  }

  @Test("a new beginning restarts the schedule and the record, and keeps the packets in transit")
  func beginning() throws {
    let schedule = try #require(
      LinkSchedule([
        .init(at: 0, down: LinkConditions(delay: 20_000), up: .perfect),
        .init(at: 1_000_000, down: LinkConditions(loss: 1), up: .perfect),
      ]))
    var transit = start(schedule)
    run(&transit, every: 10_000, until: 2_000_000)
    transit.begin(at: Instant(microseconds: 2_000_000))
    #expect(transit.report(at: Instant(microseconds: 2_000_000), isFirst: true).down.packets == 0)
    transit.enter(packet(), at: Instant(microseconds: 2_990_000))
    transit.begin(at: Instant(microseconds: 3_000_000))
    deliver(&transit, until: 3_100_000)
    let report = transit.report(at: Instant(microseconds: 3_100_000), isFirst: true)
    #expect(report.down.packets == 0 && report.down.deliveredPackets == 1)
    #expect(abs(report.seconds - 0.1) < 0.001)
  }

  @Test("a packet that is forwarded after its time counts as late")
  func lateness() {
    var transit = start(LinkSchedule(down: LinkConditions(delay: 10_000), up: .perfect))
    transit.enter(packet(), at: Instant(microseconds: 0))
    #expect(transit.removeArrived(by: Instant(microseconds: 9999)) == nil)
    #expect(transit.removeArrived(by: Instant(microseconds: 17_000)) != nil)
    let report = transit.report(at: Instant(microseconds: 17_000), isFirst: false)
    #expect(abs(report.latenessP99 - 7) < 0.1 && !report.isTrustworthy)
  }

  @Test("the same seed loses the same packets, and the report survives JSON")
  func seeded() throws {
    func report(_ seed: UInt64) throws -> String {
      var transit = start(LinkSchedule(down: LinkConditions(loss: 0.1, burst: 4), up: .perfect), seed: seed)
      run(&transit, every: 10_000, until: 5_000_000)
      return String(decoding: try transit.report(at: Instant(microseconds: 5_000_000), isFirst: true).json(), as: UTF8.self)
    }
    #expect(try report(3) == report(3))
    #expect(try report(3) != report(4))
  }
}
