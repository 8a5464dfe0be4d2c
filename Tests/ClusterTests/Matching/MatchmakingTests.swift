import RoomCluster
import RoomPeers
import RoomProtocol
import RoomRedis
import RoomTestSupport
import Testing

/// The rules of matching, of the queue in memory and of that in Redis.
@Suite("Matching of rooms", .serialized)
struct MatchmakingTests {
  /// A queue of its own for a test.
  private static func with(
    _ place: Place, _ rules: MatchRules = MatchRules(), _ body: (any Matchmaking) async throws -> Void
  ) async throws {
    guard place == .redis else { return try await body(LocalMatchmaking(rules)) }
    let server = try await RedisServer()
    var settings = RedisClient.Settings()
    settings.tag = ClusterKeys.tag
    let redis = try RedisClient(RedisURL("redis://127.0.0.1:\(server.port)"), settings: settings)
    try await body(MatchStore(redis, rules))
    await redis.close()
  }

  enum Place: String, CaseIterable, CustomTestStringConvertible {
    case memory, redis

    static var all: [Place] { RedisServer.isInstalled ? allCases : [.memory] }
    var testDescription: String { rawValue }
  }

  private static let start: Int64 = 1_700_000_000_000

  private static func seeker(_ room: RoomName, at seconds: Int64 = 0, _ params: PKMatchParams = PKMatchParams()) -> MatchTicket
  {
    MatchTicket(
      room: room, ticket: PKTicket("t-\(room)", params, host: "host", by: "", at: start + seconds * 1000))
  }

  /// A room that enters, and what it learns.
  private struct Step {
    var ticket: MatchTicket
    var result: MatchPlace
    /// Seconds after the start.
    var now: Int64

    init(_ room: RoomName, _ params: PKMatchParams = PKMatchParams(), at now: Int64, _ opponent: RoomName? = nil) {
      ticket = seeker(room, at: now, params)
      self.now = now
      result = opponent.map { .matched(Match(pkId: "\(room)-\(now)", room: $0)) } ?? .waiting
    }
  }

  private struct Case: CustomTestStringConvertible {
    var testDescription: String
    var steps: [Step]

    init(_ name: String, _ steps: Step...) { (testDescription, self.steps) = (name, steps) }
  }

  private static let cases = [
    Case("two rooms that accept anybody meet", Step("a", at: 0), Step("b", at: 1, "a"), Step("c", at: 2)),
    Case(
      "the longest waiting room is first",
      Step("a", .init(tags: ["x"]), at: 0), Step("b", .init(tags: ["y"]), at: 1),
      Step("c", .init(tags: ["y", "x"]), at: 2, "a"),
      Step("d", .init(tags: ["x", "y"]), at: 3, "b")),
    Case(
      "a room with tags does not meet one without, nor one with others",
      Step("a", .init(tags: ["x"]), at: 0), Step("b", at: 1), Step("c", .init(tags: ["z", "y"]), at: 2), Step("d", at: 3, "b"),
      Step("e", .init(tags: ["y"]), at: 4, "c")),
    Case(
      "way and duration are the same",
      Step("a", .init(mode: .move), at: 0), Step("b", .init(duration: 60), at: 1), Step("c", at: 2),
      Step("d", .init(mode: .move, duration: 60), at: 3), Step("e", .init(mode: .bridge), at: 4, "c"),
      Step("f", .init(duration: 60), at: 5, "b"), Step("g", .init(mode: .move), at: 6, "a")),
    Case(
      "both accept the other's level",
      Step("a", .init(level: 10, levels: 5...15), at: 0), Step("b", .init(level: 20, levels: 5...30), at: 1),
      Step("c", .init(levels: 0...100), at: 2), Step("d", .init(level: 15, levels: 12...40), at: 3, "b"),
      Step("e", .init(level: 5), at: 4, "a")),
    Case(
      "levels meet at their ends",
      Step("a", .init(level: 1_000_000, levels: 0...0), at: 0),
      Step("b", .init(level: 0, levels: 1_000_000...1_000_000), at: 1, "a")),
    Case(
      "rooms that accept only lower ones wait",
      Step("a", .init(level: 9, levels: 0...8), at: 0), Step("b", .init(level: 8, levels: 0...7), at: 1),
      Step("c", .init(level: 7), at: 2, "a"), Step("d", .init(level: 6), at: 3, "b")),
    Case("a room does not meet itself", Step("a", at: 0), Step("a", at: 1)),
  ]

  @Test("a search finds", arguments: Place.all, cases)
  private func finds(_ place: Place, _ one: Case) async throws {
    try await Self.with(place) { queue in
      for step in one.steps {
        let result = await queue.enter(
          step.ticket, after: nil, pkId: "\(step.ticket.room)-\(step.now)", now: Self.start + step.now * 1000)
        #expect(result == step.result, "\(step.ticket.room)")
      }
    }
  }

