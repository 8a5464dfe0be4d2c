import RoomRTP
import RoomWebRTC

/// The bots of one run, their threads and their connections.
actor FanoutCrew {
  private let settings: BotSettings
  private let media: RecordedMedia
  private let publishing: BotLoop
  private let subscribing: [BotLoop]
  private var seats: [any BotSession] = []
  private var outcomes: [JoinOutcome] = []

  /// Sleep of the subscribers' threads between two polls, in microseconds: far below a frame's duration, far above a packet's.
  private static let rest: Int64 = 1000

  init(plan: FanoutPlan, media: RecordedMedia) throws {
    settings = BotSettings(
      certificate: try Certificate(), profiles: plan.profile.profiles, feedbackInterval: Int64(plan.feedback) * 1000)
    self.media = media
    publishing = try BotLoop(name: "publish", rest: 0)
    subscribing = try (0..<plan.threads).map { try BotLoop(name: "subscribe-\($0)", rest: Self.rest) }
  }

  /// The joins so far.
  var joins: [JoinOutcome.Times] { outcomes.map(\.times) }

  func publish(number: Int, to target: any FanoutTarget, within seconds: Double) async throws {
    let end = try PublisherHandle(
      name: "publisher-\(number)", settings: settings, layers: [media], role: target.publisherRole, loop: publishing)
    seats.append(try await target.publish(end))
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await end.connected() }
      group.addTask {
        try await Task.sleep(for: .seconds(seconds))
        throw LoadtestError.noMedia("\(end.name) was not connected within \(seconds) s")
      }
      try await group.next()
      group.cancelAll()
    }
  }

  /// Returns when the subscriber receives its first packet.
  func subscribe(number: Int, to target: any FanoutTarget, within seconds: Double) async throws {
    let end = try SubscriberHandle(
      name: "subscriber-\(number)", settings: settings, controlling: target.subscriberControlsICE,
      loop: subscribing[number % subscribing.count])
    outcomes.append(end.outcome)
    seats.append(try await target.subscribe(end))
    try await end.outcome.firstPacket(within: seconds)
  }

  /// Returns the sum of all subscribers' counters.
  func counts() async -> PacketCounts {
    var total = PacketCounts(drops: SocketDrops.ofThisProcess())
    for loop in subscribing {
      total += await loop.run { crew in
        var sum = PacketCounts()
        let now = BotSet.now
        for case let bot as SubscriberBot in crew.bots { sum += bot.counts(now: now) }
        return sum
      }
    }
    return total
  }

  /// Disconnects all bots.
  func leave() async {
    for loop in subscribing { await loop.stop() }
    await publishing.stop()
    for seat in seats { await seat.leave() }
    seats = []
  }
}
