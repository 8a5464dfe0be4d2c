import RoomProtocol
import RoomTestSupport
import Testing

@testable import RoomEngine
@testable import RoomServer

@Suite("Lists of rooms: search, filter, order and pages")
struct RoomPageTests {
  private static func room(
    _ name: RoomName, users: [UserID] = [], createdAt: Int64 = 0, kind: RoomSummary.Kind = .video, publishers: Int = 0,
    live: RoomSummary.LiveState? = nil, pk: RoomName? = nil, viewers: Int = 0, streamViewers: Int? = nil
  ) -> RoomPage.Entry {
    let summary = RoomSummary(
      name: name, createdAt: createdAt, kind: kind, users: users, participants: users.count, publishers: publishers,
      tracks: publishers, viewers: viewers,
      seats: 0, speakers: [], shown: nil, pk: pk.map { RoomSummary.Partner(room: $0, userId: "peer") },
      live: live.map { RoomSummary.Live(state: $0, since: 0, jobId: "live", stream: nil) },
      jobs: live.map { _ in [JobInfo(jobId: "live", kind: .forward, state: .connected)] } ?? [], full: nil)
    return RoomPage.Entry(room: summary, streamViewers: streamViewers)
  }

  /// A crowd with equal keys, so that names decide too.
  private static func crowd(_ count: Int) -> [RoomPage.Entry] {
    var random = SeededGenerator(seed: 7)
    return (0..<count).map { number in
      room(
        RoomName("room-\(number)"), users: (0..<Int.random(in: 0...5, using: &random)).map { UserID("user-\(number)-\($0)") },
        createdAt: .random(in: 0...20, using: &random), publishers: .random(in: 0...1, using: &random),
        live: [nil, .starting, .live, .failing].randomElement(using: &random) ?? nil,
        streamViewers: .random(in: 0...100, using: &random))
    }
  }

  private func names(_ rooms: [RoomPage.Entry], _ query: RoomPage.Query) -> [RoomName] {
    RoomPage(of: rooms, query).entries.map(\.room.name)
  }

  @Test("pages contain each room once, in every order, though rooms close between them", arguments: RoomPage.Order.allCases)
  func pages(order: RoomPage.Order) throws {
    var rooms = Self.crowd(137)
    let whole = names(rooms, RoomPage.Query(order: order))
    #expect(whole.count == 137 && Set(whole).count == 137)
    var found: [RoomName] = []
    var query = RoomPage.Query(order: order, limit: 10)
    repeat {
      let page = RoomPage(of: rooms, query)
      #expect(page.totals.rooms == rooms.count)
      found += page.entries.map(\.room.name)
      // As a client sends it.
      query.after = try page.next.map { try #require(order.cursor(order.text(of: $0))) }
      // The room that the next page begins after may be gone by then.
      if let last = query.after?.name { rooms.removeAll { $0.room.name == last } }
      rooms.shuffle()
    } while query.after != nil && found.count < 200
    #expect(found == whole)
  }

  @Test("a room that moves forward between two pages does not displace another one")
  func moving() throws {
    var rooms = (0..<20).map { Self.room(RoomName("r\($0 + 10)"), users: ["a"]) }
    let first = RoomPage(of: rooms, RoomPage.Query(order: .live, limit: 10))
    rooms[15] = Self.room("r25", users: ["a"], live: .live)
    let rest = names(rooms, RoomPage.Query(order: .live, after: first.next, limit: 10))
    #expect(rest == (20..<30).filter { $0 != 25 }.map { RoomName("r\($0)") })
  }

  @Test("rooms on air come first, then those that fail, start, publish, or have people, each with the larger audience first")
  func activity() {
    let rooms = [
      Self.room("a-empty"), Self.room("b-people", users: ["u"]), Self.room("c-sends", users: ["u"], publishers: 1),
      Self.room("d-starts", users: ["u"], publishers: 1, live: .starting),
      Self.room("e-fails", users: ["u"], publishers: 1, live: .failing), Self.room("f-live", users: ["u"], live: .live),
      Self.room("g-loved", users: ["u"], live: .live, streamViewers: 40), Self.room("h-crowd", users: ["u", "v", "w", "x"]),
    ]
    #expect(
      names(rooms, RoomPage.Query(order: .live)) == [
        "g-loved", "f-live", "e-fails", "d-starts", "c-sends", "h-crowd", "b-people", "a-empty",
      ])
    #expect(names(rooms, RoomPage.Query(order: .participants)).first == "h-crowd")
  }

  @Test("one viewer more does not move a room")
  func steadiness() {
    for viewers in [4, 5, 6, 7] {
      let rooms = [Self.room("a", live: .live, streamViewers: 4), Self.room("b", live: .live, streamViewers: viewers)]
      #expect(names(rooms, RoomPage.Query(order: .live)) == ["a", "b"])
    }
    let doubled = [Self.room("a", live: .live, streamViewers: 4), Self.room("b", live: .live, streamViewers: 8)]
    #expect(names(doubled, RoomPage.Query(order: .live)) == ["b", "a"])
  }

  @Test("newest rooms first, and rooms of the same time by name")
  func creation() {
    let rooms = [Self.room("b", createdAt: 1), Self.room("a", createdAt: 1), Self.room("c", createdAt: 2)]
    #expect(names(rooms, RoomPage.Query(order: .created)) == ["c", "a", "b"])
  }

  @Test("a search finds a part of a room's name and of any user's, in any case")
  func search() {
    let crowd = (0..<50).map { UserID("guest-\($0)") }
    let rooms = [Self.room("Friday.Show", users: ["ann"]), Self.room("talk", users: crowd + ["Hannah"]), Self.room("zoo")]
    func found(_ text: String) -> [RoomName] { names(rooms, RoomPage.Query(text: text)) }
    #expect(found("friday") == ["Friday.Show"])
    #expect(found("AY.SH") == ["Friday.Show"])
    #expect(found("hannah") == ["talk"], "beyond the users that the list names")
    #expect(found("ann") == ["Friday.Show", "talk"])
    #expect(found("zoo!") == [] && found("zooo") == [] && found("é") == [])
    #expect(found("").count == 3)
  }

  @Test("filters select by live, PK, kind and emptiness, and the totals are of all that match")
  func filters() {
    let rooms = [
      Self.room("air", users: ["a", "b"], publishers: 2, live: .live, viewers: 1, streamViewers: 5),
      Self.room("lost", users: ["c"], live: .failing, pk: "air"), Self.room("voice", users: ["d"], kind: .voice),
      Self.room("void"),
    ]
    let expected: [RoomPage.Filter: [RoomName]] = [
      .live: ["air", "lost"], .failing: ["lost"], .pk: ["lost"], .voice: ["voice"], .video: ["air", "lost", "void"],
      .empty: ["void"],
    ]
    for filter in RoomPage.Filter.allCases { #expect(names(rooms, RoomPage.Query(filter: filter)) == expected[filter]) }
    let page = RoomPage(of: rooms, RoomPage.Query(filter: .live, limit: 1))
    #expect(page.totals == RoomPage.Totals(rooms: 2, participants: 3, tracks: 2, viewers: 6, live: 1, jobs: 2))
    #expect(page.entries.count == 1 && page.next != nil)
  }

  @Test(
    "a text that is no cursor of the order is rejected", arguments: ["", "a b", ":a", "x:a", "1:", "99999999999999999999:a"])
  func cursors(text: String) {
    for order in RoomPage.Order.allCases where order != .name { #expect(order.cursor(text) == nil, "\(order)") }
  }
}