  @Test(
    "a match is repeated until it fails; both then wait at their old places, and do not meet for ten minutes",
    arguments: Place.all)
  func again(_ place: Place) async throws {
    try await Self.with(place) { queue in
      let long = PKMatchParams(wait: 300)
      let (a, b) = (Self.seeker("a", long), Self.seeker("b", at: 1, long))
      func enter(_ ticket: MatchTicket, after failed: PKID? = nil, _ pkId: PKID, at seconds: Int64) async -> MatchPlace? {
        await queue.enter(ticket, after: failed, pkId: pkId, now: Self.start + seconds * 1000)
      }
      #expect(await enter(a, "1", at: 1) == .waiting)
      #expect(await enter(b, "2", at: 1) == .matched(Match(pkId: "2", room: "a")))
      #expect(await enter(a, "3", at: 2) == .matched(Match(pkId: "2", room: "b")))
      #expect(await enter(b, "4", at: 3) == .matched(Match(pkId: "2", room: "a")))
      #expect(await enter(b, after: "2", "5", at: 4) == .waiting)
      #expect(await enter(a, after: "2", "6", at: 5) == .waiting)
      // The old place of `a` is before that of `b`.
      #expect(await enter(Self.seeker("c", at: 6), "7", at: 6) == .matched(Match(pkId: "7", room: "a")))
      await queue.leave("t-a")
      await queue.leave("t-b")
      let (later, other) = (Self.seeker("a", at: 590, long), Self.seeker("b", at: 590, long))
      #expect(await enter(later, "8", at: 590) == .waiting)
      #expect(await enter(other, "9", at: 590) == .waiting)
      // Memory counts from the time of the call, Redis by its own clock.
      if place == .memory { #expect(await enter(other, "10", at: 602) == .matched(Match(pkId: "10", room: "a"))) }
    }
  }

  @Test("a ticket that left or expired is not matched; a full queue refuses", arguments: Place.all)
  func gone(_ place: Place) async throws {
    var rules = MatchRules()
    rules.tickets = 2
    try await Self.with(place, rules) { queue in
      func enter(_ room: RoomName, at seconds: Int64, wait: Int = 60) async -> MatchPlace? {
        await queue.enter(
          Self.seeker(room, at: seconds, .init(tags: ["\(room)"], wait: wait)), after: nil, pkId: "1",
          now: Self.start + seconds * 1000)
      }
      #expect(await enter("a", at: 0, wait: 5) == .waiting)
      #expect(await enter("b", at: 0) == .waiting)
      #expect(await enter("c", at: 1) == .full)
      #expect(await enter("a", at: 0, wait: 5) == .waiting)
      #expect(await enter("c", at: 6) == .waiting)
      #expect(await enter("d", at: 7) == .full)
      await queue.leave("t-b")
      let b = Self.seeker("e", at: 8, .init(tags: ["b"]))
      #expect(await queue.enter(b, after: nil, pkId: "1", now: Self.start + 8000) == .waiting)
    }
  }

  @Test("random searches choose as a list of all that is read from its start", arguments: Place.all, [1, 2, 3] as [UInt64])
  func simulation(_ place: Place, seed: UInt64) async throws {
    var rules = MatchRules()
    rules.meetingTime = 1_000_000_000
    try await Self.with(place, rules) { [rules] queue in
      var model = ListOfSeekers(rules)
      var random = SeededGenerator(seed: seed)
      var now = Self.start
      var (matches, repeated, failed) = (0, 0, 0)
      for step in 0..<(place == .memory ? 20_000 : 3_000) {
        now += Int64(random.below(400))
        let room = RoomName("room\(random.below(120))")
        if let known = model.tickets[room], known.ticket.ticket.expiresAt > now {
          switch random.below(4) {
          case 0:
            await queue.leave(known.ticket.ticket.ticket)
            model.tickets[room] = nil
          case 1 where known.match != nil:
            failed += 1
            let result = await queue.enter(known.ticket, after: known.match?.pkId, pkId: "\(step)", now: now)
            try #require(result == model.enter(known.ticket, after: known.match?.pkId, pkId: "\(step)", now: now))
          default:
            repeated += 1
            let result = await queue.enter(known.ticket, after: nil, pkId: "\(step)", now: now)
            try #require(result == model.enter(known.ticket, after: nil, pkId: "\(step)", now: now))
          }
          continue
        }
        let level = random.chance(1, in: 4) ? nil : random.below(40)
        let low = random.below(40)
        let params = PKMatchParams(
          mode: random.chance(1, in: 4) ? .move : nil, duration: random.chance(1, in: 4) ? 60 : nil,
          tags: (0..<random.below(4)).map { _ in "tag\(random.below(6))" }, level: level,
          levels: random.chance(1, in: 3) ? nil : low...(low + random.below(20)), wait: 5 + random.below(60))
        let ticket = MatchTicket(
          room: room, ticket: PKTicket("t\(step)", params, host: "host", by: "", at: now))
        let result = await queue.enter(ticket, after: nil, pkId: "\(step)", now: now)
        try #require(result == model.enter(ticket, after: nil, pkId: "\(step)", now: now), "step \(step)")
        if case .matched? = result { matches += 1 }
      }
      #expect(matches > 100 && repeated > 100 && failed > 10, "\(matches) \(repeated) \(failed)")
      #expect(model.met.count >= matches)
    }
  }

  @Test("the queue keeps no more than its limits")
  func bounds() {
    var rules = MatchRules()
    (rules.tickets, rules.meetings) = (100, 50)
    var queue = MatchQueue(rules)
    for number in 0..<2000 {
      let tags = number % 3 == 0 ? ["alone\(number)"] : []
      let ticket = Self.seeker("room\(number)", at: Int64(number), .init(tags: tags, wait: 300))
      _ = queue.enter(ticket, pkId: "\(number)", now: ticket.ticket.at)
      #expect(queue.count <= 100 && queue.meetingCount <= 51)
      if number % 3 != 0 { queue.leave(ticket.ticket.ticket) }
    }
    queue.expire(Self.start + 10_000_000)
    #expect(queue.count == 0 && queue.meetingCount == 0)
  }

  @Test("10,000 waiting rooms of 100 tags and 1,000 levels: the time of a search", arguments: Place.all)
  func speed(_ place: Place) async throws {
    try await Self.with(place) { queue in
      var random = SeededGenerator(seed: 7)
      func seeker(_ number: Int, isOdd: Bool) -> MatchTicket {
        // Only rooms of an odd and of an even level meet: the 10,000 wait for others.
        let level = random.below(500) * 2 + (isOdd ? 1 : 0)
        let tags = (0..<(1 + random.below(3))).map { _ in "tag\(random.below(100))" }
        let levels = isOdd ? max(0, level - 50)...level + 50 : level + 1...level + 1
        return Self.seeker("room\(number)", at: 0, .init(tags: tags, level: level, levels: levels, wait: 300))
      }
      for number in 0..<10_000 {
        _ = await queue.enter(seeker(number, isOdd: false), after: nil, pkId: "\(number)", now: Self.start)
      }
      var times: [Duration] = []
      var matches = 0
      for number in 10_000..<13_000 {
        let ticket = seeker(number, isOdd: true)
        let start = ContinuousClock.now
        let place = await queue.enter(ticket, after: nil, pkId: "\(number)", now: Self.start + 1000)
        times.append(ContinuousClock.now - start)
        if case .matched? = place { matches += 1 }
        await queue.leave(ticket.ticket.ticket)
      }
      times.sort()
      #expect(matches > 100)
      print("a search among 10,000 rooms in \(place): p50 \(times[1500]), p99 \(times[2970]), \(matches) of 3,000 matched")
    }
  }
}

/// The rules of matching, as a list that is read from its start.
private struct ListOfSeekers {
  struct Seeker {
    var ticket: MatchTicket
    var match: Match?
  }

