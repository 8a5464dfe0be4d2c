import Foundation
import RoomClient
import RoomMedia
import RoomProtocol

/// Two rooms in a PK at two nodes, whose anchors are live, and a voice room, each with listeners that joined through all nodes.
final class UpgradeCast: Sendable {
  private struct Listener: Sendable {
    let name: String
    let room: RoomName
    let ear: Ear
  }

  private static let speakers = 2
  /// Attempts to make the second room of the PK at another node than the first.
  private static let attempts = 40
  private static let job: JobID = "live"

  private let stages: [Stage]
  private let sink: LiveSink
  private let anchors: [(name: RoomName, room: Room)]
  private let voice: RoomName
  private let speakers: [Room]
  private let sources: [SignalSource]
  private let listeners: [Listener]

  /// Returns once everybody receives everybody else, and both anchors are on the air.
  /// - Parameter stages: one for each node.
  init(_ stages: [Stage], listeners count: Int) async throws {
    self.stages = stages
    sink = try await LiveSink()
    let pair = try await Self.pair(stages)
    voice = stages[0].name("voice")
    try await stages[0].make(.init(name: voice, audience: .voice, seatsHost: false))
    // The first seat is the host's.
    let width = 1 / Double(Self.speakers + 1)
    let frames = (0...Self.speakers).map { SeatFrame(x: Double($0) * width, y: 0, width: width, height: 1) }
    try await stages[0].call(voice, "setLayout", LayoutParams(.custom, frames: frames))
    var sources: [SignalSource] = []
    var anchors: [(name: RoomName, room: Room)] = []
    for (number, name) in pair.enumerated() {
      let source = try Self.source(number, hasVideo: true)
      let user = UserID(number == 0 ? "red" : "blue")
      let room = try await Self.stage(stages, number).join(name, as: user, grants: [.publish, .subscribe, .relay, .admin])
      try await room.publish(source.tracks)
      try await room.jobs.start(ForwardParams(jobId: Self.job, publishUrl: sink.url(name.rawValue)))
      sources.append(source)
      anchors.append((name, room))
    }
    self.anchors = anchors
    var speakers: [Room] = []
    for number in 0..<Self.speakers {
      let source = try Self.source(2 + number, hasVideo: false)
      let room = try await Self.stage(stages, number).join(voice, as: UserID("speaker-\(number)"))
      _ = try await room.seats.take(nil, publishing: source.tracks)
      sources.append(source)
      speakers.append(room)
    }
    (self.speakers, self.sources) = (speakers, sources)
    var listeners: [Listener] = []
    for (index, name) in (pair + [voice]).enumerated() {
      for number in 0..<count {
        let user = UserID("listener-\(index)-\(number)")
        let room = try await Self.stage(stages, index + number).join(name, as: user, grants: .subscribe)
        listeners.append(Listener(name: user.rawValue, room: name, ear: Ear(room)))
      }
    }
    self.listeners = listeners
    try await battle()
    try await settle()
    for listener in listeners { listener.ear.begin() }
  }

  private static func stage(_ stages: [Stage], _ number: Int) -> Stage { stages[number % stages.count] }

  private static func source(_ number: Int, hasVideo: Bool) throws -> SignalSource {
    var settings = SignalSource.Settings()
    (settings.width, settings.height, settings.kbps) = (180, 320, 200)
    (settings.number, settings.hasVideo) = (number, hasVideo)
    return try SignalSource(settings)
  }

  // MARK: The PK

  private struct Leases: Decodable {
    struct Lease: Decodable { var room: RoomName }
    var leases: [Lease]
  }

  private static func owner(of room: RoomName, _ stages: [Stage]) async throws -> Int? {
    for (index, stage) in stages.enumerated() {
      let leases = try await stage.read(Leases.self, "v1/cluster").leases
      if leases.contains(where: { $0.room == room }) { return index }
    }
    return nil
  }

