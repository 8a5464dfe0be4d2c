import RoomClient
import RoomProtocol

/// Guests of the rooms that already exist on the server. Each receives its room's mix and decodes it.
struct Audience: Play {
  static let people = Parameter("people", 4, 1...50, "number of guests, divided among the rooms")
  static let parameters = [people]

  private static let patience = Duration.seconds(20)

  private struct Rooms: Decodable {
    struct Room: Decodable { var name: RoomName }
    var rooms: [Room]
  }

  private let values: ParameterValues

  init(_ values: ParameterValues) { self.values = values }

  func perform(on stage: Stage) async throws {
    let rooms = try await stage.read(Rooms.self, "v1/rooms").rooms.map(\.name)
    guard !rooms.isEmpty else { throw ScenarioError("the server has no room whose audience could be joined") }
    var guests: [MixGuest] = []
    do {
      stage.recorder.phase("\(values.count(Self.people)) guests join")
      for number in 0..<values.count(Self.people) {
        let name: UserID = "guest-\(stage.mark)-\(number)"
        guests.append(try await MixGuest.join(rooms[number % rooms.count], as: name, on: stage))
      }
      let all = guests
      try await receive(all)
      for guest in all { guest.begin() }
      stage.recorder.phase("the audience watches")
      try await Span(values.duration).perform { for guest in all { guest.tell() } }
    } catch {
      await leave(guests, stage)
      throw error
    }
    await leave(guests, stage)
  }

  /// Returns when every guest receives the mix.
  private func receive(_ guests: [MixGuest]) async throws {
    let end = ContinuousClock.now + Self.patience
    while !guests.allSatisfy(\.hasMedia) {
      guard ContinuousClock.now < end else {
        throw LoadtestError.noMedia("not every guest received a mix within \(Self.patience)")
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    try await Task.sleep(for: .seconds(1))
  }

  private func leave(_ guests: [MixGuest], _ stage: Stage) async {
    stage.recorder.phase("the audience leaves")
    for guest in guests { await guest.leave() }
  }
}
