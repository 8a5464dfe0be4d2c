import Foundation
import RoomProtocol
import RoomWebRTC

/// One measurement of one server: participants join one room and then do one action after another.
struct CrowdRun: Sendable {
  private static let lookInterval = Duration.milliseconds(100)
  private static let mostLooks = 300
  private static let idleSeconds = 2.0

  let plan: CrowdPlan
  let target: CrowdTarget
  let progress: ProgressLine

  /// Runs the measurement, including the cleanup.
  func measure() async throws -> CrowdResult {
    let loop = try TCPLoop(name: "crowd")
    return try await running {
      try await measure(on: loop)
    } end: {
      await loop.stop()
    }
  }

  private func measure(on loop: TCPLoop) async throws -> CrowdResult {
    let people = try (0..<plan.people).map { try CrowdParticipant(CrowdPlan.user($0), target, loop) }
    let meter = Meter(server: target.pid) { await loop.run { CrowdCount($0) } }
    let start = try await meter.moment()
    var result = CrowdResult(target: target.name, people: plan.people)

    try await join(people, meter, &result)
    result.idlePercent = try await meter.window(seconds: Self.idleSeconds).serverPercent ?? 0
    try await message(people, meter, &result)
    try await publish(people, meter, &result)
    try await lose(people, meter, &result)
    let stayed = try await leave(people, meter, &result)
    try await offer(stayed, meter, &result)

    let whole = Window(first: start, last: try await meter.moment())
    result.othersPercent = whole.othersPercent ?? 0
    result.failure = whole.last.counts.failure
    return result
  }

  // MARK: What happens

  private func join(_ people: [CrowdParticipant], _ meter: Meter<CrowdCount>, _ result: inout CrowdResult) async throws {
    let last = min(plan.lastJoins, people.count)
    let before = try ProcessUsage(of: target.pid).resident
    let first = try await cost(meter, "joins") {
      for (number, person) in people.dropLast(last).enumerated() {
        try await person.join()
        progress.now("\(target.name): \(number + 1) of \(people.count) have joined")
      }
    }
    var joins: [CrowdParticipant.Join] = []
    let rest = try await cost(meter, "the last joins") {
      for person in people.suffix(last) { joins.append(try await person.join()) }
    }
    result.joins = last
    result.joinMilliseconds = rest.cpu / 1e6 / Double(last)
    result.meanJoinMilliseconds = (first.cpu + rest.cpu) / 1e6 / Double(people.count)
    result.joinTimeP50 = joins.map(\.milliseconds).quantile(0.5) ?? 0
    result.joinAnswerBytes = joins.last?.bytes ?? 0
    result.residentMegabytes = Double(try ProcessUsage(of: target.pid).resident) / 1e6
    result.kilobytesPerPerson = (result.residentMegabytes * 1e6 - Double(before)) / 1000 / Double(people.count)
  }

  private func message(_ people: [CrowdParticipant], _ meter: Meter<CrowdCount>, _ result: inout CrowdResult) async throws {
    let text = String(repeating: "m", count: plan.messageBytes)
    let cost = try await cost(meter, "messages", expected: plan.messages * (people.count + 1)) {
      for number in 0..<plan.messages {
        try await people[number % people.count].call(.sendMessage(MessageParams(.text, text: text)))
      }
    }
    result.messages = plan.messages
    result.deliveries = cost.messages - plan.messages
    result.missingDeliveries = plan.messages * people.count - result.deliveries
    result.deliveryMicroseconds = cost.cpu / 1000 / Double(max(1, result.deliveries))
  }

  private func publish(_ people: [CrowdParticipant], _ meter: Meter<CrowdCount>, _ result: inout CrowdResult) async throws {
    let publishers = people.prefix(plan.publishes)
    guard !publishers.isEmpty else { return }
    let offers = try publishers.map { try CrowdOffer(of: $0.user) }
    let published = try await cost(meter, "publishing") {
      for (person, offer) in zip(publishers, offers) { try await person.publish(offer) }
    }
    let ended = try await cost(meter, "unpublishing") {
      for person in publishers { try await person.call(.unpublish(TrackSelection(userIds: [person.user]))) }
    }
    result.publishes = publishers.count
    result.publishMilliseconds = published.cpu / 1e6 / Double(publishers.count)
    result.unpublishMilliseconds = ended.cpu / 1e6 / Double(publishers.count)
  }

