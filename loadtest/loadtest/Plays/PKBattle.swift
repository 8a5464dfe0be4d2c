import RoomClient
import RoomProtocol

/// Pairs of anchors, each with a room, a broadcast and an audience of their own. They repeatedly start a PK by invitation and
/// quit it after a while.
struct PKBattle: Play {
  static let pairs = Parameter("pairs", 2, 1...50, "pairs of anchors")
  static let audience = Parameter(
    "audience", 10, 0...900, "viewers of each anchor: alternately over HTTP-FLV, over RTMP and in the room")
  static let together = Parameter("together", 10.0, 0.5...600, "seconds that a PK lasts")
  static let alone = Parameter("alone", 5.0, 0.5...600, "seconds from its end to the next invitation")
  static let sample = Parameter("sample", 1, 0...2, "number of anchors of each pair whose broadcast is also decoded")
  static let pkWidth = Parameter("pk-width", 0, 0...1920, "split screen size in pixels, even; 0 for the anchors' own")
  static let pkHeight = Parameter("pk-height", 0, 0...1920, "split screen size in pixels, even; 0 for the anchors' own")
  static let beeps = Parameter("beeps", 1, 0...1, "1: the anchors beep every second; 0: only a steady tone")
  static let parameters =
    [pairs, audience, together, alone, sample, pkWidth, pkHeight, beeps] + SignalSource.Settings.parameters

  private let values: ParameterValues
  /// Seconds until a change of the broadcast has reached every viewer.
  private var settling: Double { min(3, values[Self.together], values[Self.alone]) }

  init(_ values: ParameterValues) { self.values = values }

  func perform(on stage: Stage) async throws {
    let streams = try StreamAudience(stage)
    let guests = try RoomGuests(stage)
    var couples: [PKPair] = []
    do {
      stage.recorder.phase("\(2 * values.count(Self.pairs)) anchors go live")
      for number in 0..<values.count(Self.pairs) { couples.append(try await pair(number, stage)) }
      stage.recorder.phase("their audiences join")
      try await come(couples, streams, guests, stage)
      await streams.allSee()
      try await Task.sleep(for: .seconds(1))
      await streams.begin()
      let all = couples
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
      await leave(couples, streams, guests, stage)
      throw error
    }
    await leave(couples, streams, guests, stage)
  }

  /// Lets the two anchors of a pair go live.
  func pair(_ number: Int, _ stage: Stage) async throws -> PKPair {
    var anchors: [Anchor] = []
    for side in 0..<2 {
      var settings = SignalSource.Settings(values, number: 2 * number + side)
      settings.beeps = values.count(Self.beeps) == 1
      let room = stage.name("pk-\(number)\(side == 0 ? "a" : "b")")
      // Participants in the room also receive both sides in one picture, which is no larger than the anchors' own.
      let seen = StagePicture(
        width: settings.width, height: settings.height, fps: settings.fps, videoKbps: settings.kbps, preset: .ultrafast)
      try await stage.make(.init(name: room, stage: seen, pk: picture(settings)))
      anchors.append(try await Anchor.goLive(in: room, as: "anchor-\(number)\(side == 0 ? "a" : "b")", settings, on: stage))
    }
    return PKPair(anchors[0], anchors[1], stage.recorder)
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

  private func come(_ pairs: [PKPair], _ streams: StreamAudience, _ guests: RoomGuests, _ stage: Stage) async throws {
    for (number, pair) in pairs.enumerated() {
      for (side, anchor) in pair.anchors.enumerated() {
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

  /// Runs one round of all pairs: together, then alone again.
  private func battle(_ round: Int, _ pairs: [PKPair], _ streams: StreamAudience, _ stage: Stage) async throws {
    stage.recorder.phase("PK \(round + 1)")
    try await change(pairs, streams) { try await $0.begin(inviter: round % 2) }
    try await Task.sleep(for: .seconds(values[Self.together] - settling))
    stage.recorder.phase("after the PK")
    try await change(pairs, streams) { try await $0.end(by: (round + 1) % 2) }
    try await Task.sleep(for: .seconds(values[Self.alone] - settling))
  }

  /// Changes the broadcasts of all pairs, a moment apart, and records the timestamp steps that viewers observe.
  private func change(
    _ pairs: [PKPair], _ streams: StreamAudience, _ body: @escaping @Sendable (PKPair) async throws -> Void
  ) async throws {
    await streams.forgetSteps()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, pair) in pairs.enumerated() {
        group.addTask {
          try await Task.sleep(for: .milliseconds(200 * number))
          try await body(pair)
        }
      }
      try await group.waitForAll()
    }
    try await Task.sleep(for: .seconds(settling))
    await streams.tellSteps()
  }

  private func leave(_ pairs: [PKPair], _ streams: StreamAudience, _ guests: RoomGuests, _ stage: Stage) async {
    stage.recorder.phase("everyone leaves")
    await streams.leave()
    await guests.leave()
    for pair in pairs {
      pair.stop()
      for anchor in pair.anchors {
        await anchor.leave()
        await stage.close(anchor.roomName)
      }
    }
  }
}

/// Two anchors who do PKs with each other.
final class PKPair: Sendable {
  private static let patience = Duration.seconds(15)

  let anchors: [Anchor]
  private let recorder: Recorder
  private let accepting: [Task<Void, Never>]

  init(_ one: Anchor, _ other: Anchor, _ recorder: Recorder) {
    anchors = [one, other]
    self.recorder = recorder
    accepting = anchors.map { anchor in
      let (room, events) = (anchor.room, anchor.room.events())
      return Task {
        for await event in events {
          guard case .pkInvited(let invitation) = event, invitation.to.room == room.name else { continue }
          do { try await room.pk.accept(invitation.pkId) } catch { recorder.fail("\(anchor.user) accepts: \(error)") }
        }
      }
    }
  }

  func stop() { for task in accepting { task.cancel() } }

  /// Starts a PK: one side invites and the other accepts. Returns when both rooms are in the PK. A failure is recorded, and the
  /// round is skipped.
  func begin(inviter: Int) async throws {
    let (one, other) = (anchors[inviter], anchors[1 - inviter])
    await attempt("a PK of \(one.user)", of: "pk-begin") {
      try await one.room.pk.invite(in: other.roomName)
      try await self.wait("the PK did not start") { one.room.pk.current != nil && other.room.pk.current != nil }
    }
    try Task.checkCancellation()
  }

  /// Ends the PK from one side. Returns when both rooms have left it.
  func end(by side: Int) async throws {
    guard anchors[side].room.pk.current != nil else { return }
    await attempt("the end of a PK of \(anchors[side].user)", of: "pk-end") {
      try await self.anchors[side].room.pk.quit()
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