  /// Makes two rooms at two nodes, whose PK crosses the link between them.
  private static func pair(_ stages: [Stage]) async throws -> [RoomName] {
    func make(_ name: String) async throws -> RoomName {
      let room = stages[0].name(name)
      let frame = PKPicture.Frame(x: 0, y: 0, width: 90, height: 160)
      let picture = PKPicture(
        width: 180, height: 160, fps: 15, videoKbps: 200, preset: .ultrafast, own: frame,
        peer: .init(x: 90, y: 0, width: 90, height: 160))
      try await stages[0].make(.init(name: room, audience: .separate, pk: picture))
      return room
    }
    let red = try await make("red")
    let owner = try await owner(of: red, stages)
    for attempt in 0..<attempts {
      let blue = try await make("blue\(attempt)")
      if try await self.owner(of: blue, stages) != owner { return [red, blue] }
      await stages[0].close(blue)
    }
    throw LoadtestError.refused("no second room was made at another node than that of the first one")
  }

  private func battle() async throws {
    let (red, blue) = (anchors[0].room, anchors[1].room)
    let invited = try await red.pk.invite(in: anchors[1].name)
    try await wait("the invitation") { !blue.pk.invitations.isEmpty }
    try await blue.pk.accept(invited.pkId)
    try await wait("the PK") { red.pk.current != nil && blue.pk.current != nil }
  }

  /// Waits until everybody receives what the upgrade may interrupt.
  private func settle() async throws {
    try await wait("all listeners receive") { [self] in
      listeners.allSatisfy { $0.room == voice ? !$0.ear.heard.isEmpty : $0.ear.heard.count == 2 && $0.ear.seen.count == 2 }
    }
    try await wait("both anchors are on the air") { [self] in
      anchors.allSatisfy { sink.stream($0.name.rawValue).messages > 100 && $0.room.jobs.all.first?.onAir == true }
    }
  }

  private func wait(_ what: String, _ condition: @escaping @Sendable () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(30)
    while !condition() {
      guard ContinuousClock.now < end else { throw LoadtestError.noMedia("not within 30 s: \(what)") }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  // MARK: The end

  /// Waits a moment for the listeners that are about to return, and reports.
  func report() async -> UpgradeReport {
    let before = anchors.map { sink.stream($0.name.rawValue).messages }
    try? await wait("all are back") { [self] in
      listeners.allSatisfy(\.ear.report.isConnected)
        && zip(anchors, before).allSatisfy { sink.stream($0.name.rawValue).messages > $1 }
    }
    let reports = listeners.map { ($0, $0.ear.report) }
    let streams = anchors.map { sink.stream($0.name.rawValue) }
    let quietest = reports.max { $0.1.silence < $1.1.silence }
    return UpgradeReport(
      silenceMs: Self.milliseconds(quietest?.1.silence ?? .zero),
      freezeMs: Self.milliseconds(reports.map(\.1.freeze).max() ?? .zero),
      quietest: quietest.map { "\($0.0.name) of \($0.1.silent ?? ""), from \(Self.time($0.1.silentFor))" } ?? "",
      joins: reports.reduce(reports.count) { $0 + $1.1.returns }, listeners: reports.count,
      lostListeners: reports.filter { !$0.1.isConnected }.map(\.0.name), lostRooms: await lostRooms(),
      pk: anchors.allSatisfy { $0.room.pk.current != nil },
      onAir: zip(streams, before).count { $0.messages > $1 }, lives: streams.count,
      longestStepMs: streams.map(\.longestStep).max() ?? 0, backward: streams.reduce(0) { $0 + $1.backward },
      connections: streams.reduce(0) { $0 + $1.connections })
  }

  private struct Found: Decodable {}

  private func lostRooms() async -> [String] {
    var lost: [String] = []
    for room in anchors.map(\.name) + [voice] {
      for stage in stages where (try? await stage.read(Found.self, "v1/rooms/\(room)")) == nil {
        lost.append("\(room) at \(stage.signalling)")
      }
    }
    return lost
  }

  /// The time of day of a moment in the past, in UTC.
  private static func time(_ ago: Duration) -> String {
    Date(timeIntervalSinceNow: -(ago / .seconds(1))).formatted(.iso8601.time(includingFractionalSeconds: true))
  }

  private static func milliseconds(_ duration: Duration) -> Int64 { Int64(duration / .milliseconds(1)) }

  func leave() async {
    for listener in listeners { await listener.ear.leave() }
    for room in speakers + anchors.map(\.room) { await room.leave() }
    for source in sources { source.stop() }
    for room in anchors.map(\.name) + [voice] { await stages[0].close(room) }
    await sink.stop()
  }
}
