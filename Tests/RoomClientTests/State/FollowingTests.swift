import RoomProtocol
import Testing

@testable import RoomClient

@Suite("A room's state in the client")
struct FollowingTests {
  private static func session(seq: Int = 10, seats: [SeatInfo]? = nil) async throws -> RoomSession {
    let session = try RoomSession(JoinRequest(url: "ws://localhost/v1/signal", token: "t", options: RoomOptions()))
    let seats = seats ?? (0..<3).map { SeatInfo(index: $0) }
    session.store.change { value in
      value.me = ParticipantInfo(userId: "ada", grants: [.publish], joinedAt: 1)
      value.room = RoomSnapshot(name: "hall", createdAt: 1, seq: seq, seats: seats)
    }
    await session.catchUp(from: nil, replayed: false)
    return session
  }

  /// Returns a short form of the events.
  private static func lines(_ session: RoomSession) async -> [String] {
    let events = session.store.events.all.stream()
    session.store.finish()
    var lines: [String] = []
    for await event in events {
      switch event {
      case .seatChanged(let data): lines.append("seat \(data.seat.index) \(data.cause)")
      case .layoutChanged(let data): lines.append("layout \(data.layout.type)")
      case .message(let message): lines.append("message \(message.seq)")
      case .attributesChanged(let data): lines.append("attributes \(data.set.keys.sorted())")
      case .refreshed(let room): lines.append("refreshed \(room.seq)")
      default: lines.append("\(event)")
      }
    }
    return lines
  }

  private static func seat(_ seq: Int, _ index: Int, _ user: UserID?, _ cause: SeatCause, of mover: UserID) -> NumberedChange {
    NumberedChange(
      seq: seq,
      change: .seatChanged(
        SeatChangedData(seat: SeatInfo(index: index, userId: user), cause: cause, userId: mover, by: mover)))
  }

  private static func message(_ seq: Int) -> RoomMessage {
    RoomMessage(seq: seq, userId: "bob", kind: .text, text: "hi", at: 1)
  }

  @Test("applies the changes and sends each as an event once") func follows() async throws {
    let session = try await Self.session()
    let seats = RoomSeats(session: session)
    #expect(seats.mine == nil)
    await session.changed(Self.seat(11, 1, "ada", .taken, of: "ada"))
    #expect(seats.mine?.index == 1)
    #expect(seats["ada"]?.index == 1)
    // A gap: the changes in between were for other participants.
    await session.changed(NumberedChange(seq: 15, change: .message(Self.message(15))))
    await session.changed(NumberedChange(seq: 15, change: .message(Self.message(15))))
    await session.changed(
      NumberedChange(
        seq: 16, change: .attributesChanged(AttributesChangedData(set: ["title": "quiz"], removed: [], by: "bob"))))
    #expect(RoomMessages(session: session).history.map(\.seq) == [15])
    #expect(RoomAttributes(session: session)["title"] == "quiz")
    #expect(await Self.lines(session) == ["seat 1 taken", "message 15", #"attributes ["title"]"#])
  }

  @Test("a change replayed after a resume is sent as an event, even if the snapshot includes it") func replays() async throws {
    let session = try await Self.session(seq: 10)
    let before = session.store.value.room
    session.store.change { $0.room?.seq = 12 }
    await session.catchUp(from: before, replayed: true)
    await session.changed(Self.seat(11, 1, "bob", .taken, of: "bob"))
    await session.changed(Self.seat(12, 1, nil, .left, of: "bob"))
    // As in the snapshot, which already included the change.
    #expect(RoomSeats(session: session)["bob"] == nil)
    await session.changed(Self.seat(13, 2, "bob", .taken, of: "bob"))
    #expect(RoomSeats(session: session)["bob"]?.index == 2)
    #expect(await Self.lines(session) == ["seat 1 taken", "seat 1 left", "seat 2 taken"])
  }

