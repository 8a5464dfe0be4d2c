import RoomClient
import RoomProtocol

/// Rooms with one anchor each, which users constantly join, stay in for a while and leave.
struct Churn: Play {
  static let rooms = Parameter("rooms", 4, 1...100, "rooms with an anchor each")
  static let joins = Parameter("joins", 10.0, 0.1...500, "joins per second, over all rooms")
  static let stay = Parameter("stay", 5.0, 0.1...600, "seconds that each participant stays")
  static let parameters = [rooms, joins, stay]
  /// Maximum number of concurrent joins. If it is exceeded, the server is too slow, which is a failure.
  private static let underway = 200

  private let values: ParameterValues

  init(_ values: ParameterValues) { self.values = values }

  func perform(on stage: Stage) async throws {
    let audience = try RoomGuests(stage)
    var anchors: [MeetingParticipant] = []
    let rooms = (0..<values.count(Self.rooms)).map { stage.name("churn-\($0)") }
    do {
      stage.recorder.phase("\(rooms.count) anchors join")
      for (number, room) in rooms.enumerated() {
        try await stage.make(.init(name: room))
        var settings = SignalSource.Settings()
        (settings.width, settings.height, settings.fps, settings.kbps, settings.number) = (320, 180, 15, 200, number)
        anchors.append(try await MeetingParticipant.come(to: room, settings, on: stage))
      }
      stage.recorder.phase("users join and leave")
      try await Span(values.duration).perform {
        await audience.tell(hearing: false)
        stage.recorder.record(.present, Double(await audience.count))
      } beside: {
        try await flow(rooms, audience, stage)
      }
    } catch {
      await leave(rooms, anchors, audience, stage)
      throw error
    }
    await leave(rooms, anchors, audience, stage)
  }

  private func flow(_ rooms: [RoomName], _ audience: RoomGuests, _ stage: Stage) async throws {
    let clock = ContinuousClock()
    let begin = clock.now
    let joining = PendingJoins()
    try await withThrowingDiscardingTaskGroup { group in
      var number = 0
      while true {
        try await clock.sleep(until: begin + .seconds(Double(number) / values[Self.joins]))
        let (room, name) = (rooms[number % rooms.count], "passer-by-\(number)")
        number += 1
        guard await joining.begin(upTo: Self.underway) else {
          stage.recorder.fail("\(name): \(Self.underway) other joins are still pending")
          continue
        }
        group.addTask {
          do { try await audience.join(room, as: name) } catch {
            await joining.end()
            if !Task.isCancelled { stage.recorder.fail("\(name): \(error)") }
            return
          }
          await joining.end()
          try await Task.sleep(for: .seconds(values[Self.stay]))
          await audience.leave(name)
        }
      }
    }
  }

  private func leave(_ rooms: [RoomName], _ anchors: [MeetingParticipant], _ audience: RoomGuests, _ stage: Stage) async {
    stage.recorder.phase("everyone leaves")
    await audience.leave()
    for anchor in anchors { await anchor.leave() }
    for room in rooms { await stage.close(room) }
  }
}

/// The number of pending joins.
private actor PendingJoins {
  private var count = 0

  func begin(upTo limit: Int) -> Bool {
    guard count < limit else { return false }
    count += 1
    return true
  }

  func end() { count -= 1 }
}
