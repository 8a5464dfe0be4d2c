import RoomClient
import RoomProtocol

/// Anchors in groups of two or more, each with a room, a broadcast and an audience of their own. Each group repeatedly starts a PK by
/// invitation; after a while its members leave one after another.
struct PKBattle: Play {
  static let pairs = Parameter("pairs", 2, 1...50, "PKs at a time")
  static let rooms = Parameter("rooms", 2, 2...9, "anchors of each PK")
  static let teams = Parameter("teams", 0, 0...4, "teams of each PK; 0: everyone plays alone")
  static let sameOrder = Parameter(
    "same-order", 0, 0...1, "1: all rooms show the anchors in the same order, and a node sends one mix")
  static let audience = Parameter(
    "audience", 10, 0...900, "viewers of each anchor: alternately over HTTP-FLV, over RTMP and in the room")
  static let together = Parameter("together", 10.0, 0.5...600, "seconds that a PK lasts")
  static let alone = Parameter("alone", 5.0, 0.5...600, "seconds from its end to the next invitation")
  static let sample = Parameter("sample", 1, 0...9, "number of anchors of each PK whose broadcast is also decoded")
  static let pkWidth = Parameter("pk-width", 0, 0...1920, "split screen size in pixels, even; 0 for the anchors' own")
  static let pkHeight = Parameter("pk-height", 0, 0...1920, "split screen size in pixels, even; 0 for the anchors' own")
  static let beeps = Parameter("beeps", 1, 0...1, "1: the anchors beep every second; 0: only a steady tone")
  static let parameters =
    [pairs, rooms, teams, sameOrder, audience, together, alone, sample, pkWidth, pkHeight, beeps]
    + SignalSource.Settings.parameters

  private let values: ParameterValues
  /// Seconds until a change of the broadcast has reached every viewer.
  private var settling: Double { min(3, values[Self.together], values[Self.alone]) }

  init(_ values: ParameterValues) { self.values = values }

  func perform(on stage: Stage) async throws {
    let streams = try StreamAudience(stage)
    let guests = try RoomGuests(stage)
    var groups: [PKGroup] = []
    do {
      stage.recorder.phase("\(values.count(Self.rooms) * values.count(Self.pairs)) anchors go live")
      for number in 0..<values.count(Self.pairs) { groups.append(try await group(number, stage)) }
      stage.recorder.phase("their audiences join")
      try await come(groups, streams, guests, stage)
      await streams.allSee()
      try await Task.sleep(for: .seconds(1))
      await streams.begin()
      let all = groups
      try await Span(values.duration).perform {
        await streams.tell()
        await guests.tell(hearing: false)
      } beside: {
        var round = 0
        while true {
          try await battle(round, all, streams, stage)
          round += 1
        }
      }
    } catch {
      await leave(groups, streams, guests, stage)
      throw error
    }
    await leave(groups, streams, guests, stage)
  }

  /// Lets the anchors of a group go live.
  func group(_ number: Int, _ stage: Stage) async throws -> PKGroup {
    var anchors: [Anchor] = []
    let count = values.count(Self.rooms)
    for (side, letter) in "abcdefghi".prefix(count).enumerated() {
      var settings = SignalSource.Settings(values, number: count * number + side)
      settings.beeps = values.count(Self.beeps) == 1
      let room = stage.name("pk-\(number)\(letter)")
      // Participants in the room also receive all sides in one picture, which is no larger than the anchors' own.
      let seen = StagePicture(
        width: settings.width, height: settings.height, fps: settings.fps, videoKbps: settings.kbps, preset: .ultrafast)
      try await stage.make(.init(name: room, stage: seen, pk: picture(settings)))
      anchors.append(try await Anchor.goLive(in: room, as: "anchor-\(number)\(letter)", settings, on: stage))
    }
    return PKGroup(anchors, teams: values.count(Self.teams), sameOrder: values.count(Self.sameOrder) == 1, stage.recorder)
  }

  /// Returns a split screen, by default of the size of the anchors' own picture; each half has their aspect ratio.
  private func picture(_ settings: SignalSource.Settings) -> PKPicture {
    func even(_ value: Int) -> Int { value / 2 * 2 }
    let size = (values.count(Self.pkWidth), values.count(Self.pkHeight))
    let canvas = size.0 >= 16 && size.1 >= 16 ? (width: even(size.0), height: even(size.1)) : (settings.width, settings.height)
    var (width, height) = (even(canvas.width / 2), even(canvas.width / 2 * settings.height / settings.width))
    if height > canvas.height { (width, height) = (even(canvas.height * settings.width / settings.height), canvas.height) }
    let top = even((canvas.height - height) / 2)
    return PKPicture(
      width: canvas.width, height: canvas.height, fps: settings.fps, videoKbps: settings.kbps, preset: .ultrafast,
      own: .init(x: 0, y: top, width: width, height: height), peer: .init(x: width, y: top, width: width, height: height))
  }

  private func come(_ groups: [PKGroup], _ streams: StreamAudience, _ guests: RoomGuests, _ stage: Stage) async throws {
    for (number, group) in groups.enumerated() {
      for (side, anchor) in group.anchors.enumerated() {
        if side < values.count(Self.sample) {
          let own = picture(anchor.settings).own
          let region = SignalWatch.Region(x: own.x, y: own.y, width: own.width, height: own.height)
          try await streams.watch(
            anchor.stream, over: .flv, watch: SignalWatch(anchor.settings, hasOneClock: true, region: region))
        }
        for viewer in 0..<values.count(Self.audience) {
          switch viewer % 3 {
          case 0: try await streams.watch(anchor.stream, over: .flv)
          case 1: try await streams.watch(anchor.stream, over: .rtmp)
          default:
            do { try await guests.join(anchor.roomName, as: "guest-\(number)-\(side)-\(viewer)") } catch {
              try Task.checkCancellation()
              stage.recorder.fail("a guest of \(anchor.roomName): \(error)")
            }
          }
        }
      }
    }
  }

