import RoomCluster
import RoomProtocol
import RoomRedis
import RoomState
import Foundation

/// Stores the rooms of a cluster in Redis.
///
/// Each write of a room is a script that first compares the room's owner and fence with those of this node. A node that has lost a
/// room therefore can't change what its next owner has written. Writes of different rooms are independent of one another.
package struct RedisStore: RoomStore {
  /// The right to write a room.
  package struct Title: Sendable, Hashable {
    package var owner: Incarnation
    package var fence: Int64

    package init(owner: Incarnation, fence: Int64) {
      self.owner = owner
      self.fence = fence
    }
  }

  private let redis: RedisClient
  private let incarnation: @Sendable () -> Incarnation?
  private let title: @Sendable (RoomName) throws -> Title?
  private let lost: @Sendable (RoomName) -> Void

  /// - Parameters:
  ///   - incarnation: the node's own; nil while it is no member.
  ///   - title: the right to write a room; nil if the node does not own it. The closure throws while the node does not know,
  ///     because the store has changed.
  ///   - lost: a write was refused, because another node owns the room.
  package init(
    _ redis: RedisClient, incarnation: @escaping @Sendable () -> Incarnation?,
    title: @escaping @Sendable (RoomName) throws -> Title?,
    lost: @escaping @Sendable (RoomName) -> Void
  ) {
    self.redis = redis
    self.incarnation = incarnation
    self.title = title
    self.lost = lost
  }

  // MARK: Reading

  /// Loads the kicked users' tokens alone: a node loads a room when it becomes its owner.
  package func load() async throws -> StoredServer {
    var stored = StoredServer()
    for kick in try await redis.send(["ZRANGE", ClusterKeys.kicks, "0", "-1"]).elements ?? [] {
      if let kick = kick.bytes.flatMap(Self.kick), kick.expires > Date() { stored.kicked.append(kick) }
    }
    return stored
  }

  /// Loads rooms with their images, and the start times of all broadcasts. An unreadable room is not removed.
  package func load(_ rooms: [RoomName]) async throws -> StoredServer {
    var stored = StoredServer()
    guard !rooms.isEmpty else { return stored }
    let replies = try await redis.pipeline(
      rooms.flatMap { room in
        [
          ["GET", ClusterKeys.room(room)], ["HGETALL", ClusterKeys.members(of: room)],
          ["HGETALL", ClusterKeys.images(of: room)],
        ]
      } + [["HGETALL", ClusterKeys.broadcasts]])
    let decoder = JSONDecoder()
    for (index, name) in rooms.enumerated() where replies.count > 3 * index + 2 {
      for case .error(let text) in replies[3 * index...3 * index + 2] { throw RedisError.refused(text) }
      guard let value = replies[3 * index].bytes else { continue }
      do {
        var room = try decoder.decode(StoredRoom.self, from: Data(value))
        var members: [UserID: Member] = [:]
        for (user, value) in Self.pairs(replies[3 * index + 1]) {
          members[UserID(user)] = try decoder.decode(Member.self, from: Data(value))
        }
        room.state.addStored(members)
        stored.rooms[name] = room
      } catch {
        stored.unreadable[name] = String(describing: error)
        continue
      }
      for (image, file) in Self.pairs(replies[3 * index + 2]) { stored.images[name, default: [:]][image] = file }
    }
    for (key, value) in replies.last.map(Self.pairs) ?? [] {
      stored.broadcasts[key] = String(decoding: value, as: UTF8.self).split(separator: " ").first.flatMap { Int64($0) }
    }
    return stored
  }

  private static func pairs(_ reply: RedisValue) -> [(String, [UInt8])] {
    let values = reply.elements ?? []
    return stride(from: 0, to: values.count - values.count % 2, by: 2).compactMap { index in
      guard let key = values[index].text, let value = values[index + 1].bytes else { return nil }
      return (key, value)
    }
  }

  /// Reads a kick as ``write(_:)`` stores it.
  package static func kick(_ bytes: [UInt8]) -> StoredKick? { try? JSONDecoder().decode(StoredKick.self, from: Data(bytes)) }

  // MARK: Writing

  /// Writes the changes of each room atomically, and all in order. A room that this node does not own any more is skipped.
  package func write(_ changes: [StoreChange]) async throws {
    var steps: [(room: RoomName, steps: [[UInt8]])] = []
    var positions: [RoomName: Int] = [:]
    var broadcasts: [[UInt8]] = []
    func add(_ step: [[UInt8]], to room: RoomName) {
      if let position = positions[room] {
        steps[position].steps += step
      } else {
        positions[room] = steps.count
        steps.append((room, step))
      }
    }
    for change in changes {
      switch change {
      case .room(let name, let record): add(Self.steps(of: record), to: name)
      case .roomGone(let name): add(["gone", "", ""].map(Self.bytes), to: name)
      case .image(let room, let name, let file?): add([Self.bytes("image"), Self.bytes(name), file], to: room)
      case .image(let room, let name, nil): add(["no image", name, ""].map(Self.bytes), to: room)
      case .kicked(let kick):
        add(
          [Self.bytes("kick"), Self.bytes("\(kick.expires.timeIntervalSince1970)"), Array(try JSONEncoder().encode(kick))],
          to: kick.room)
      case .broadcast(let key, let begun): broadcasts += [key, begun.map { "\($0)" } ?? ""].map(Self.bytes)
      }
    }
    try await write(steps)
    guard !broadcasts.isEmpty, let own = incarnation() else { return }
    _ = try await redis.run(
      Self.broadcastScript, keys: [ClusterKeys.members, ClusterKeys.broadcasts], [Self.bytes(own.description)] + broadcasts,
      replicas: redis.url.replicas)
  }

  /// The maximum number of rooms that are written at once.
  private static let parallel = 128

  private func write(_ steps: [(room: RoomName, steps: [[UInt8]])]) async throws {
    var rest = steps[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.parallel)
      rest = rest.dropFirst(Self.parallel)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (room, steps) in part {
          guard let title = try title(room) else { continue }
          group.addTask {
            let reply = try await redis.run(
              Self.roomScript,
              keys: [
                ClusterKeys.lease(room), ClusterKeys.room(room), ClusterKeys.members(of: room), ClusterKeys.images(of: room),
                ClusterKeys.kicks, ClusterKeys.kickExpiry, ClusterKeys.kickNumber,
              ], [title.owner.description, "\(title.fence)"].map(Self.bytes) + steps, replicas: redis.url.replicas)
            switch reply.number {
            case 1: break
            case 2: throw RedisError.refused("the store has lost the owner of a room, who has not written it again yet")
            default: lost(room)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// The client of Redis also serves the leases, and is closed by its owner.
  package func close() async {}

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// The steps of a record: three arguments each.
  private static func steps(of record: RoomRecord) -> [[UInt8]] {
    var steps: [[UInt8]] = []
    if let room = record.room { steps += [bytes("room"), [], Array(room)] }
    if record.isWhole { steps += [bytes("no members"), [], []] }
    for (user, value) in record.members {
      steps +=
        value.map { [bytes("member"), bytes(user.rawValue), Array($0)] } ?? [bytes("no member"), bytes(user.rawValue), []]
    }
    return steps
  }

  /// KEYS: lease, room, members, images, kicks, expiry and number of kicks. ARGV: owner, fence, then steps of three each.
  /// Returns 0 if another node is the owner, and 2 if the store has lost its record of this one.
  private static let roomScript = RedisScript(
    """
    local lease = redis.call('HMGET', KEYS[1], 'owner', 'fence')
    if tonumber(lease[2] or '0') < tonumber(ARGV[2]) then return 2 end
    if lease[1] ~= ARGV[1] or lease[2] ~= ARGV[2] then return 0 end
    for index = 3, #ARGV, 3 do
      local step, name, value = ARGV[index], ARGV[index + 1], ARGV[index + 2]
      if step == 'room' then redis.call('SET', KEYS[2], value)
      elseif step == 'member' then redis.call('HSET', KEYS[3], name, value)
      elseif step == 'no member' then redis.call('HDEL', KEYS[3], name)
      elseif step == 'no members' then redis.call('DEL', KEYS[3])
      elseif step == 'image' then redis.call('HSET', KEYS[4], name, value)
      elseif step == 'no image' then redis.call('HDEL', KEYS[4], name)
      elseif step == 'gone' then redis.call('DEL', KEYS[2], KEYS[3], KEYS[4])
      elseif step == 'kick' then
        for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[6], '-inf', redis.call('TIME')[1], 'LIMIT', 0, 100)) do
          redis.call('ZREM', KEYS[5], old)
          redis.call('ZREM', KEYS[6], old)
        end
        redis.call('ZADD', KEYS[5], redis.call('INCR', KEYS[7]), value)
        redis.call('ZADD', KEYS[6], name, value)
      end
    end
    return 1
    """)

  /// An entry is the start and the node that runs the broadcast: no other removes it.
  /// KEYS: members, broadcasts. ARGV: own incarnation, then key and start of each, "" for a broadcast that has ended.
  private static let broadcastScript = RedisScript(
    """
    if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
    for index = 2, #ARGV, 2 do
      local key, begun = ARGV[index], ARGV[index + 1]
      if begun ~= '' then redis.call('HSET', KEYS[2], key, begun .. ' ' .. ARGV[1])
      elseif string.match(redis.call('HGET', KEYS[2], key) or '', ' (%S+)$') == ARGV[1] then redis.call('HDEL', KEYS[2], key) end
    end
    return 1
    """)
}

extension RedisStore: DocumentStore {
  package func documents(_ kind: DocumentKind) async throws -> [String: Data] {
    let reply = try await redis.send(["HGETALL", ClusterKeys.documents(kind.rawValue)])
    if case .error(let text) = reply { throw RedisError.refused(text) }
    return Dictionary(Self.pairs(reply).map { ($0, Data($1)) }) { first, _ in first }
  }

  package func document(_ kind: DocumentKind, _ id: String) async throws -> Data? {
    let reply = try await redis.send(["HGET", ClusterKeys.documents(kind.rawValue), id])
    if case .error(let text) = reply { throw RedisError.refused(text) }
    return reply.bytes.map { Data($0) }
  }

  package func set(_ document: Data?, _ kind: DocumentKind, _ id: String) async throws {
    let reply = try await redis.run(
      Self.documentScript, keys: [ClusterKeys.documents(kind.rawValue)],
      [Self.bytes(id)] + (document.map { [Array($0)] } ?? []),
      replicas: redis.url.replicas)
    if case .error(let text) = reply { throw RedisError.refused(text) }
  }

  /// KEYS: documents. ARGV: id, and the document unless it is removed.
  private static let documentScript = RedisScript(
    """
    if ARGV[2] then redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) else redis.call('HDEL', KEYS[1], ARGV[1]) end
    return 1
    """)
}
