import Foundation
import RoomLiveOrigin
import RoomProtocol
import Testing

@testable import RoomServer

@Suite("History: the store")
struct HistoryStoreTests {
  private func entry(
    _ kind: HistoryEvent.Kind, _ time: Int64, room: String? = "room", user: String? = nil, job: String? = nil,
    reason: String? = nil
  ) -> HistoryEntry {
    var event = HistoryEvent(kind, time: time, room: room, user: user, reason: reason)
    event.job = job
    var entry = HistoryEntry(event)
    if kind == .jobStarted { entry.stream = "live/\(job ?? "")" }
    return entry
  }

  @Test("a session lasts from the join to the departure, and a room's end ends all that is left in it")
  func sessions() async throws {
    let store = try HistoryStore(path: nil)
    try await store.append([
      entry(.roomCreated, 1), entry(.participantJoined, 2, user: "ann"), entry(.participantJoined, 3, user: "bob"),
      entry(.participantJoined, 4, room: "other", user: "ann"), entry(.participantLeft, 5, user: "ann", reason: "left"),
      entry(.participantJoined, 6, user: "ann"), entry(.jobStarted, 7, user: "ann", job: "show"),
      entry(.roomClosed, 9),
    ])
    let sessions = try await HistoryQuery().sessions(in: store).rows
    #expect(sessions.map(\.id) == [4, 3, 2, 1])
    #expect(sessions.map(\.leftAt) == [9, nil, 9, 5])
    #expect(sessions.map(\.reason) == ["roomClosed", nil, "roomClosed", "left"])
    let live = try #require(try await HistoryQuery().lives(in: store).rows.first)
    #expect(live.stream == "live/show" && live.user == "ann" && live.duration == 2 && live.reason == "roomClosed")
  }

  @Test("a peak of viewers only rises, and only while the live runs")
  func peaks() async throws {
    let store = try HistoryStore(path: nil)
    let show = try #require(StreamPath("live/show"))
    try await store.append([entry(.jobStarted, 1, job: "show"), entry(.jobStarted, 1, job: "other")])
    for count in [3, 7, 5] { try await store.note(viewers: [show: count]) }
    try await store.append([entry(.jobEnded, 2, job: "show", reason: "stopped")])
    try await store.note(viewers: [show: 100])
    #expect(try await HistoryQuery().lives(in: store).rows.map(\.peakViewers) == [nil, 7])
  }

  @Test("pages follow each other without gaps or repetitions while rows are added and removed")
  func pages() async throws {
    let store = try HistoryStore(path: nil)
    try await store.append((1...25).map { entry(.participantJoined, $0, user: "u\($0)") })
    var (ids, query, added) = ([Int64](), HistoryQuery(limit: 10), Int64(100))
    repeat {
      let page = try await query.events(in: store)
      ids += page.rows.map(\.id)
      query.before = page.next
      try await store.append([entry(.roomCreated, added)])
      added += 1
    } while query.before != nil && ids.count < 100
    #expect(ids == (1...25).reversed().map { Int64($0) })
    query = HistoryQuery(limit: 28)
    #expect(try await query.events(in: store).next == nil, "exactly as many as there are")
  }

  @Test("filters select rooms, users, kinds and times; a session matches every time that it lasts")
  func filters() async throws {
    let store = try HistoryStore(path: nil)
    try await store.append([
      entry(.participantJoined, 10, room: "a", user: "ann"), entry(.participantJoined, 20, room: "b", user: "ann"),
      entry(.participantJoined, 30, room: "a", user: "bob"),
      entry(.participantLeft, 40, room: "a", user: "ann", reason: "left"),
    ])
    func events(_ query: HistoryQuery) async throws -> [Int64] { try await query.events(in: store).rows.map(\.time) }
    #expect(try await events(HistoryQuery(room: "a")) == [40, 30, 10])
    #expect(try await events(HistoryQuery(user: "ann")) == [40, 20, 10])
    #expect(try await events(HistoryQuery(kind: .participantLeft)) == [40])
    #expect(try await events(HistoryQuery(room: "a", user: "ann", from: 10, to: 39)) == [10])
    #expect(try await events(HistoryQuery(from: 20, to: 30)) == [30, 20])
    func sessions(_ query: HistoryQuery) async throws -> [Int64] {
      try await query.sessions(in: store).rows.map(\.joinedAt)
    }
    #expect(try await sessions(HistoryQuery(from: 35, to: 36)) == [30, 20, 10])
    #expect(try await sessions(HistoryQuery(from: 41)) == [30, 20])
    #expect(try await sessions(HistoryQuery(user: "ann", to: 19)) == [10])
  }

