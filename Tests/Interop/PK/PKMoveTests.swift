import RoomClient
import RoomTestSupport
import Testing

/// Tests PKs in which the inviting anchor moves to the other room, with real media.
extension RealMedia {
  @Suite("PK with a move")
  struct PKMoveTests {
    /// Runs PKs one after the other; in every second one, the anchor quits by returning home.
    private func battles(_ home: Room, against blue: Room, before viewers: [Viewer]) async throws -> Room {
      var home = home
      for round in 0..<Anchors.rounds {
        try await Anchors.meet(home, blue, .move)
        let away = try await home.pk.move(PKMove(picture: Anchors.picture))
        #expect(away.jobs.all.count == 2, "\(away.jobs.all)")
        try await Anchors.areSeen(viewers, together: true)
        if round % 2 == 0 {
          try await blue.pk.quit()
          try await eventually("the PK is over") { away.pk.current == nil }
        }
        home = try await away.pk.returnHome()
        #expect(home.jobs.all.map(\.jobId) == ["live"])
        try await eventually("the PK is over for both") { [home] in home.pk.current == nil && blue.pk.current == nil }
        try await Anchors.areSeen(viewers, together: false)
      }
      return home
    }

    @Test(
      "one call moves the anchor there and one back: meanwhile both broadcasts show both anchors, without a new stream",
      .timeLimit(.minutes(5)))
    func move() async throws {
      try await withServer(adjust: Anchors.settings(.separate)) { server in
        try await Anchors.makeRooms(server)
        let sources = try Anchors.names.map { try Anchors.source($0) }
        var red = try await Anchors.live(server, "red", sources[0])
        let blue = try await Anchors.live(server, "blue", sources[1])
        let viewers = try await Anchors.watch(server)
        red = try await battles(red, against: blue, before: viewers)
        for room in [red, blue] { try await room.jobs.stop("live") }
        for (index, name) in Anchors.names.enumerated() {
          let looks = Array(repeating: [name, "\(name)|\(Anchors.names[1 - index])"], count: Anchors.rounds).flatMap(\.self)
          try await viewers[index].seen().check(name, looks + [name], sources[index])
        }
        for room in [red, blue] { await room.leave() }
      }
    }
  }
}
