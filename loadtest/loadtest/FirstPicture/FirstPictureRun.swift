import RoomWebRTC

/// One measurement of one server: a publisher, and then people who come and go.
struct FirstPictureRun: Sendable {
  private static let joinTime = 15.0
  /// Delay between the publisher's connection and the first join.
  private static let settling = Duration.seconds(1)

  private let plan: FirstPicturePlan
  private let media: RecordedMedia
  private let name: String
  private let server: MeasuredServer<RoomserverAddress>
  private let progress: ProgressLine

  /// - Parameter name: the server's name in reports.
  init(
    _ plan: FirstPicturePlan, _ media: RecordedMedia, _ name: String, _ server: MeasuredServer<RoomserverAddress>,
    _ progress: ProgressLine
  ) {
    self.plan = plan
    self.media = media
    self.name = name
    self.server = server
    self.progress = progress
  }

  /// Runs the measurement, including the cleanup.
  func measure() async throws -> FirstPictureResult {
    let target = RoomserverTarget(server: server.target, room: plan.room)
    let loop = try BotLoop(name: "publish", rest: 0)
    let settings = BotSettings(certificate: try Certificate(), profiles: SRTPProfile.preferred, feedbackInterval: 0)
    let publisher = try PublisherHandle(
      name: "publisher", settings: settings, layers: [media], role: target.publisherRole, loop: loop)
    return try await running {
      let seat = try await target.publish(publisher)
      return try await running {
        try await connected(publisher)
        try await Task.sleep(for: Self.settling)
        return try await measure(publisher)
      } end: {
        await seat.leave()
      }
    } end: {
      await loop.stop()
    }
  }

  private func connected(_ publisher: PublisherHandle) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await publisher.connected() }
      group.addTask {
        try await Task.sleep(for: .seconds(Self.joinTime))
        throw LoadtestError.noMedia("the publisher was not connected within \(Self.joinTime) s")
      }
      try await group.next()
      group.cancelAll()
    }
  }

  private func measure(_ publisher: PublisherHandle) async throws -> FirstPictureResult {
    let meter = Meter(server: server.pid, metrics: server.metrics) {}
    async let window = meter.window(seconds: plan.seconds) { progress.now("\(name): \($0.progress(of: plan.seconds))") }
    let visits = try await visits()
    return FirstPictureResult(plan, name, visits, try await window, publisher: await publisher.lateness())
  }

  /// Lets people join at the plan's rate, and returns when the last one has left.
  private func visits() async throws -> [Visit] {
    let visitor = Visitor(server: server.target, plan: plan)
    let clock = ContinuousClock()
    let begin = clock.now
    return try await withThrowingTaskGroup(of: Visit.self) { group in
      for number in 0..<plan.joins {
        let due = begin + .seconds(Double(number) / plan.rate)
        try await clock.sleep(until: due, tolerance: .zero)
        group.addTask {
          let lateness = (clock.now - due) / .milliseconds(1)
          var visit = await visitor.visit(number)
          visit.lateness = lateness
          return visit
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }
}
