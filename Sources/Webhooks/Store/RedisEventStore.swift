import Foundation
import RoomCluster
import RoomDigests
import RoomHTTPServer
import RoomProtocol
import RoomRedis
import Synchronization

extension EventTitle {
  /// The argument of the script.
  fileprivate var text: String {
    switch self {
    case .room(let fence): "\(fence)"
    case .file: ""
    }
  }
}

/// The events of a cluster, in Redis: a room's numbers and the webhooks' positions continue when the room moves, and when its node
/// dies.
///
/// The owner of a room at the time of an event writes it, and is from then on the one node that delivers the room's events. The
/// fence decides: a node that has lost the room writes nothing more. A delivery starts with a script that compares the deliverer.
final class RedisEventStore: EventStore {
  /// A room's events of one batch, with the right to store them.
  private struct Batch: Sendable {
    var room: RoomName
    var title: EventTitle
    var events: [WebhookEvent] = []
  }

  private struct State {
    var urls: [String] = []
    var isEnding = false
    var numbered: UInt64 = 0
    /// The numbers of the rooms' last events, as far as this node knows.
    var last: [RoomName: Int64] = [:]
  }

  /// The node has not entered the cluster, or has left it.
  private struct NoMember: Error, CustomStringConvertible {
    var description: String { "the node is no member of the cluster" }
  }

  let isShared = true
  private let cluster: SharedEvents
  /// Maximum number of events of a room, and the time that they are kept, in ms.
  private let kept: Int
  private let age: Int64
  private let label = String(UInt64.random(in: 0...(.max)), radix: 16)
  private let state = Mutex(State())

  /// Wait before a write is repeated.
  private static let pause = Duration.milliseconds(200)
  /// Maximum number of events in the stream of all rooms.
  private static let newestKept = 1000
  /// Maximum number of rooms whose last number is known.
  private static let knownRooms = 10_000
  /// The time after which the numbers of a room without events start again; ms.
  private static let numbersKept: Int64 = 30 * 86_400_000

  init(_ cluster: SharedEvents, kept: Int, age: Int64) {
    (self.cluster, self.kept, self.age) = (cluster, max(1, kept), max(1000, age))
  }

  private var redis: RedisClient { cluster.redis }
  private var replicas: Int { cluster.redis.url.replicas }
  private var own: Incarnation { get throws { if let own = cluster.incarnation() { own } else { throw NoMember() } } }
  private var urls: [String] { state.withLock { $0.urls } }

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// The field of a webhook: not its URL, which may contain a key.
  private static func field(_ url: String) -> String {
    "to:" + Digest.sha256.digest(of: Array(url.utf8)).prefix(12).hexadecimal
  }

  func setWebhooks(_ urls: [String]) { state.withLock { $0.urls = urls } }

  func endAttempts() { state.withLock { $0.isEnding = true } }

  /// The client of Redis also serves the leases, and is closed by its owner.
  func close() {}

  // MARK: Writing

  func append(
    _ events: [ReportedEvent], delivered: [DeliveryPosition: Int64]
  ) async throws -> (order: DeliveryOrder, refused: Int) {
    var batches: [Batch] = []
    var positions: [RoomName: Int] = [:]
    var refused = 0
    for reported in events {
      guard let title = reported.title else {
        refused += 1
        continue
      }
      let room = reported.event.room
      if let position = positions[room], batches[position].title == title {
        batches[position].events.append(reported.event)
      } else {
        positions[room] = batches.count
        batches.append(Batch(room: room, title: title, events: [reported.event]))
      }
    }
    var order = DeliveryOrder()
    // A room that was lost and claimed again has two batches, which follow one another.
    var rest = batches[...]
    while !rest.isEmpty {
      var rooms: Set<RoomName> = []
      let part = rest.prefix { rooms.insert($0.room).inserted }
      rest = rest.dropFirst(part.count)
      try await withThrowingTaskGroup(of: (order: DeliveryOrder, refused: Int).self) { group in
        for batch in part { group.addTask { try await self.append(batch) } }
        for try await (result, count) in group {
          refused += count
          order.added += result.added
          order.begun.merge(result.begun) { $0.merging($1) { $1 } }
        }
      }
    }
    try await advance(delivered)
    return (order, refused)
  }

