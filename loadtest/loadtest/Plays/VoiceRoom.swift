import RoomClient
import RoomProtocol

/// Seats, some of which are always taken while users take turns on the others, and listeners of the single mix.
struct VoiceRoom: Play {
  static let seats = Parameter("seats", 8, 2...16, "seats of the room")
  static let steady = Parameter("steady", 4, 1...15, "number of them whose speakers stay all the time")
  static let movers = Parameter("movers", 20, 0...200, "users who take turns on the other seats")
  static let stay = Parameter("stay", 4.0, 0.2...600, "seconds that each of them stays on the seat")
  static let listeners = Parameter("listeners", 100, 1...900, "number of listeners that count packets")
  static let sample = Parameter("sample", 3, 0...50, "additional listeners that decode the audio")
  static let parameters = [seats, steady, movers, stay, listeners, sample]

  /// The user of the room's own mix.
  private static let mix: UserID = "@mix"

  private let values: ParameterValues

  init(_ values: ParameterValues) { self.values = values }

  func perform(on stage: Stage) async throws {
    let room = stage.name("voice")
    let (seats, steady) = (values.count(Self.seats), min(values.count(Self.steady), values.count(Self.seats) - 1))
    try await stage.make(.init(name: room, audience: .voice, seatsHost: false))
    let frames = (0..<seats).map { SeatFrame(x: Double($0) / Double(seats), y: 0, width: 1 / Double(seats), height: 1) }
    try await stage.call(room, "setLayout", LayoutParams(.custom, frames: frames))

    let audience = try RoomGuests(stage)
    let cast = Speakers(stage, room)
    var watchers: [RoomWatcher] = []
    do {
      stage.recorder.phase("\(steady) speakers take their seats")
      for number in 0..<steady { try await cast.sit(number) }
      stage.recorder.phase("\(values.count(Self.listeners)) listeners join")
      try await come(room, audience, stage)
      for number in 0..<values.count(Self.sample) {
        let guest = try await stage.join(room, as: "ear-\(number)", grants: .subscribe)
        watchers.append(RoomWatcher(guest, of: Self.mix, SignalWatch(Speakers.signal(0), hasOneClock: false)))
      }
      for number in 0..<values.count(Self.movers) { try await cast.admit(number, signal: steady + number) }
      try await Task.sleep(for: .seconds(1))
      for watcher in watchers { _ = watcher.watch.take() }
      await audience.tell(hearing: false)
      stage.recorder.phase("users take and leave seats")
      let ears = watchers
      try await Span(values.duration).perform {
        await audience.tell(hearing: true)
        for ear in ears { ear.watch.take().tell(stage.recorder, of: "decoded", seconds: 1) }
        stage.recorder.record(.present, Double(await audience.count + ears.count))
      } beside: {
        try await cast.rotate(lanes: seats - steady, stay: .seconds(values[Self.stay]))
      }
    } catch {
      await leave(room, cast, audience, watchers, stage)
      throw error
    }
    await leave(room, cast, audience, watchers, stage)
  }

  /// Two at a time, so that a join's time is the server's and not that of the bots' own queue.
  private func come(_ room: RoomName, _ audience: RoomGuests, _ stage: Stage) async throws {
    try await Several.each(values.count(Self.listeners), atOnce: 2) { number in
      do { try await audience.join(room, as: "listener-\(number)") } catch is CancellationError {
        throw CancellationError()
      } catch { stage.recorder.fail("listener \(number): \(error)") }
    }
  }

  private func leave(
    _ room: RoomName, _ cast: Speakers, _ audience: RoomGuests, _ watchers: [RoomWatcher], _ stage: Stage
  ) async {
    stage.recorder.phase("everyone leaves")
    await audience.leave()
    for watcher in watchers { await watcher.leave() }
    await cast.leave()
    await stage.close(room)
  }
}

/// The speakers in a voice room.
private actor Speakers {
  private struct SeatUser {
    var name: String
    var room: Room
    var settings: SignalSource.Settings
  }

  private let stage: Stage
  private let room: RoomName
  private var seated: [(room: Room, source: SignalSource)] = []
  private var movers: [SeatUser] = []
  /// Users who wait for their turn.
  private var waiting: [SeatUser] = []

  init(_ stage: Stage, _ room: RoomName) {
    self.stage = stage
    self.room = room
  }

  /// The sum of all tones stays below full scale. Only the first speaker beeps, for measuring the delay.
  static func signal(_ number: Int) -> SignalSource.Settings {
    var settings = SignalSource.Settings()
    settings.number = number
    settings.hasVideo = false
    settings.amplitude = 0.06
    settings.beeps = number == 0
    return settings
  }

  /// Joins and takes a seat permanently; the first speaker takes the host's seat.
  func sit(_ number: Int) async throws {
    let grants: Grants = number == 0 ? [.publish, .subscribe, .admin] : [.publish, .subscribe]
    let guest = try await stage.join(room, as: "speaker-\(number)", grants: grants)
    let source = try SignalSource(Self.signal(number), recorder: stage.recorder)
    _ = try await stage.recorder.time(.call, of: "up") {
      try await guest.seats.take(number == 0 ? 0 : nil, publishing: source.tracks)
    }
    seated.append((guest, source))
  }

  /// Joins and listens until it is their turn.
  func admit(_ number: Int, signal: Int) async throws {
    let guest = try await stage.join(room, as: "guest-\(number)")
    movers.append(SeatUser(name: "guest-\(number)", room: guest, settings: Self.signal(signal)))
  }

  /// In each lane, users take turns to take the seat, speak and leave it, until the task is cancelled.
  func rotate(lanes: Int, stay: Duration) async throws {
    waiting = movers
    guard !movers.isEmpty else { return }
    await withTaskGroup(of: Void.self) { group in
      for lane in 0..<min(lanes, movers.count) {
        group.addTask {
          // Staggers the lanes.
          try? await Task.sleep(for: stay * (Double(lane) / Double(lanes)))
          while !Task.isCancelled { await self.speak(for: stay) }
        }
      }
    }
  }

  private func speak(for stay: Duration) async {
    guard !waiting.isEmpty else { return }
    let mover = waiting.removeFirst()
    defer { waiting.append(mover) }
    let recorder = stage.recorder
    do {
      let source = try SignalSource(mover.settings, recorder: recorder)
      _ = try await recorder.time(.call, of: "up") { try await mover.room.seats.take(publishing: source.tracks) }
      recorder.event("\(mover.name) takes a seat")
      try await Task.sleep(for: stay)
      try await recorder.time(.call, of: "down") { try await mover.room.seats.leave() }
      source.stop()
    } catch {
      guard !Task.isCancelled else { return }
      recorder.fail("\(mover.name): \(error)")
      try? await Task.sleep(for: .milliseconds(500))
    }
  }

  func leave() async {
    for mover in movers { await mover.room.leave() }
    for (room, source) in seated {
      await room.leave()
      source.stop()
    }
  }
}
