import Foundation
import RoomCluster
import RoomPeers
import RoomProtocol
import RoomRedis
import RoomTestSupport
import Testing

@testable import RoomWebhooks

@Suite("Stores of events")
struct EventStoreTests {
  enum Kind: CaseIterable, Sendable {
    case sqlite, redis
  }

  private static let url = "http://127.0.0.1/hook"

  /// A Redis in which some rooms have an owner, and the stores of its nodes.
  private final class Cluster {
    let redis: RedisServer
    let client: RedisClient

    init() async throws {
      redis = try await RedisServer()
      client = try RedisClient(RedisURL("redis://127.0.0.1:\(redis.port)"))
    }

    static func node(_ number: UInt64) -> Incarnation {
      Incarnation(node: number == 1 ? "n1" : number == 2 ? "n2" : "n3", epoch: Int64(number), process: number)
    }

    func enter(_ number: UInt64) async throws {
      _ = try await client.send(["HSET", ClusterKeys.members, "\(Self.node(number))", "1 1 {}"])
    }

    func leave(_ number: UInt64) async throws {
      _ = try await client.send(["HDEL", ClusterKeys.members, "\(Self.node(number))"])
    }

    /// Makes a node the owner of a room.
    func claim(_ room: RoomName, by number: UInt64, fence: Int64) async throws {
      _ = try await client.send(["HSET", ClusterKeys.lease(room), "owner", "\(Self.node(number))", "fence", "\(fence)"])
    }

    func store(of number: UInt64) -> RedisEventStore {
      let shared = SharedEvents(client, incarnation: { Self.node(number) }, fence: { _ in 1 })
      let store = RedisEventStore(shared, kept: 100, age: 60_000)
      store.setWebhooks([EventStoreTests.url])
      return store
    }
  }

  private struct Body: Decodable {
    var id: String
    var sequence: Int64
    var room: RoomName
  }

  private func events(_ count: Int, of room: RoomName, title: EventTitle? = .room(fence: 1)) -> [ReportedEvent] {
    (0..<count).map { _ in
      let event = WebhookEvent(room: room, session: "RS_1", name: .seatChanged, data: ["seat": 1])
      return ReportedEvent(event: event, title: title)
    }
  }

  private func positions(_ room: RoomName, _ id: Int64) -> [DeliveryPosition: Int64] {
    [DeliveryPosition(url: Self.url, room: room): id]
  }

  private func subject(_ kind: Kind) async throws -> (any EventStore, AnyObject?) {
    guard kind == .redis else {
      let store = try SQLiteEventStore(path: nil)
      try await store.setWebhooks([Self.url])
      return (store, nil)
    }
    let cluster = try await Cluster()
    for room: RoomName in ["a", "b"] { try await cluster.claim(room, by: 1, fence: 1) }
    return (cluster.store(of: 1), cluster)
  }