  private func lose(_ people: [CrowdParticipant], _ meter: Meter<CrowdCount>, _ result: inout CrowdResult) async throws {
    let some = people.suffix(plan.losses)
    guard !some.isEmpty else { return }
    let lost = try await cost(meter, "losing connections") { for person in some { await person.lose() } }
    let resumed = try await cost(meter, "resuming") { for person in some { try await person.join() } }
    result.losses = some.count
    result.lossMilliseconds = lost.cpu / 1e6 / Double(some.count)
    result.resumeMilliseconds = resumed.cpu / 1e6 / Double(some.count)
  }

  private func leave(
    _ people: [CrowdParticipant], _ meter: Meter<CrowdCount>, _ result: inout CrowdResult
  ) async throws -> [CrowdParticipant] {
    let some = people.suffix(plan.leaving)
    guard !some.isEmpty else { return people }
    let left = try await cost(meter, "leaving") { for person in some { try await person.leave() } }
    result.leaves = some.count
    result.leaveMilliseconds = left.cpu / 1e6 / Double(some.count)
    return people.dropLast(some.count)
  }

  /// All participants subscribe to one participant, who then publishes.
  private func offer(_ people: [CrowdParticipant], _ meter: Meter<CrowdCount>, _ result: inout CrowdResult) async throws {
    let publisher = people[plan.offering]
    let others = people.filter { $0 !== publisher }
    let selected = try await cost(meter, "subscribing") {
      for person in others { try await person.call(.subscribe(TrackSelection(userIds: [publisher.user]))) }
    }
    let offer = try CrowdOffer(of: publisher.user)
    let offered = try await cost(meter, "offers", expected: 2 * others.count + 1) { try await publisher.publish(offer) }
    // Every other participant also receives the event of the new track, and the publisher receives its response.
    result.offers = offered.messages - others.count - 1
    result.missingOffers = others.count - result.offers
    result.subscribeMilliseconds = selected.cpu / 1e6 / Double(others.count)
    result.publishWithOffersMilliseconds = offered.cpu / 1e6
    result.offerMicroseconds = (offered.cpu / 1000 - result.publishMilliseconds * 1000) / Double(max(1, result.offers))
  }

  // MARK: What it costs

  /// Returns the server's CPU time in nanoseconds and the messages received, from the start of `body` until the server is idle
  /// again.
  /// - Parameter expected: number of messages to wait for; nil does not wait.
  private func cost(
    _ meter: Meter<CrowdCount>, _ what: String, expected: Int? = nil, _ body: () async throws -> Void
  ) async throws -> (cpu: Double, messages: Int) {
    progress.now("\(target.name): \(what)")
    let before = try await meter.moment()
    try await body()
    if let expected {
      for _ in 0..<Self.mostLooks {
        if try await meter.counts().messages - before.counts.messages >= expected { break }
        try await Task.sleep(for: Self.lookInterval)
      }
    }
    try await rest()
    let window = Window(first: before, last: try await meter.moment())
    return (window.serverTime ?? 0, window.last.counts.messages - before.counts.messages)
  }

  /// Returns once the server is idle.
  private func rest() async throws {
    let resting = plan.restingPercent / 100 * (Self.lookInterval / .nanoseconds(1))
    var last = try ProcessUsage(of: target.pid).cpu
    for _ in 0..<Self.mostLooks {
      try await Task.sleep(for: Self.lookInterval)
      let now = try ProcessUsage(of: target.pid).cpu
      if Double(now - last) < resting { return }
      last = now
    }
    throw LoadtestError.server("the server does not become idle")
  }
}

/// An offer of one audio track, created before the measurement starts.
struct CrowdOffer: Sendable {
  let params: PublishParams

  init(of user: UserID) throws {
    let local = TransportParameters(
      credentials: .random(), fingerprints: [try Certificate().fingerprint], role: .client)
    var offer = PublishOffer(local: local, cname: user.rawValue)
    _ = try offer.add(.opus, trackID: "microphone")
    params = PublishParams(sdp: offer.makeOffer(), tracks: [NewTrack(mid: "0", kind: .audio, tag: "microphone")])
  }
}