  private let rules: MatchRules
  var tickets: [RoomName: Seeker] = [:]
  private(set) var met: Set<Set<RoomName>> = []

  init(_ rules: MatchRules) { self.rules = rules }

  mutating func enter(_ own: MatchTicket, after failed: PKID?, pkId: PKID, now: Int64) -> MatchPlace {
    tickets = tickets.filter { $0.value.ticket.ticket.expiresAt > now }
    if let match = tickets[own.room]?.match, match.pkId != failed { return .matched(match) }
    tickets[own.room] = Seeker(ticket: own)
    let others = tickets.values.filter {
      $0.match == nil && $0.ticket.room != own.room && fits($0.ticket.ticket, own.ticket)
        && !met.contains([$0.ticket.room, own.room])
    }
    guard
      let first = others.min(by: {
        ($0.ticket.ticket.at, $0.ticket.ticket.ticket) < ($1.ticket.ticket.at, $1.ticket.ticket.ticket)
      })
    else { return .waiting }
    met.insert([first.ticket.room, own.room])
    tickets[first.ticket.room]?.match = Match(pkId: pkId, room: own.room)
    let match = Match(pkId: pkId, room: first.ticket.room)
    tickets[own.room]?.match = match
    return .matched(match)
  }

  private func fits(_ one: PKTicket, _ other: PKTicket) -> Bool {
    func accepts(_ one: PKTicket, _ other: PKTicket) -> Bool {
      guard let levels = one.levels else { return true }
      return other.level.map { levels[0] <= $0 && $0 <= levels[1] } ?? false
    }
    let share = one.tags.isEmpty && other.tags.isEmpty || !Set(one.tags).isDisjoint(with: other.tags)
    return one.mode == other.mode && one.duration == other.duration && share && accepts(one, other) && accepts(other, one)
  }
}

extension SeededGenerator {
  fileprivate mutating func below(_ count: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % count }
  fileprivate mutating func chance(_ one: Int, in all: Int) -> Bool { below(all) < one }
}
