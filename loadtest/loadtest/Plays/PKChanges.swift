import RoomClient
import RoomProtocol

/// PKs of several rooms whose members come late, leave and return, drop off the network, and die and start again. The broadcasts of all
/// rooms continue.
struct PKChanges: Play {
  static let rooms = Parameter("rooms", 4, 3...9, "anchors of the PK")
  static let audience = Parameter("audience", 6, 0...200, "viewers of each anchor, alternately over HTTP-FLV and RTMP")
  static let away = Parameter(
    "away", 4.0, 0.5...15, "seconds that a member is off the network, or dead: less than the server's grace time")
  static let settling = Parameter("settling", 3.0, 0.5...60, "seconds until a change has reached every viewer")
  static let parameters = [rooms, audience, away, settling] + SignalSource.Settings.parameters

  private let values: ParameterValues

  init(_ values: ParameterValues) { self.values = values }

  func perform(on stage: Stage) async throws {
    let streams = try StreamAudience(stage)
    var members: [PKMemberBot] = []
    do {
      stage.recorder.phase("\(values.count(Self.rooms)) anchors go live")
      for number in 0..<values.count(Self.rooms) {
        let member = try await PKMemberBot.goLive(number, .init(values, number: number), on: stage)
        members.append(member)
        for viewer in 0..<values.count(Self.audience) {
          try await streams.watch(await member.stream, over: viewer % 2 == 0 ? .flv : .rtmp)
        }
      }
      await streams.allSee()
      try await Task.sleep(for: .seconds(1))
      await streams.begin()
      let all = members
      try await Span(values.duration).perform {
        await streams.tell()
      } beside: {
        var round = 0
        while true {
          try await battle(round, Array(all[(round % all.count)...] + all[..<(round % all.count)]), streams, stage)
          round += 1
        }
      }
    } catch {
      await leave(members, streams, stage)
      throw error
    }
    await leave(members, streams, stage)
  }

  /// Runs one PK.
  private func battle(_ round: Int, _ all: [PKMemberBot], _ streams: StreamAudience, _ stage: Stage) async throws {
    let (first, second, last) = (all[0], all[1], all[all.count - 1])
    func change(_ phase: String, _ kind: String, _ body: @escaping @Sendable () async throws -> Void) async throws {
      stage.recorder.phase("PK \(round + 1): \(phase)")
      await streams.forgetSteps()
      do { try await stage.recorder.time(.call, of: kind, body) } catch {
        try Task.checkCancellation()
        stage.recorder.fail("PK \(round + 1): \(phase): \(error)")
      }
      try await Task.sleep(for: .seconds(values[Self.settling]))
      await streams.tellSteps()
    }
    let early = all.dropLast()
    try await change("all but one begin", "pk-begin") {
      try await first.invite(early.dropFirst(), rooms: all.count)
      try await PKMemberBot.wait("the PK has not begun", early) { $0.count == early.count }
    }
    try await change("one comes late", "pk-join") {
      try await second.invite([last])
      try await PKMemberBot.wait("the late room did not enter", all) { $0.count == all.count }
    }
    try await change("one leaves", "pk-leave") {
      try await last.quit()
      try await PKMemberBot.wait("the others did not continue", early) { $0.count == early.count }
    }
    try await change("the one returns", "pk-join") {
      try await first.invite([last])
      try await PKMemberBot.wait("the room did not enter again", all) { $0.count == all.count }
    }
    let away = Duration.seconds(values[Self.away])
    try await change("one drops off the network", "pk-drop") {
      await second.drop()
      try await PKMemberBot.wait("the lost connection was not noticed", all.filter { $0 !== second }) { members in
        members.contains { !$0.connected }
      }
    }
    try await Task.sleep(for: away)
    try await change("the network is back", "pk-return") {
      await second.reconnect()
      try await PKMemberBot.wait("the member did not return", all) { $0.count == all.count && $0.allSatisfy(\.connected) }
    }
    try await change("the first one dies", "pk-drop") {
      await first.die()
      try await PKMemberBot.wait("the death was not noticed", Array(all.dropFirst())) { members in
        members.contains { !$0.connected }
      }
    }
    try await Task.sleep(for: away)
    try await change("the first one starts again", "pk-return") {
      try await first.startAgain(on: stage)
      try await PKMemberBot.wait("the anchor did not return", all) { $0.count == all.count && $0.allSatisfy(\.connected) }
    }
    try await change("all leave", "pk-end") {
      for member in all.dropLast() { try await member.quit() }
      try await PKMemberBot.wait("the PK did not end", all) { $0.isEmpty }
    }
  }