  /// Runs one round of all groups: together, then alone again.
  private func battle(_ round: Int, _ groups: [PKGroup], _ streams: StreamAudience, _ stage: Stage) async throws {
    stage.recorder.phase("PK \(round + 1)")
    try await change(groups, streams) { try await $0.begin(inviter: round) }
    try await Task.sleep(for: .seconds(values[Self.together] - settling))
    stage.recorder.phase("after the PK")
    try await change(groups, streams) { try await $0.end(by: round + 1) }
    try await Task.sleep(for: .seconds(values[Self.alone] - settling))
  }

  /// Changes the broadcasts of all groups, a moment apart, and records the timestamp steps that viewers observe.
  private func change(
    _ groups: [PKGroup], _ streams: StreamAudience, _ body: @escaping @Sendable (PKGroup) async throws -> Void
  ) async throws {
    await streams.forgetSteps()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, battle) in groups.enumerated() {
        group.addTask {
          try await Task.sleep(for: .milliseconds(200 * number))
          try await body(battle)
        }
      }
      try await group.waitForAll()
    }
    try await Task.sleep(for: .seconds(settling))
    await streams.tellSteps()
  }

  private func leave(_ groups: [PKGroup], _ streams: StreamAudience, _ guests: RoomGuests, _ stage: Stage) async {
    stage.recorder.phase("everyone leaves")
    await streams.leave()
    await guests.leave()
    for group in groups {
      group.stop()
      for anchor in group.anchors {
        await anchor.leave()
        await stage.close(anchor.roomName)
      }
    }
  }
}

/// Anchors who do PKs with one another.
final class PKGroup: Sendable {
  private static let patience = Duration.seconds(15)

  let anchors: [Anchor]
  private let teams: Int
  private let sameOrder: Bool
  private let recorder: Recorder
  private let accepting: [Task<Void, Never>]

  /// - Parameters:
  ///   - teams: the number of teams; 0 if everyone plays alone.
  ///   - sameOrder: whether all rooms show the anchors in the same order.
  init(_ anchors: [Anchor], teams: Int, sameOrder: Bool, _ recorder: Recorder) {
    self.anchors = anchors
    self.teams = teams
    self.sameOrder = sameOrder
    self.recorder = recorder
    accepting = anchors.map { $0.acceptInvitations(recorder) }
  }

  func stop() { for task in accepting { task.cancel() } }

  /// Starts a PK: one anchor invites and the others accept. Returns when all rooms are in the PK. A failure is recorded, and the round
  /// is skipped.
  func begin(inviter: Int) async throws {
    let one = anchors[inviter % anchors.count]
    let others = anchors.filter { $0 !== one }
    await attempt("a PK of \(one.user)", of: "pk-begin") {
      if self.anchors.count == 2, self.teams == 0, !self.sameOrder {
        try await one.room.pk.invite(in: others[0].roomName)
      } else {
        let invited = others.map { PKInvitee(room: $0.roomName, team: self.team(of: $0)) }
        var params = PKInviteParams(room: invited[0].room)
        (params.team, params.ownTeam) = (invited[0].team, self.team(of: one))
        params.others = Array(invited.dropFirst())
        params.rules = PKRules(rooms: self.anchors.count)
        if self.sameOrder { params.rules?.sameOrder = true }
        try await one.room.pk.invite(params)
      }
      try await self.wait("the PK did not start") { self.anchors.allSatisfy { self.meets($0, self.anchors.count) } }
    }
    try Task.checkCancellation()
  }

  private func team(of anchor: Anchor) -> Int? {
    teams == 0 ? nil : anchors.firstIndex { $0 === anchor }.map { $0 % teams }
  }

  /// Whether an anchor's room is in a PK of so many rooms.
  private func meets(_ anchor: Anchor, _ count: Int) -> Bool {
    anchor.room.pk.current.map { $0.members.map(\.count) ?? 2 == count } ?? false
  }

  /// Lets the anchors leave the PK one after another. Returns when no room is in the PK.
  /// - Parameter side: the anchor who leaves first.
  func end(by side: Int) async throws {
    var left = anchors.filter { $0.room.pk.current != nil }
    if !left.isEmpty { left = Array(left[(side % left.count)...] + left[..<(side % left.count)]) }
    while left.count > 2 {
      let gone = left.removeFirst()
      let rest = left
      await attempt("\(gone.user) leaves a PK", of: "pk-leave") {
        try await gone.room.pk.quit()
        try await self.wait("the others did not continue") { rest.allSatisfy { self.meets($0, rest.count) } }
      }
      try Task.checkCancellation()
    }
    guard let last = left.first else { return }
    await attempt("the end of a PK of \(last.user)", of: "pk-end") {
      try await last.room.pk.quit()
      try await self.wait("the PK did not end") { self.anchors.allSatisfy { $0.room.pk.current == nil } }
    }
    try Task.checkCancellation()
  }

  private func attempt(_ what: String, of kind: String, _ body: @escaping @Sendable () async throws -> Void) async {
    do { try await recorder.time(.call, of: kind, body) } catch {
      if !Task.isCancelled { recorder.fail("\(what): \(error)") }
    }
  }

  private func wait(_ failure: String, _ condition: @escaping @Sendable () -> Bool) async throws {
    let end = ContinuousClock.now + Self.patience
    while !condition() {
      guard ContinuousClock.now < end else { throw LoadtestError.noMedia("\(failure) within \(Self.patience)") }
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}
