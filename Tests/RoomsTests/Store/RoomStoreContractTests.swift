import Foundation
import RoomCluster
import RoomPeers
import RoomProtocol
import RoomRedis
import RoomState
import RoomTestSupport
import Testing

@testable import RoomEngine

@Suite("Contract of the stores of rooms")
struct RoomStoreContractTests {
  enum Kind: CaseIterable, Sendable {
    case sqlite, redis
  }

  /// A store, and what a node that starts now would load of it.
  private struct Subject {
    let store: any RoomStore
    let load: () async throws -> StoredServer
    /// Keeps the server or the file.
    let resource: AnyObject
  }

  private final class File {
    let path = FileManager.default.temporaryDirectory.appending(path: "rooms-\(UUID().uuidString).sqlite").path
    deinit { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
  }

  private static let rooms: [RoomName] = ["room", "other"]
  private static let node = Incarnation(node: "n", epoch: 1, process: 7)

  private func subject(_ kind: Kind) async throws -> Subject {
    switch kind {
    case .sqlite:
      let file = File()
      let store = try SQLiteStore(path: file.path)
      return Subject(store: store, load: { try await store.load() }, resource: file)
    case .redis:
      let server = try await RedisServer()
      let client = try RedisClient(RedisURL("redis://127.0.0.1:\(server.port)"))
      for room in Self.rooms {
        _ = try await client.send(["HSET", ClusterKeys.lease(room), "owner", "\(Self.node)", "fence", "3"])
      }
      _ = try await client.send(["HSET", ClusterKeys.members, "\(Self.node)", "1 1 {}"])
      let store = RedisStore(
        client, incarnation: { Self.node }, title: { _ in .init(owner: Self.node, fence: 3) },
        lost: { Issue.record("\($0) is lost") })
      return Subject(
        store: store,
        load: {
          var stored = try await store.load(Self.rooms)
          stored.kicked = try await store.load().kicked
          return stored
        }, resource: server)
    }
  }

  private func state(_ users: [UserID], named name: RoomName = "room") throws -> RoomState {
    var state = RoomState(name: name, createdAt: 1_000_000)
    for user in users { try state.join(user, grants: [.publish, .subscribe]) }
    return state
  }

  private func change(_ state: inout RoomState, named name: RoomName = "room") throws -> StoreChange {
    let (room, members) = state.takeStored()
    let change = StoredRoomChange(
      room: StoredRoom(options: RoomSettingsOptions(), state: room, jobs: []), members: members)
    return .room(name: name, try change.record(JSONEncoder(), after: nil))
  }

  @Test("what was written is loaded", arguments: Kind.allCases)
  func all(kind: Kind) async throws {
    try #require(kind != .redis || RedisServer.isInstalled)
    let subject = try await subject(kind)
    var state = try state(["ann", "bob"])
    let kick = StoredKick(room: "room", user: "eve", token: "t1", expires: Date(timeIntervalSinceNow: 3600))
    try await subject.store.write([
      try change(&state), .image(room: "room", name: "logo", [0, 255, 10]), .image(room: "room", name: "old", [1]),
      .image(room: "room", name: "old", nil), .kicked(kick), .broadcast("rtmp://a/b?x=1", begun: 123),
      .broadcast("gone", begun: 5), .broadcast("gone", begun: nil),
      .kicked(StoredKick(room: "room", user: "eve", token: "t0", expires: Date(timeIntervalSinceNow: -1))),
    ])
    let stored = try await subject.load()
    let room = try #require(stored.rooms["room"])
    #expect(stored.rooms.count == 1 && room.state.users == ["ann", "bob"] && room.state.mayPublish("ann"))
    #expect(stored.images == ["room": ["logo": [0, 255, 10]]])
    #expect(stored.kicked.map(\.token) == ["t1"] && stored.kicked.first?.user == "eve")
    #expect(abs(try #require(stored.kicked.first?.expires).timeIntervalSince(kick.expires)) < 0.001)
    #expect(stored.broadcasts == ["rtmp://a/b?x=1": 123] && stored.unreadable.isEmpty)
    await subject.store.close()
  }

  @Test("a change of one member leaves the others; all members replace them", arguments: Kind.allCases)
  func members(kind: Kind) async throws {
    try #require(kind != .redis || RedisServer.isInstalled)
    let subject = try await subject(kind)
    var state = try state(["ann", "bob"])
    try await subject.store.write([try change(&state)])
    state.leave("ann", .left)
    try state.join("cid", grants: [])
    try await subject.store.write([try change(&state)])
    #expect(try await subject.load().rooms["room"]?.state.users == ["bob", "cid"])
    var whole = try self.state(["dan"])
    try await subject.store.write([try change(&whole)])
    #expect(try await subject.load().rooms["room"]?.state.users == ["dan"])
    await subject.store.close()
  }

  @Test(
    "a room that is gone leaves nothing but its kicks, and a later one of its name inherits nothing", arguments: Kind.allCases)
  func gone(kind: Kind) async throws {
    try #require(kind != .redis || RedisServer.isInstalled)
    let subject = try await subject(kind)
    var (state, other) = (try state(["ann"]), try state(["zoe"], named: "other"))
    try await subject.store.write([
      try change(&state), try change(&other, named: "other"), .image(room: "room", name: "logo", [1]),
      .kicked(StoredKick(room: "room", user: "eve", token: "t1", expires: Date(timeIntervalSinceNow: 3600))),
    ])
    try await subject.store.write([.roomGone("room")])
    var stored = try await subject.load()
    #expect(stored.rooms.keys.sorted() == ["other"] && stored.images.isEmpty && stored.kicked.count == 1)
    var next = try self.state(["bob"])
    try await subject.store.write([.roomGone("room"), try change(&next)])
    stored = try await subject.load()
    #expect(stored.rooms["room"]?.state.users == ["bob"] && stored.images.isEmpty)
    #expect(stored.rooms["other"]?.state.users == ["zoe"])
    await subject.store.close()
  }

  @Test("a write of a room with an old fence, or by a node that has ended, is refused", .enabled(if: RedisServer.isInstalled))
  func fences() async throws {
    let server = try await RedisServer()
    let client = try RedisClient(RedisURL("redis://127.0.0.1:\(server.port)"))
    let next = Incarnation(node: "m", epoch: 2, process: 8)
    _ = try await client.send(["HSET", ClusterKeys.lease("room"), "owner", "\(next)", "fence", "4"])
    _ = try await client.send(["HSET", ClusterKeys.members, "\(next)", "1 1 {}"])
    let lost = Shared<[RoomName]>([])
    func store(_ owner: Incarnation, _ fence: Int64) -> RedisStore {
      RedisStore(
        client, incarnation: { owner }, title: { _ in .init(owner: owner, fence: fence) },
        lost: { room in lost.withLock { $0.append(room) } })
    }
    var (old, new) = (try state(["old"]), try state(["new"]))
    try await store(next, 4).write([try change(&new), .broadcast("key", begun: 1)])
    #expect(lost.withLock { $0 } == [])
    try await store(Self.node, 3).write([try change(&old), .broadcast("key", begun: nil)])
    try await store(next, 3).write([.roomGone("room")])
    #expect(lost.withLock { $0 } == ["room", "room"])
    let stored = try await store(next, 4).load(["room"])
    #expect(stored.rooms["room"]?.state.users == ["new"] && stored.broadcasts == ["key": 1])
    await client.close()
  }
}
