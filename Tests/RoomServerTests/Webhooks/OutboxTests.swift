import RoomTestSupport
import Testing
import RoomProtocol

@testable import RoomServer
@testable import RoomWebhooks

/// In virtual time: milliseconds that the test controls.
@Suite("The outbox")
struct OutboxTests {
  static let policy = Outbox.Policy(firstWait: 500, longestWait: 8_000, concurrent: 4, longestAge: 60_000)

  @Test("a room's events are delivered in order and one at a time, concurrently with another room's")
  func order() throws {
    var outbox = Outbox(Self.policy)
    for id in 1...4 { outbox.add(Int64(id), of: id == 3 ? "b" : "a", at: 0) }
    let a = try outbox.due(at: 0)
    let b = try outbox.due(at: 0)
    #expect(a == .init(room: "a", id: 1) && b == .init(room: "b", id: 3))
    let next1 = outbox.next(at: 0)
    #expect(next1 == nil)
    outbox.finished(a, succeeded: true, at: 10, random: 0)
    let next2 = outbox.next(at: 10)
    #expect(next2 == .init(room: "a", id: 2))
    let next3 = outbox.next(at: 10)
    #expect(next3 == nil)
    #expect(outbox.queued == 3)
  }

  @Test("the number in flight over all rooms is bounded")
  func concurrency() throws {
    var outbox = Outbox(Self.policy)
    for room in 0..<10 { outbox.add(Int64(room), of: "\(room)", at: 0) }
    var flying: [Outbox.Delivery] = []
    while let next = outbox.next(at: 0) { flying.append(next) }
    #expect(flying.count == 4)
    #expect(outbox.nextDeadline == nil)
    outbox.finished(flying[0], succeeded: true, at: 1, random: 0)
    let next4 = outbox.next(at: 1)
    #expect(next4?.room == "4")
  }

  @Test("waits double from half a second up to the maximum, with jitter down to half, and reset after a success")
  func waits() throws {
    var outbox = Outbox(Self.policy)
    outbox.add(1, of: "a", at: 0)
    outbox.add(2, of: "a", at: 0)
    var now: Int64 = 0
    for (index, wait) in [500, 1000, 2000, 4000, 8000, 8000].enumerated() {
      let random = index % 2 == 0 ? 1.0 : 0
      outbox.finished(try outbox.due(at: now), succeeded: false, at: now, random: random)
      #expect(outbox.isIdle)
      let due = try #require(outbox.nextDeadline)
      #expect(due - now == Int64(random == 1 ? wait : wait / 2))
      let next5 = outbox.next(at: due - 1)
      #expect(next5 == nil)
      now = due
    }
    outbox.finished(try outbox.due(at: now), succeeded: true, at: now, random: 1)
    outbox.finished(try outbox.due(at: now), succeeded: false, at: now, random: 1)
    #expect(outbox.nextDeadline == now + 500)
  }

  @Test("a room whose events are rejected delays no other")
  func isolation() throws {
    var outbox = Outbox(Self.policy)
    outbox.add(1, of: "bad", at: 0)
    outbox.finished(try outbox.due(at: 0), succeeded: false, at: 0, random: 1)
    for id in 2...50 { outbox.add(Int64(id), of: "good", at: 0) }
    for id in 2...50 {
      let next = try outbox.due(at: 1)
      #expect(next == .init(room: "good", id: Int64(id)))
      outbox.finished(next, succeeded: true, at: 1, random: 1)
    }
    #expect(outbox.queued == 1)
    let next6 = outbox.next(at: 500)
    #expect(next6 == .init(room: "bad", id: 1))
  }

  @Test("events that are too old are dropped and counted, and the room continues with newer ones")
  func ages() throws {
    var outbox = Outbox(Self.policy)
    outbox.add(1, of: "a", age: 50_000, at: 0)
    outbox.add(2, of: "a", at: 0)
    #expect(outbox.oldestAge(at: 5_000) == 55_000)
    let next7 = outbox.next(at: 10_000)
    #expect(next7 == .init(room: "a", id: 2))
    #expect(outbox.dropped == 1 && outbox.queued == 1)
    #expect(outbox.oldestAge(at: 10_000) == 10_000)
  }

