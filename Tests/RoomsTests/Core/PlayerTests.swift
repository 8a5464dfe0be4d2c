import RoomProtocol
import Testing

@testable import RoomEngine

@Suite("Players of a room, in virtual time")
struct PlayerTests {
  private func room() -> VirtualRoom { VirtualRoom { $0.playerRefusal = { nil } } }

  private func orders(_ outputs: [RoomOutput]) -> [PlayerOrder] {
    outputs.compactMap { if case .player(let order) = $0 { order } else { nil } }
  }

  private func start(_ room: inout VirtualRoom, _ params: PlayerParams = .init(url: "https://a.example/b.mp4?key=1")) throws
    -> PlayerInfo
  {
    try #require(try room.core.perform(.players(.start(params))) as? PlayerInfo)
  }

  @Test("the position follows the time while a player plays, stands while it is paused, and returns in a loop")
  func positions() throws {
    var room = room()
    let info = try start(&room)
    #expect(info.userId == "player-1" && info.state == .opening && info.url == "https://a.example/b.mp4")
    let order = try #require(orders(room.settle()).first)
    guard case .start(let plan) = order else { throw RoomError(.publishFailed, "no start") }
    #expect(plan.url == "https://a.example/b.mp4?key=1")
    room.core.playerReported(.opened(duration: 100, isSeekable: true), of: "player-1", plan.number)
    room.pass(.seconds(10))
    var player = try #require(room.core.playerList.first)
    #expect(player.state == .playing && player.position(at: room.core.now.unix) == 10)
    _ = try room.core.perform(.players(.change(PlayerChange(userId: "player-1", paused: true))))
    room.pass(.seconds(10))
    player = try #require(room.core.playerList.first)
    #expect(player.state == .paused && player.position(at: room.core.now.unix) == 10)
    _ = try room.core.perform(.players(.change(PlayerChange(userId: "player-1", paused: false, position: 95, loop: true))))
    room.pass(.seconds(10))
    player = try #require(room.core.playerList.first)
    #expect(player.position(at: room.core.now.unix) == 5)
    player.loop = false
    #expect(player.position(at: room.core.now.unix) == 100)
  }

  @Test("a report of a former player of the same name changes nothing")
  func former() throws {
    var room = room()
    _ = try start(&room)
    _ = try room.core.perform(.players(.stop(UserParams(userId: "player-1"))))
    _ = try start(&room)
    _ = room.settle()
    room.core.playerReported(.failed("late"), of: "player-1", 1)
    #expect(room.core.playerList.count == 1)
    room.core.playerReported(.failed("now"), of: "player-1", 2)
    #expect(room.core.playerList.isEmpty)
  }

  @Test("limits, names and sources are checked")
  func refuses() throws {
    var room = room()
    try room.publish("ann", [.publish])
    func code(_ params: PlayerParams) -> ErrorCode? {
      do {
        _ = try room.core.perform(.players(.start(params)))
        return nil
      } catch { return error.code }
    }
    #expect(code(PlayerParams()) == .cdnParameters)
    #expect(code(PlayerParams(url: "https://a/b", upload: "u-1")) == .cdnParameters)
    #expect(code(PlayerParams(url: "file:///etc/passwd")) == .cdnParameters)
    #expect(code(PlayerParams(url: "https://a/b c")) == .cdnParameters)
    #expect(code(PlayerParams(url: "https://a/b", position: -1)) == .cdnParameters)
    #expect(code(PlayerParams(url: "https://a/b", volume: .infinity)) == .cdnParameters)
    #expect(code(PlayerParams(userId: "ann", url: "https://a/b")) == .publishFailed)
    for _ in 0..<RoomCore.maximumPlayers { #expect(code(PlayerParams(url: "https://a/b")) == nil) }
    #expect(code(PlayerParams(url: "https://a/b")) == .publishFailed)
    #expect(throws: RoomError.self) { try room.core.perform(.players(.stop(UserParams(userId: "nobody")))) as Any }
    var other = VirtualRoom { $0.playerRefusal = { "none here" } }
    #expect(throws: RoomError.self) { try other.core.perform(.players(.start(PlayerParams(url: "https://a/b")))) }
  }

  @Test("a stored player continues where it would be")
  func restored() throws {
    var room = room()
    _ = try start(&room, PlayerParams(userId: "film", url: "rtmp://me:secret@a.example/live", position: 30, volume: 2))
    #expect(room.core.playerList.first?.url == "rtmp://a.example/live")
    _ = room.settle()
    room.core.playerReported(.opened(duration: 1000, isSeekable: true), of: "film", 1)
    let stored = try #require(room.core.storedPlayers?.first)
    var later = self.room()
    later.pass(.milliseconds(Int64(room.core.now.unix - later.core.now.unix + 20_000)))
    later.core.restore(stored)
    guard case .start(let plan)? = orders(later.settle()).first else { throw RoomError(.publishFailed, "no start") }
    #expect(plan.position == 50 && plan.volume == 2 && plan.user == "film" && plan.url == "rtmp://me:secret@a.example/live")
  }
}