  @Test("the oldest rows beyond the limit, and those that ended too long ago, are removed")
  func limits() async throws {
    let store = try HistoryStore(path: nil)
    try await store.append((1...30).map { entry(.participantJoined, $0, user: "u\($0)") })
    try await store.append([entry(.participantLeft, 31, user: "u30", reason: "left")])
    // Of 31 events, 20 are kept. The 10 oldest of 30 sessions remain too, because they have not ended.
    #expect(try await store.prune(keeping: 20, since: 0) == (11, 0))
    #expect(try await HistoryQuery().events(in: store).rows.map(\.id) == (12...31).reversed().map { Int64($0) })
    #expect(try await HistoryQuery().sessions(in: store).rows.count == 30)
    // All events but the last are older than 31; of the sessions only one has ended, at 31.
    #expect(try await store.prune(keeping: 20, since: 31) == (0, 19))
    #expect(try await store.prune(keeping: 20, since: 32) == (0, 2))
    #expect(try await HistoryQuery().sessions(in: store).rows.allSatisfy { $0.leftAt == nil })
    // The oldest sessions go as soon as they have ended.
    try await store.append([
      entry(.participantLeft, 40, user: "u1", reason: "left"), entry(.participantLeft, 41, user: "u29", reason: "left"),
    ])
    #expect(try await store.prune(keeping: 20, since: 0) == (1, 0))
    #expect(try await HistoryQuery().sessions(in: store).rows.map(\.user).contains("u29"))
  }

  @Test("who does not return after a restart left with the last event before it", arguments: [true, false])
  func unreturned(isStopped: Bool) async throws {
    let store = try HistoryStore(path: nil)
    let users = ["ann", "bob", "eve"]
    try await store.append([entry(.serverStarted, 1, room: nil)] + users.map { entry(.participantJoined, 2, user: $0) })
    try await store.append([isStopped ? entry(.serverStopped, 7, room: nil) : entry(.roomCreated, 7, room: "other")])
    try store.resume(rooms: ["room"])
    var restored = entry(.roomRestored, 50)
    restored.users = ["ann", "bob"]
    try await store.append([
      entry(.serverStarted, 40, room: nil), restored, entry(.participantJoined, 60, user: "bob"),
      entry(.participantLeft, 70, user: "ann", reason: "timedOut"),
      entry(.participantLeft, 80, user: "bob", reason: "timedOut"),
    ])
    let sessions = try await HistoryQuery().sessions(in: store).rows.sorted { $0.user < $1.user }
    let reason = isStopped ? "serverStopped" : "serverCrashed"
    #expect(sessions.map(\.leftAt) == [7, 80, 7])
    #expect(sessions.map(\.reason) == [reason, "timedOut", reason])
  }

  @Test("neither the removal of old rows nor a page of few reads a whole table")
  func plans() async throws {
    let store = try HistoryStore(path: nil)
    for statement in HistoryStore.surplus + HistoryStore.aged {
      let steps = try await store.plan(of: statement)
      #expect(!steps.isEmpty && steps.allSatisfy { !$0.hasPrefix("SCAN") }, "\(statement): \(steps)")
    }
    var query = HistoryQuery(room: "room", before: 50)
    query.kind = .pkEnded
    for step in try await store.plan(of: query.statement("event", begin: "time", end: "time").sql) {
      #expect(step.hasPrefix("SEARCH"), "\(step)")
    }
  }

  @Test("after a restart, users and jobs that return continue, and the others have ended")
  func restart() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "history-\(UUID().uuidString).sqlite").path
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
    let first = try HistoryStore(path: path)
    try await first.append([
      entry(.participantJoined, 1, user: "ann"), entry(.participantJoined, 2, user: "bob"),
      entry(.participantJoined, 3, room: "gone", user: "eve"), entry(.jobStarted, 4, job: "show"),
      entry(.jobStarted, 5, room: "gone", job: "old"),
    ])
    first.close()

    let second = try HistoryStore(path: path)
    try second.resume(rooms: ["room"])
    var restored = entry(.roomRestored, 10)
    restored.users = ["ann"]
    try await second.append([restored, entry(.participantJoined, 11, user: "ann"), entry(.jobStarted, 11, job: "show")])
    let sessions = try await HistoryQuery().sessions(in: second).rows
    #expect(sessions.map(\.user) == ["eve", "bob", "ann"])
    #expect(sessions.map(\.leftAt) == [5, 10, nil])
    #expect(sessions.map(\.reason) == ["serverCrashed", "serverStopped", nil])
    let lives = try await HistoryQuery().lives(in: second).rows
    #expect(lives.map(\.job) == ["old", "show"] && lives.map(\.endedAt) == [5, nil])
    second.close()
  }
}
