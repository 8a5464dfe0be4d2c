import RoomClient
import RoomProtocol

/// A room in which everyone publishes and receives everyone else.
struct Meeting: Play {
  static let people = Parameter("people", 6, 2...50, "number of participants")
  static let sample = Parameter("sample", 1, 0...10, "number of them that decode all others")
  static let width = Parameter("width", 320, 176...1280, "picture size in pixels, even")
  static let height = Parameter("height", 180, 144...720, "picture size in pixels, even")
  static let fps = Parameter("fps", 15, 5...60, "pictures a second")
  static let kbps = Parameter("kbps", 200, 50...5000, "video bitrate in kbps")
  static let layers = Parameter("layers", 1, 1...3, "sizes in which each participant sends its video")
  static let parameters = [people, sample, width, height, fps, kbps, layers]

  private let values: ParameterValues

  init(_ values: ParameterValues) { self.values = values }

  func perform(on stage: Stage) async throws {
    let room = stage.name("meeting")
    try await stage.make(.init(name: room, seatsHost: false))
    var people: [MeetingParticipant] = []
    do {
      stage.recorder.phase("\(values.count(Self.people)) participants join")
      for number in 0..<values.count(Self.people) {
        people.append(try await MeetingParticipant.come(to: room, settings(number), on: stage))
      }
      for number in 0..<min(values.count(Self.sample), people.count) {
        for other in people where other.user != people[number].user { people[number].look(at: other) }
      }
      try await Task.sleep(for: .seconds(2))
      for person in people { person.begin() }
      stage.recorder.phase("meeting")
      let all = people
      try await Span(values.duration).perform {
        var still = 0
        for person in all { still += await person.tell() }
        if values.count(Self.sample) > 0 { stage.recorder.record(.still, Double(still)) }
        stage.recorder.record(.present, Double(all.count { $0.room.state == .connected }))
      }
    } catch {
      await leave(room, people, stage)
      throw error
    }
    await leave(room, people, stage)
  }

  private func settings(_ number: Int) -> SignalSource.Settings {
    var settings = SignalSource.Settings(values, number: number)
    settings.amplitude = 0.1
    settings.layers = values.count(Self.layers)
    return settings
  }

  private func leave(_ room: RoomName, _ people: [MeetingParticipant], _ stage: Stage) async {
    stage.recorder.phase("everyone leaves")
    for person in people { await person.leave() }
    await stage.close(room)
  }
}
