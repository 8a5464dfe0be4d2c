import Foundation
import RoomRTP
import Testing
import RoomProtocol

@testable import RoomEngine

@Suite("Queue of pending store writes")
struct StoreQueueTests {
  /// Returns what a batch writes, in order.
  private func text(_ batch: StoreQueue<Int>.Batch?) -> [String] {
    (batch?.changes ?? []).map { change in
      switch change {
      case .room(let name, let source): "room \(name) \(source)"
      case .other(.room(let name, _)): "room \(name)"
      case .other(.roomGone(let name)): "gone \(name)"
      case .other(.image(let room, let name, let file)): "image \(room)/\(name) \(file?.count ?? -1)"
      case .other(.kicked(let kick)): "kicked \(kick.user)"
      case .other(.broadcast(let name, let begun)): "broadcast \(name) \(begun ?? -1)"
      }
    }
  }

  private func taken(_ queue: inout StoreQueue<Int>) throws -> StoreQueue<Int>.Batch {
    let batch = queue.take()
    return try #require(batch)
  }

  private func kick(_ user: UserID) -> StoreQueue<Int>.Change {
    .other(.kicked(StoredKick(room: "r", user: user, token: "t", expires: .distantFuture)))
  }

  private func image(_ name: String, of room: RoomName = "r", bytes: Int = 1) -> StoreQueue<Int>.Change {
    .other(.image(room: room, name: name, [UInt8](repeating: 0, count: bytes)))
  }

  @Test("changes are written in order, with only the latest of each item")
  func order() {
    var queue = StoreQueue<Int>(limit: 10)
    queue.add(kick("eve"))
    queue.add(.room(name: "r", 1))
    queue.add(image("logo", bytes: 1))
    queue.add(.room(name: "r", 2))
    queue.add(.room(name: "s", 3))
    queue.add(image("logo", bytes: 2))
    let batch = queue.take()
    #expect(text(batch) == ["kicked eve", "room r 2", "room s 3", "image r/logo 2"])
    let nothing = queue.take()
    #expect(queue.isEmpty && nothing?.changes.count == nil)
  }

  @Test("closing a room removes its images, and a new room of its name follows the removal")
  func rooms() {
    var queue = StoreQueue<Int>(limit: 10)
    queue.add(.room(name: "r", 1))
    queue.add(image("old"))
    queue.add(kick("eve"))
    queue.add(image("other", of: "s"))
    queue.add(.other(.roomGone("r")))
    let first = queue.take()
    #expect(text(first) == ["kicked eve", "image s/other 1", "gone r"])
    queue.add(image("old"))
    queue.add(.other(.roomGone("r")))
    queue.add(.room(name: "r", 2))
    queue.add(image("new"))
    let taken = queue.take()
    #expect(text(taken) == ["gone r", "room r 2", "image r/new 1"])
  }

  @Test("a failed batch is queued before later changes, which replace older ones")
  func failure() throws {
    var queue = StoreQueue<Int>(limit: 10)
    queue.add(.room(name: "r", 1))
    queue.add(image("old"))
    queue.add(.room(name: "s", 1))
    queue.add(kick("eve"))
    let batch = try taken(&queue)
    queue.add(.other(.roomGone("r")))
    queue.add(.room(name: "r", 2))
    queue.add(.room(name: "s", 2))
    queue.putBack(batch)
    let taken = queue.take()
    #expect(text(taken) == ["kicked eve", "gone r", "room r 2", "room s 2"])
  }

  @Test("a ticket completes with the first batch taken after it")
  func tickets() throws {
    var queue = StoreQueue<Int>(limit: 10)
    let first = queue.add(.room(name: "r", 1))
    let second = queue.add(kick("eve"))
    #expect(first < second && queue.written < first)
    let batch = try taken(&queue)
    let third = queue.add(.room(name: "r", 2))
    queue.finish(batch)
    #expect(queue.written == second && queue.written < third)
    let failed = try taken(&queue)
    queue.putBack(failed)
    #expect(queue.written == second)
    queue.finish(try taken(&queue))
    #expect(queue.written == third)
  }

  @Test("above the limit, the oldest changes are dropped and counted, but never a room's state")
  func limit() {
    var queue = StoreQueue<Int>(limit: 16)
    for index in 0..<50 { queue.add(.room(name: "room\(index)", index)) }
    for index in 0..<100 {
      queue.add(kick("user\(index)"))
      #expect(queue.count <= 50 + 16)
    }
    let taken = queue.take()
    let names = text(taken)
    #expect(names.filter { $0.hasPrefix("room") }.count == 50)
    let kicks = names.filter { $0.hasPrefix("kicked") }
    #expect(kicks.last == "kicked user99" && kicks.count + Int(queue.lost) == 100 && kicks.count >= 14)
  }

  // MARK: When

  private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

  @Test("the first change, and one that an answer waits for, is written at once; others are batched")
  func pace() {
    var pace = StoreSchedule()
    #expect(pace.next(isAwaited: false) == nil && pace.next(isAwaited: true) == nil)
    pace.wrote(from: at(0), to: at(4))
    #expect(pace.next(isAwaited: true) == at(5))
    #expect(pace.next(isAwaited: false) == at(44))
    // At most a fifth of the time.
    pace.wrote(from: at(100), to: at(120))
    #expect(pace.next(isAwaited: false) == at(200))
    #expect(pace.next(isAwaited: true) == at(125))
    pace.wrote(from: at(200), to: at(300))
    #expect(pace.next(isAwaited: true) == at(310))
  }

  @Test("a failed store is retried after a second, or sooner if an answer waits")
  func paceOfFailures() {
    var pace = StoreSchedule()
    pace.failed(at: at(50))
    #expect(pace.next(isAwaited: false) == at(1050) && pace.next(isAwaited: true) == at(150))
    pace.wrote(from: at(200), to: at(204))
    #expect(pace.next(isAwaited: true) == at(205))
  }
}