  @Test("changes that can't be replayed result in one refreshed event, after the messages") func refreshes() async throws {
    let session = try await Self.session(seq: 10)
    let before = session.store.value.room
    session.store.change { value in
      value.room?.seq = 900
      value.room?.messages = [Self.message(5), Self.message(700), Self.message(800)]
    }
    await session.catchUp(from: before, replayed: false)
    await session.changed(Self.seat(800, 1, "bob", .taken, of: "bob"))
    #expect(await Self.lines(session) == ["message 700", "message 800", "refreshed 900"])
  }

  @Test("nothing missed, no events") func nothingMissed() async throws {
    let session = try await Self.session(seq: 10)
    await session.catchUp(from: session.store.value.room, replayed: false)
    #expect(await Self.lines(session).isEmpty)
  }

  @Test("a new room of the same name results in a refreshed event") func anotherRoom() async throws {
    let session = try await Self.session(seq: 10)
    let before = session.store.value.room
    session.store.change { value in
      value.room?.createdAt = 2
      value.room?.seq = 10
      value.room?.messages = [Self.message(3)]
    }
    await session.catchUp(from: before, replayed: false)
    await session.changed(NumberedChange(seq: 11, change: .message(Self.message(11))))
    #expect(await Self.lines(session) == ["message 3", "refreshed 10", "message 11"])
  }

  @Test("the PK's token is available during the PK") func keepsToken() async throws {
    let session = try await Self.session()
    let pk = RoomPK(session: session, stay: nil)
    let info = PKInfo(pkId: "p1", mode: .move, room: "b", userId: "bob", host: "ada", inviter: true, startedAt: 1)
    await session.changed(NumberedChange(seq: 11, change: .pkBegan(info)))
    #expect(pk.current == info)
    session.store.change { $0.pkToken = PKTokenData(pkId: "p1", room: "b", token: "x") }
    let data = PKEndedData(pkId: "p1", reason: .quit, room: "b", by: "bob", score: 0, peerScore: 0)
    await session.changed(NumberedChange(seq: 12, change: .pkEnded(data)))
    #expect(pk.current == nil)
    #expect(session.store.value.pkToken == nil)
  }

  @Test("moving needs a PK for which this client must move, and returning needs a move")
  func refusesMoves() async throws {
    let session = try await Self.session()
    let pk = RoomPK(session: session, stay: nil)
    await #expect(throws: RoomClientError.self) { _ = try await pk.move() }
    let bridge = PKInfo(pkId: "p1", mode: .bridge, room: "b", userId: "bob", host: "ada", inviter: true, startedAt: 1)
    var invited = bridge
    invited.mode = .move
    invited.inviter = false
    var foreign = bridge
    foreign.mode = .move
    foreign.host = "eve"
    for info in [bridge, invited, foreign] {
      session.store.change { $0.room?.pk = info }
      await #expect(throws: RoomClientError.self) { _ = try await pk.move() }
    }
    await #expect(throws: RoomClientError.notAway) { _ = try await pk.returnHome() }
    #expect(!pk.isAway)
  }

  @Test("an invalid message is rejected before it is sent") func refusesMessages() async throws {
    let messages = RoomMessages(session: try await Self.session())
    let long = String(repeating: "x", count: 1 << 20)
    for attempt in [
      { try await messages.send(long) }, { try await messages.send("") }, { try await messages.sendGift("") },
      { try await messages.sendCustom("draw", [long]) }, { try await messages.sendLike(count: 0) },
    ] as [@Sendable () async throws -> MessageResult] {
      do {
        _ = try await attempt()
        Issue.record("it was sent")
      } catch let error as RoomError {
        #expect(error.code == .messageFailed)
      }
    }
  }
}

extension RoomSession {
  fileprivate func changed(_ numbered: NumberedChange) { _ = mirror.apply(numbered) }
  fileprivate func catchUp(from before: RoomSnapshot?, replayed: Bool) { mirror.catchUp(from: before, replayed: replayed) }
}
