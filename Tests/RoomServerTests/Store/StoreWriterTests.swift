import Foundation
import Logging
import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomServer
@testable import RoomEngine

@Suite("The store's writer")
struct StoreWriterTests {
  /// A store whose writes fail for a while.
  private final class Failing: RoomStore {
    let failures = Shared(2)
    let written = Shared<[[String]]>([])

    struct Full: Error {}

    func load() -> StoredServer { StoredServer() }
    func write(_ changes: [StoreChange]) throws {
      try failures.withLock { failures in
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
      written.withLock { $0.append(names) }
    }
    func close() {}
  }

  @Test("changes that could not be written are written later, once, with newer ones")
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
    #expect(store.written.withLock { $0.map { $0.sorted() } } == [["gone other", "kicked eve", "room bare"]])
    #expect(writer.waiting == 0 && writer.counters.failures == 2 && writer.counters.lost == 0)
    writer.changed(bare.room)
    await writer.stop()
    #expect(store.written.withLock { $0.last } == ["room bare"])
    // Nothing is written after the end.
    writer.changed(bare.room)
    #expect(writer.waiting == 0)
  }

  /// A slow store that stops when it is cancelled, as SQLite does.
  private final class SlowStore: RoomStore {
    let begun = Shared(0)
    let written = Shared<[String]>([])

    func load() async throws -> StoredServer { StoredServer() }
    func write(_ changes: [StoreChange]) async throws {
      begun.withLock { $0 += 1 }
      // Real time, so that the writer is stopped meanwhile.
      try await Task.sleep(for: .milliseconds(50))
      written.withLock { written in
        for case .broadcast(let name, begun: _) in changes { written.append(name) }
      }
    }
    func close() async {}
  }