  private func append(_ batch: Batch) async throws -> (order: DeliveryOrder, refused: Int) {
    var last = state.withLock { $0.last[batch.room] }
    // Whether a script was sent whose answer is missing.
    var isUncertain = false
    while true {
      do {
        let expected: Int64
        if let last { expected = last } else { expected = try await self.last(of: batch.room) }
        last = expected
        let reply = try await send(batch, after: expected)
        guard let parts = reply.elements, parts.count == 2 else { throw RedisError.unexpected("to an event") }
        let count = Int64(batch.events.count)
        if parts[0].number == 1 { know(expected + count, of: batch.room) }
        switch (parts[0].number, parts[1].number) {
        case (1, 0): return (DeliveryOrder(added: Self.stored(batch, after: expected)), 0)
        case (1, _): return (try await begin([batch.room]), 0)
        case (3, let actual?) where isUncertain && actual == expected + count: return (try await begin([batch.room]), 0)
        case (3, let actual?): (last, isUncertain) = (actual, false)
        // The store has lost its data, or a failover its last writes: the owner writes its rooms again.
        case (2, _) where cluster.fence(batch.room) != nil: throw RedisError.unexpected("no owner of \(batch.room)")
        default: return (DeliveryOrder(), batch.events.count)
        }
      } catch {
        switch error {
        case RedisError.closed: throw error
        case RedisError.unanswered, RedisError.notReplicated: isUncertain = true
        default: break
        }
        guard !state.withLock({ $0.isEnding }) else { throw error }
        try await Task.sleep(for: Self.pause)
      }
    }
  }

  private func know(_ last: Int64, of room: RoomName) {
    state.withLock { state in
      if state.last.count >= Self.knownRooms { state.last = [:] }
      state.last[room] = last
    }
  }

  private func last(of room: RoomName) async throws(RedisError) -> Int64 {
    try await redis.send(["HGET", EventKeys.delivery(of: room), "last"]).number ?? 0
  }

  private func send(_ batch: Batch, after last: Int64) async throws -> RedisValue {
    let urls = urls
    var arguments = [
      batch.title.text, "\(last)", batch.room.rawValue, EventKeys.delivering, try own.description, "\(kept)", "\(age)",
      "\(max(age, Self.numbersKept))", "\(Self.newestKept)", "\(urls.count)",
    ].map(Self.bytes)
    arguments += urls.map { Self.bytes(Self.field($0)) }
    let first = state.withLock { state in
      defer { state.numbered &+= UInt64(batch.events.count) }
      return state.numbered
    }
    let encoder = JSON.encoder()
    for (index, event) in batch.events.enumerated() {
      let message = EventMessage(
        event: event, id: "ev_\(label)_\(first &+ UInt64(index) &+ 1)", sequence: last + 1 + Int64(index))
      arguments += [Self.bytes("\(event.time)"), [UInt8](try encoder.encode(message))]
    }
    return try await redis.run(
      EventScripts.append,
      keys: [
        ClusterKeys.lease(batch.room), EventKeys.delivery(of: batch.room), EventKeys.events(of: batch.room), EventKeys.newest,
        EventKeys.deliverers,
      ], arguments, replicas: replicas)
  }

  private static func stored(_ batch: Batch, after last: Int64) -> [StoredEvent] {
    batch.events.enumerated().map { index, event in
      let number = last + 1 + Int64(index)
      return StoredEvent(id: number, room: batch.room, sequence: number, time: event.time)
    }
  }

  private func advance(_ delivered: [DeliveryPosition: Int64]) async throws {
    guard !delivered.isEmpty else { return }
    let own = try own
    let fields = urls.map { Self.bytes(Self.field($0)) }
    for (room, positions) in Dictionary(grouping: delivered, by: \.key.room) {
      var arguments = [own.description, room.rawValue, "\(positions.count)"].map(Self.bytes)
      for (position, number) in positions { arguments += [Self.field(position.url), "\(number)"].map(Self.bytes) }
      _ = try await redis.run(
        EventScripts.advance, keys: [EventKeys.delivery(of: room), EventKeys.delivering + own.description], arguments + fields)
    }
  }

  // MARK: Delivering

  /// A node that starts delivers no room yet.
  func pending(for url: String) -> [StoredEvent] { [] }