  private func leave(_ members: [PKMemberBot], _ streams: StreamAudience, _ stage: Stage) async {
    stage.recorder.phase("everyone leaves")
    await streams.leave()
    for member in members {
      await member.leave()
      await stage.close(member.roomName)
    }
  }
}

/// An anchor that accepts each invitation, and whose network and process can end.
actor PKMemberBot {
  private static let patience = Duration.seconds(20)

  nonisolated let roomName: RoomName
  private let user: UserID
  private let settings: SignalSource.Settings
  private let recorder: Recorder
  private var network: CuttableNetwork
  private var anchor: Anchor
  private var accepting: Task<Void, Never>?

  var stream: String { anchor.stream }

  static func goLive(_ number: Int, _ settings: SignalSource.Settings, on stage: Stage) async throws -> PKMemberBot {
    let (room, user) = (stage.name("pk-\(number)"), UserID("anchor-\(number)"))
    let seen = StagePicture(
      width: settings.width, height: settings.height, fps: settings.fps, videoKbps: settings.kbps, preset: .ultrafast)
    try await stage.make(.init(name: room, audience: .separate, stage: seen))
    let network = try await CuttableNetwork(to: stage.host, port: Int(stage.port))
    do {
      let anchor = try await Anchor.goLive(in: room, as: user, settings, on: stage.through(network))
      let member = PKMemberBot(anchor, network, settings, stage.recorder)
      await member.listen()
      return member
    } catch {
      await network.stop()
      throw error
    }
  }

  private init(_ anchor: Anchor, _ network: CuttableNetwork, _ settings: SignalSource.Settings, _ recorder: Recorder) {
    (roomName, user) = (anchor.roomName, anchor.user)
    self.anchor = anchor
    self.network = network
    self.settings = settings
    self.recorder = recorder
  }

  private func listen() { accepting = anchor.acceptInvitations(recorder) }

  // MARK: The PK

  /// Invites the rooms of other members, into the PK that runs if there is one.
  /// - Parameter rooms: the most rooms of a new PK.
  func invite(_ members: some Collection<PKMemberBot> & Sendable, rooms: Int? = nil) async throws {
    guard let room = members.first?.roomName else { return }
    var params = PKInviteParams(room: room)
    params.others = members.dropFirst().map { PKInvitee(room: $0.roomName) }
    if let running = anchor.room.pk.current { params.pkId = running.pkId } else { params.rules = PKRules(rooms: rooms) }
    try await anchor.room.pk.invite(params)
  }

  func quit() async throws { try await anchor.room.pk.quit() }

  private var members: [PKMember] { anchor.room.pk.current?.members ?? [] }

  /// Waits until all members see such members of the PK.
  /// - Throws: ``LoadtestError/noMedia(_:)`` after 20 s.
  static func wait(
    _ failure: String, _ bots: some Collection<PKMemberBot> & Sendable, for condition: @Sendable ([PKMember]) -> Bool
  ) async throws {
    let end = ContinuousClock.now + patience
    for bot in bots {
      while !condition(await bot.members) {
        guard ContinuousClock.now < end else { throw LoadtestError.noMedia("\(failure) within \(patience)") }
        try await Task.sleep(for: .milliseconds(20))
      }
    }
  }

  // MARK: Faults

  func drop() { network.cut() }

  func reconnect() { network.restore() }

  /// Ends as a process that is killed: nothing more is sent, and no connection is closed by the client.
  func die() {
    accepting?.cancel()
    network.cut()
  }

  /// Joins as a new process of the same user, which publishes and resumes the PK. The broadcast has continued.
  func startAgain(on stage: Stage) async throws {
    let (dead, gone) = (anchor, network)
    network = try await CuttableNetwork(to: stage.host, port: Int(stage.port))
    anchor = try await Anchor.comeBack(to: roomName, as: user, settings, on: stage.through(network))
    listen()
    try await anchor.room.pk.resume()
    await gone.stop()
    await dead.leave()
  }

  func leave() async {
    accepting?.cancel()
    await anchor.leave()
    await network.stop()
  }
}