  @Test("events that are no longer stored are dropped, also while in flight")
  func forgotten() throws {
    var outbox = Outbox(Self.policy)
    for id in 1...3 { outbox.add(Int64(id), of: "a", at: 0) }
    outbox.add(4, of: "b", at: 0)
    let flying = try outbox.due(at: 0)
    outbox.forget(before: 3)
    #expect(outbox.dropped == 2)
    let goesOn12 = outbox.finished(flying, succeeded: true, at: 1, random: 0)
    #expect(!goesOn12)
    let next8 = outbox.next(at: 1)
    #expect(next8?.id == 4)
    let next9 = outbox.next(at: 1)
    #expect(next9 == .init(room: "a", id: 3))
    outbox.forget(before: 9)
    #expect(outbox.queued == 0 && outbox.dropped == 4)
  }

  @Test("a replay resets the room, whatever is in flight")
  func replay() throws {
    var outbox = Outbox(Self.policy)
    for id in 1...3 { outbox.add(Int64(id), of: "a", at: 0) }
    for _ in 1...2 { outbox.finished(try outbox.due(at: 0), succeeded: true, at: 0, random: 0) }
    let third = try outbox.due(at: 0)
    outbox.replay([(1, 0), (2, 0), (3, 0)], of: "a", at: 0)
    let next10 = outbox.next(at: 0)
    #expect(next10 == nil)
    let goesOn13 = outbox.finished(third, succeeded: true, at: 0, random: 0)
    #expect(!goesOn13)
    for id in 1...3 {
      let next = try outbox.due(at: 0)
      #expect(next.id == Int64(id))
      let goesOn14 = outbox.finished(next, succeeded: true, at: 0, random: 0)
      #expect(goesOn14)
    }
    #expect(outbox.queued == 0)
    outbox.replay([(2, 0)], of: "a", at: 0)
    let next11 = outbox.next(at: 0)
    #expect(next11?.id == 2)
  }

  @Test(
    "a receiver that is down for 30 s and answers 500 for 10 s more gets every event once and in order", arguments: 1...6)
  func outage(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var outbox = Outbox(Outbox.Policy())
    var flying: [(done: Int64, delivery: Outbox.Delivery)] = []
    var received: [RoomName: [Int64]] = [:]
    var sent: [RoomName: [Int64]] = [:]
    var id: Int64 = 0
    var tries = 0
    for now in Int64(0)..<90_000 {
      // Events of five rooms, for a minute.
      if now < 60_000, random.next() % 40 == 0 {
        id += 1
        let room: RoomName = "\(random.next() % 5)"
        sent[room, default: []].append(id)
        outbox.add(id, of: room, at: now)
      }
      while let delivery = outbox.next(at: now) {
        #expect(!flying.contains { $0.delivery.room == delivery.room })
        flying.append((now + Int64(random.next() % 20), delivery))
      }
      for (done, delivery) in flying where done <= now {
        tries += 1
        if now >= 40_000 { received[delivery.room, default: []].append(delivery.id) }
        outbox.finished(delivery, succeeded: now >= 40_000, at: now, random: Double(random.next() % 1000) / 1000)
      }
      flying.removeAll { $0.done <= now }
    }
    #expect(received == sent)
    #expect(outbox.queued == 0 && outbox.inFlight == 0 && outbox.dropped == 0)
    // At most ten attempts per room while the receiver rejected everything.
    #expect(tries - Int(id) <= 50)
  }
}

extension Outbox {
  /// Returns the next delivery, which must be due.
  fileprivate mutating func due(at now: Int64) throws -> Delivery {
    guard let delivery = next(at: now) else { throw DidNotHappen(what: "a delivery that is due") }
    return delivery
  }
}