  /// Returns all events of rooms that the webhooks have not received.
  private func begin(_ rooms: [RoomName]) async throws -> DeliveryOrder {
    var order = DeliveryOrder()
    let urls = urls
    for room in rooms {
      let fields = urls.map(Self.field)
      let reply = try await redis.send(RedisCommand((["HMGET", EventKeys.delivery(of: room)] + fields).map(Self.bytes)))
      let positions = (reply.elements ?? []).map { $0.number ?? 0 }
      guard positions.count == urls.count, let first = positions.min() else { continue }
      let events = try await stored(room, after: first)
      for (url, position) in zip(urls, positions) { order.begun[url, default: [:]][room] = events.filter { $0.id > position } }
    }
    return order
  }

  private func stored(_ room: RoomName, after number: Int64) async throws -> [StoredEvent] {
    try await entries(of: room, after: number, limit: kept).map { number, time, _ in
      StoredEvent(id: number, room: room, sequence: number, time: time)
    }
  }

  private func entries(
    of room: RoomName, after number: Int64, limit: Int
  ) async throws -> [(number: Int64, time: Int64, body: [UInt8])] {
    let reply = try await redis.send(
      ["XRANGE", EventKeys.events(of: room), "\(number + 1)-0", "+", "COUNT", "\(limit)"])
    return (reply.elements ?? []).compactMap { entry in
      guard let parts = entry.elements, parts.count == 2,
        let number = parts[0].text?.split(separator: "-").first.flatMap({ Int64($0) }),
        let fields = parts[1].elements, fields.count == 4, let time = fields[1].number, let body = fields[3].bytes
      else { return nil }
      return (number, time, body)
    }
  }

  func takeOver() async throws -> DeliveryOrder {
    guard !urls.isEmpty, cluster.isDelegate(), let own = cluster.incarnation() else { return DeliveryOrder() }
    let reply = try await redis.run(
      EventScripts.orphans, keys: [EventKeys.deliverers, ClusterKeys.members], [Self.bytes(EventKeys.delivering)])
    let names = (reply.elements ?? []).compactMap(\.text)
    var taken: [RoomName] = []
    for index in stride(from: 0, to: names.count - names.count % 2, by: 2) {
      let room = RoomName(names[index])
      let reply = try await redis.run(
        EventScripts.take, keys: [EventKeys.delivery(of: room), EventKeys.deliverers, ClusterKeys.members],
        [names[index], EventKeys.delivering, own.description, names[index + 1]].map(Self.bytes), replicas: replicas)
      if reply.number == 1 { taken.append(room) }
    }
    return try await begin(taken)
  }

  func body(of id: Int64, in room: RoomName) async throws -> EventBody {
    let reply = try await redis.run(
      EventScripts.read, keys: [EventKeys.delivery(of: room), EventKeys.events(of: room)],
      [try own.description, "\(id)"].map(Self.bytes))
    if let body = reply.bytes { return .json(Data(body)) }
    return reply.number == 1 ? .gone : .elsewhere
  }

  // MARK: The API

  func events(of room: RoomName, after sequence: Int64, limit: Int) async throws -> (bodies: [Data], last: Int64)? {
    guard let last = try await redis.send(["HGET", EventKeys.delivery(of: room), "last"]).number else { return nil }
    return (try await entries(of: room, after: sequence, limit: limit).map { Data($0.body) }, last)
  }

  func newest(_ limit: Int) async throws -> [Data] {
    let reply = try await redis.send(["XREVRANGE", EventKeys.newest, "+", "-", "COUNT", "\(limit)"])
    return (reply.elements ?? []).reversed().compactMap { $0.elements?.last?.elements?.last?.bytes.map { Data($0) } }
  }

  func replay(_ room: RoomName, from sequence: Int64) async throws -> [StoredEvent]? {
    let reply = try await redis.run(
      EventScripts.replay, keys: [EventKeys.delivery(of: room), EventKeys.deliverers],
      ([room.rawValue, EventKeys.delivering, try own.description, "\(sequence - 1)"] + urls.map(Self.field)).map(Self.bytes),
      replicas: replicas)
    guard reply.number == 1 else { return nil }
    return try await stored(room, after: sequence - 1)
  }

  /// Redis deletes what is too old, and the oldest of a room's events.
  func prune(keeping count: Int, since time: Int64) -> Int64? { nil }
}