  @Test(
    "numbers grow by one in each room; a room's events are listed and sent again from a number on", arguments: Kind.allCases)
  func numbers(kind: Kind) async throws {
    try #require(kind != .redis || RedisServer.isInstalled)
    let (store, resource) = try await subject(kind)
    let first = try await store.append(events(2, of: "a") + events(1, of: "b") + events(1, of: "a"), delivered: [:])
    let second = try await store.append(events(1, of: "b"), delivered: [:])
    #expect(first.refused == 0 && second.refused == 0)
    let entries = [first, second].flatMap { $0.order.added + ($0.order.begun[Self.url]?.values.flatMap { $0 } ?? []) }
    for (room, count) in [("a", 3), ("b", 2)] {
      let room = RoomName(room)
      let own = entries.filter { $0.room == room }
      #expect(own.map(\.sequence).sorted() == Array(1...Int64(count)))
      let listed = try #require(try await store.events(of: room, after: 0, limit: 10))
      let bodies = try listed.bodies.map { try JSONDecoder().decode(Body.self, from: $0) }
      #expect(bodies.map(\.sequence) == Array(1...Int64(count)) && bodies.allSatisfy { $0.room == room })
      #expect(Set(bodies.map(\.id)).count == count && listed.last == Int64(count))
      for (entry, body) in zip(own.sorted { $0.sequence < $1.sequence }, listed.bodies) {
        #expect(try await store.body(of: entry.id, in: room) == .json(body))
      }
    }
    let after = try #require(try await store.events(of: "a", after: 1, limit: 1))
    #expect(after.bodies.count == 1 && after.last == 3)
    #expect(try await store.events(of: "c", after: 0, limit: 1) == nil)
    #expect(try await store.newest(2).count == 2)
    let last = try JSONDecoder().decode(Body.self, from: try #require(try await store.newest(10).last))
    #expect(last.room == "b" && last.sequence == 2)
    #expect(try await store.replay("a", from: 2)?.map(\.sequence) == [2, 3])
    #expect(try await store.replay("c", from: 1) == nil)
    withExtendedLifetime(resource) {}
  }

  @Test(
    "the next owner of a room continues its numbers and delivers what is left; the last owner writes and delivers nothing more")
  func next() async throws {
    try #require(RedisServer.isInstalled)
    let cluster = try await Cluster()
    for node: UInt64 in 1...2 { try await cluster.enter(node) }
    try await cluster.claim("a", by: 1, fence: 1)
    let (one, two) = (cluster.store(of: 1), cluster.store(of: 2))
    let begun = try await one.append(events(3, of: "a"), delivered: [:]).order
    #expect(begun.begun[Self.url]?["a"]?.map(\.sequence) == [1, 2, 3] && begun.added.isEmpty)
    let more = try await one.append(events(1, of: "a"), delivered: positions("a", 2)).order
    #expect(more.added.map(\.sequence) == [4] && more.begun.isEmpty)

    try await cluster.claim("a", by: 2, fence: 2)
    let late = try await one.append(events(2, of: "a"), delivered: [:])
    #expect(late.refused == 2 && late.order.isEmpty)
    let taken = try await two.append(events(1, of: "a", title: .room(fence: 2)), delivered: [:]).order
    #expect(taken.begun[Self.url]?["a"]?.map(\.sequence) == [3, 4, 5])
    #expect(try await one.body(of: 3, in: "a") == .elsewhere)
    if case .json = try await two.body(of: 3, in: "a") {} else { Issue.record("the next owner can't read the event") }
    // A position that the last owner writes late moves nothing back.
    _ = try await two.append([], delivered: positions("a", 5))
    _ = try await one.append([], delivered: positions("a", 3))
    let again = try await two.append(events(1, of: "a", title: .room(fence: 2)), delivered: [:]).order
    #expect(again.added.map(\.sequence) == [6] && again.begun.isEmpty)
  }

  @Test("another node delivers what a dead one left, once, and not what was delivered; a file's event needs no owner")
  func dead() async throws {
    try #require(RedisServer.isInstalled)
    let cluster = try await Cluster()
    for node: UInt64 in 1...3 { try await cluster.enter(node) }
    for room: RoomName in ["a", "b"] { try await cluster.claim(room, by: 1, fence: 1) }
    let stores = (1...3).map { cluster.store(of: UInt64($0)) }
    _ = try await stores[0].append(events(2, of: "a") + events(2, of: "b"), delivered: [:])
    _ = try await stores[0].append(events(1, of: "c", title: .file), delivered: positions("b", 2))
    #expect(try await stores[0].append(events(1, of: "c", title: nil), delivered: positions("a", 1)).refused == 1)
    #expect(try await stores[1].takeOver().isEmpty)
    try await cluster.leave(1)
    let orders = try await [stores[1].takeOver(), stores[2].takeOver()]
    let taken = orders.flatMap { $0.begun[Self.url] ?? [:] }
    #expect(taken.count == 2)
    #expect(taken.first { $0.key == "a" }?.value.map(\.sequence) == [2])
    #expect(taken.first { $0.key == "c" }?.value.map(\.sequence) == [1])
    #expect(try await stores[0].body(of: 2, in: "a") == .elsewhere)
  }

  @Test("a write without an answer is repeated once the store is back, and counts once")
  func away() async throws {
    try #require(RedisServer.isInstalled)
    let cluster = try await Cluster()
    try await cluster.claim("a", by: 1, fence: 1)
    let store = cluster.store(of: 1)
    _ = try await store.append(events(1, of: "a"), delivered: [:])
    cluster.redis.signal(SIGSTOP)
    async let appended = store.append(events(3, of: "a"), delivered: [:])
    // Longer than a command may take.
    try await Task.sleep(for: .seconds(3))
    cluster.redis.signal(SIGCONT)
    let order = try await appended.order
    #expect((order.added + (order.begun[Self.url]?["a"] ?? [])).map(\.sequence).suffix(3) == [2, 3, 4])
    #expect(try await store.events(of: "a", after: 0, limit: 10)?.bodies.count == 4)
  }
}