  @Test("a stopping server completes its transaction, and then writes the rest", .timeLimit(.minutes(1)))
  func stops() async throws {
    let store = SlowStore()
    let writer = StoreWriter(store, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    writer.note(.broadcast("first", begun: 1))
    try await eventually("it writes") { store.begun.withLock { $0 } == 1 }
    writer.note(.broadcast("second", begun: 2))
    await writer.stop()
    #expect(store.written.withLock { $0 } == ["first", "second"])
    #expect(writer.counters.failures == 0)
    #expect(writer.waiting == 0)
  }

  /// Records the results of answers, in order.
  private final class Answers: Sendable {
    private let box = Shared<[String]>([])
    var all: [String] { box.withLock { $0 } }
    func wait(for name: String, _ ticket: StoreTicket, _ writer: StoreWriter) {
      writer.whenWritten(ticket) { isWritten in
        self.box.withLock { $0.append(isWritten ? name : "\(name), not written") }
      }
    }
  }

  private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  @Test(
    "an answer waits for its own change, and changes during a transaction share the next one", .timeLimit(.minutes(1)))
  func answers() async throws {
    let (store, answers) = (SteeredStore(), Answers())
    let writer = StoreWriter(store, log: Self.quiet)
    answers.wait(for: "nothing", writer.newest, writer)
    #expect(answers.all == ["nothing"])
    let first = writer.note(.broadcast("1", begun: 1))
    answers.wait(for: "first", first, writer)
    try await eventually("it is being written") { store.begun.count == 1 }
    for index in 2...10 { answers.wait(for: "\(index)", writer.note(.broadcast("\(index)", begun: 1)), writer) }
    #expect(answers.all == ["nothing"])
    try await store.end()
    try await eventually("the first answer is sent") { answers.all == ["nothing", "first"] }
    try await store.end()
    try await eventually("the others are sent") { answers.all.count == 11 }
    #expect(answers.all == ["nothing", "first"] + (2...10).map { "\($0)" })
    #expect(store.begun == [1, 9])
    answers.wait(for: "late", first, writer)
    #expect(answers.all.last == "late")
    async let stopped: Void = writer.stop()
    _ = await stopped
  }

  @Test("if the store fails, answers are sent and counted, and the change is written later", .timeLimit(.minutes(1)))
  func failingAnswers() async throws {
    let (store, answers) = (SteeredStore(), Answers())
    let writer = StoreWriter(store, log: Self.quiet)
    answers.wait(for: "kick", writer.note(.broadcast("1", begun: 1)), writer)
    try await store.end(.failure(SteeredStore.Full()))
    try await eventually("the answer is sent") { answers.all == ["kick, not written"] }
    #expect(writer.counters.failures == 1 && writer.counters.earlyAnswers == 1)
    try await store.end()
    try await eventually("it is written") { writer.waiting == 0 }
    #expect(await writer.settled())
    await writer.stop()
  }

  @Test("a hanging store delays answers for a limited time", .timeLimit(.minutes(1)))
  func hanging() async throws {
    let (store, answers) = (SteeredStore(), Answers())
    let writer = StoreWriter(store, maximumWait: .milliseconds(100), log: Self.quiet)
    answers.wait(for: "first", writer.note(.broadcast("1", begun: 1)), writer)
    answers.wait(for: "second", writer.note(.broadcast("2", begun: 1)), writer)
    try await eventually("they are sent") { answers.all.sorted() == ["first, not written", "second, not written"] }
    // No further answer waits for this transaction.
    #expect(await !writer.settled())
    #expect(writer.counters.earlyAnswers == 3)
    try await store.end()
    try await eventually("the next transaction") { store.begun.count == 2 || writer.waiting == 0 }
    if store.begun.count == 2 { try await store.end() }
    #expect(await writer.settled())
    await writer.stop()
  }

  @Test("pending answers are sent after the last transaction when the server stops", .timeLimit(.minutes(1)))
  func stopping() async throws {
    let (store, answers) = (SteeredStore(), Answers())
    let writer = StoreWriter(store, log: Self.quiet)
    writer.note(.broadcast("1", begun: 1))
    try await eventually("it is being written") { store.begun.count == 1 }
    answers.wait(for: "last", writer.note(.broadcast("2", begun: 1)), writer)
    async let stopped: Void = writer.stop()
    try await store.end()
    try await store.end()
    await stopped
    #expect(answers.all == ["last"])
    #expect(await writer.settled())
  }

  /// A store on disk whose next transactions fail.
  private final class Stumbling: RoomStore {
    let failures = Shared(0)
    private let store: SQLiteStore

    init(_ store: SQLiteStore) { self.store = store }

    struct Full: Error {}

    func load() async throws -> StoredServer { try await store.load() }
    func write(_ changes: [StoreChange]) async throws {
      let fails = failures.withLock { failures in
        defer { failures = max(0, failures - 1) }
        return failures > 0
      }
      if fails { throw Full() }
      try await store.write(changes)
    }
    func close() async { await store.close() }
  }

  @Test("each member is stored, including those of a failed transaction, and none that left", .timeLimit(.minutes(1)))
  func members() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "members-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let store = Stumbling(try SQLiteStore(path: try DataDirectory(path).privateFile(SQLiteStore.fileName)))
    let writer = StoreWriter(store, log: Self.quiet)
    let bare = try BareRoom(store: writer)
    defer { bare.plane.stop() }
    _ = await bare.join("ann")
    let (outlet, session) = await bare.join("bob")
    #expect(await writer.settled())
    #expect(try await store.load().rooms["bare"]?.state.users == ["ann", "bob"])
    store.failures.withLock { $0 = 2 }
    _ = await bare.join("cid")
    _ = await bare.room.handle(SignalRequest(id: 2, call: .leave), session: session, of: "bob", outlet: outlet)
    try await eventually("it failed twice, and is written") { writer.counters.failures == 2 && writer.waiting == 0 }
    #expect(try await store.load().rooms["bare"]?.state.users == ["ann", "cid"])
    _ = await bare.join("dan")
    #expect(await writer.settled())
    #expect(try await store.load().rooms["bare"]?.state.users == ["ann", "cid", "dan"])
    await writer.stop()
  }

  @Test(
    "a closed room's images are deleted, and a new room with its name in the same transaction has none", .timeLimit(.minutes(1))
  )
  func imagesOfClosedRooms() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "images-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let bare = try BareRoom()
    defer { bare.plane.stop() }
    func left(by changes: (StoreWriter) async -> Void) async throws -> StoredServer {
      let writer = StoreWriter(
        try SQLiteStore(path: try DataDirectory(path).privateFile(SQLiteStore.fileName)), log: Self.quiet)
      await changes(writer)
      await writer.stop()
      let store = try SQLiteStore(path: try DataDirectory(path).privateFile(SQLiteStore.fileName))
      let stored = try await store.load()
      await store.close()
      return stored
    }
    // The end of a room, and an image that was uploaded just before.
    var stored = try await left { writer in
      writer.changed(bare.room)
      await writer.settled()
      writer.note(.image(room: "bare", name: "logo", [1, 2, 3]))
      writer.gone("bare")
    }
    #expect(stored.rooms.isEmpty && stored.images.isEmpty)
    // The end of a room with an image, and a new room with the same name.
    stored = try await left { writer in
      writer.changed(bare.room)
      writer.note(.image(room: "bare", name: "logo", [1, 2, 3]))
      await writer.settled()
      writer.gone("bare")
      writer.changed(bare.room)
    }
    #expect(stored.rooms.keys.sorted() == ["bare"] && stored.images.isEmpty)
    stored = try await left { writer in
      writer.gone("bare")
      writer.changed(bare.room)
      writer.note(.image(room: "bare", name: "new", [4]))
    }
    #expect(stored.images == ["bare": ["new": [4]]])
  }
}
