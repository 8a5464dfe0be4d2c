import Foundation
import Logging
import NIOConcurrencyHelpers
import Testing

@testable import RoomServer

@Suite("The store's writer")
struct StoreWriterTests {
  /// Refuses to write for a while.
  private final class Failing: RoomStore {
    let failures = NIOLockedValueBox(2)
    let written = NIOLockedValueBox<[[String]]>([])

    struct Full: Error {}

    func load() -> StoredServer { StoredServer() }
    func write(_ changes: [StoreChange]) throws {
      try failures.withLockedValue { failures in
        guard failures == 0 else {
          failures -= 1
          throw Full()
        }
      }
      let names = changes.map { change in
        switch change {
        case .room(let name, _): "room \(name)"
        case .roomGone(let name): "gone \(name)"
        case .kicked(let kick): "kicked \(kick.user)"
        case .image(_, let name, _): "image \(name)"
        case .broadcast(let name, _): "broadcast \(name)"
        }
      }
      written.withLockedValue { $0.append(names) }
    }
    func close() {}
  }

  @Test("what could not be written is written later, once, with what came meanwhile")
  func failing() async throws {
    let bare = try BareRoom()
    defer { bare.plane.stop() }
    let store = Failing()
    let writer = StoreWriter(store, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    writer.changed(bare.room)
    writer.note(.kicked(StoredKick(room: "bare", user: "eve", token: "1", expires: .distantFuture)))
    try await eventually("it fails") { writer.counters.failures == 1 }
    for _ in 0..<100 { writer.changed(bare.room) }
    writer.gone("other")
    try await eventually("it is written") { writer.counters.writes == 1 }
    #expect(store.written.withLockedValue { $0.map { $0.sorted() } } == [["gone other", "kicked eve", "room bare"]])
    #expect(writer.waiting == 0 && writer.counters.failures == 2 && writer.counters.lost == 0)
    writer.changed(bare.room)
    await writer.stop()
    #expect(store.written.withLockedValue { $0.last } == ["room bare"])
    // Nothing after the end.
    writer.changed(bare.room)
    #expect(writer.waiting == 0)
  }

  /// Takes its time, and gives up where it is cancelled, as SQLite does.
  private final class SlowStore: RoomStore {
    let begun = NIOLockedValueBox(0)
    let written = NIOLockedValueBox<[String]>([])

    func load() async throws -> StoredServer { StoredServer() }
    func write(_ changes: [StoreChange]) async throws {
      begun.withLockedValue { $0 += 1 }
      try await Task.sleep(for: .milliseconds(200))
      written.withLockedValue { written in
        for case .broadcast(let name, begun: _) in changes { written.append(name) }
      }
    }
    func close() async {}
  }

  @Test("a server that stops writes to the end what it is writing, and then the rest", .timeLimit(.minutes(1)))
  func stops() async throws {
    let store = SlowStore()
    let writer = StoreWriter(store, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    writer.note(.broadcast("first", begun: 1))
    try await eventually("it writes") { store.begun.withLockedValue { $0 } == 1 }
    writer.note(.broadcast("second", begun: 2))
    await writer.stop()
    #expect(store.written.withLockedValue { $0 } == ["first", "second"])
    #expect(writer.counters.failures == 0)
    #expect(writer.waiting == 0)
  }
}
