import Foundation
import Glibc
import RoomRTP
import RoomWebRTC

/// One measurement of one server: publishers, then subscribers, then a steady window.
struct FanoutRun: Sendable {
  private static let joinTime = 15.0
  /// Delay between the last join and the window, in which key frames and handshakes complete and rates settle.
  private static let settling = Duration.seconds(2)

  let plan: FanoutPlan
  let media: RecordedMedia
  let kind: TargetKind
  let target: any FanoutTarget
  /// The server's process, if known.
  let server: Int32?
  /// The URL of the server's metrics, if it has any.
  let metrics: URL?
  let progress: FanoutProgress

  /// Runs the measurement, including the cleanup.
  func measure() async throws -> FanoutResult {
    let crew = try FanoutCrew(plan: plan, media: media)
    do {
      let result = try await measure(crew)
      await crew.leave()
      return result
    } catch {
      await crew.leave()
      throw error
    }
  }

  private func measure(_ crew: FanoutCrew) async throws -> FanoutResult {
    progress.now("\(kind): the publisher is joining")
    try await target.open()
    for number in 1...plan.publishers { try await crew.publish(number: number, to: target, within: Self.joinTime) }
    // The server's memory for a room with its publisher is not part of its subscribers' memory.
    try await Task.sleep(for: .seconds(1))
    let alone = try server.map { try ProcessUsage(of: $0) }

    try await join(crew)
    try await Task.sleep(for: Self.settling)

    let before = try await Moment(crew, server: server, metrics: metrics)
    try await watch(crew, since: before)
    let after = try await Moment(crew, server: server, metrics: metrics)
    return result(alone, before, after, joins: await crew.joins)
  }

  private func join(_ crew: FanoutCrew) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      var joined = 0
      for number in 1...plan.subscribers {
        if number > plan.joinsAtOnce {
          try await group.next()
          joined += 1
          progress.now("\(kind): \(joined) of \(plan.subscribers) subscribers have media")
        }
        group.addTask { try await crew.subscribe(number: number, to: target, within: Self.joinTime) }
      }
      try await group.waitForAll()
    }
    progress.now("\(kind): all \(plan.subscribers) subscribers have media")
  }

  /// Waits for the window's end and reports progress.
  private func watch(_ crew: FanoutCrew, since start: Moment) async throws {
    let end = start.clock + .seconds(plan.seconds)
    while ContinuousClock.now < end {
      try await Task.sleep(until: min(end, .now + .seconds(1)), clock: .continuous)
      guard progress.isWanted else { continue }
      let now = try await Moment(crew, server: server, metrics: nil)
      let seconds = (now.clock - start.clock) / .seconds(1)
      let packets = now.counts.received - start.counts.received
      var text = "\(kind): \(Int(seconds.rounded())) of \(Int(plan.seconds)) s, \(Int(Double(packets) / seconds)) packets/s"
      if let cpu = now.cpu(since: start), packets > 0 {
        text += String(format: ", %.2f µs/packet", cpu / 1000 / Double(packets))
      }
      progress.now(text + ", \(now.counts.lost - start.counts.lost) lost")
    }
  }

  private func result(
    _ alone: ProcessUsage?, _ before: Moment, _ after: Moment, joins: [JoinOutcome.Times]
  ) -> FanoutResult {
    let seconds = (after.clock - before.clock) / .seconds(1)
    let (first, last) = (before.counts, after.counts)
    let received = last.received - first.received
    let lost = last.lost - first.lost
    func milliseconds(_ moment: (JoinOutcome.Times) -> Instant?) -> [Double] {
      joins.compactMap { times in
        guard let begun = times.begun, let moment = moment(times) else { return nil }
        return Double(moment - begun) / 1000
      }
    }
    let media = milliseconds(\.media)
    let video = milliseconds(\.video)
    let cpu = after.cpu(since: before)
    let machine = Double(after.machine.busy - before.machine.busy) / Double(sysconf(Int32(_SC_CLK_TCK))) / seconds
    let bots = Double(after.botsCPU - before.botsCPU) / 1e9 / seconds
    let ticks = (before.server?.userTicks ?? 0, before.server?.systemTicks ?? 0)
    let user = (after.server?.userTicks ?? 0) - ticks.0
    let system = (after.server?.systemTicks ?? 0) - ticks.1
    return FanoutResult(
      target: kind, subscribers: plan.subscribers, publishers: plan.publishers, seconds: seconds,
      profile: plan.profile.rawValue,
      packetsPerSecond: Double(received) / seconds, megabitsPerSecond: Double(last.bytes - first.bytes) * 8 / 1e6 / seconds,
      cpuPerPacket: cpu.map { $0 / 1000 / Double(max(1, received)) }, cpuPercent: cpu.map { $0 / 1e7 / seconds },
      systemPercent: user + system > 0 ? Double(system) * 100 / Double(user + system) : nil,
      othersPercent: cpu.map { max(0, (machine - bots - $0 / 1e9 / seconds) * 100) }, botsPercent: bots * 100,
      loss: received + lost > 0 ? Double(lost) / Double(received + lost) : 0, lostPackets: lost,
      duplicates: last.duplicates - first.duplicates, receiverDrops: after.drops - before.drops,
      silentStreams: max(0, plan.streams - last.liveStreams), sampled: last.sampled, unauthentic: last.unauthentic,
      joinP50: media.quantile(0.5) ?? 0, joinP99: media.quantile(0.99) ?? 0, videoP50: video.quantile(0.5) ?? 0,
      videoP99: video.quantile(0.99) ?? 0,
      kilobytesPerSubscriber: growth(alone, after.server, \.resident),
      proportionalKilobytesPerSubscriber: growth(alone, after.server, \.proportional),
      residentMegabytes: after.server.map { Double($0.resident) / 1e6 },
      gso: after.metrics.flatMap { now in before.metrics.map { now.growth(since: $0, of: "segment") } }.flatMap {
        $0.isEmpty ? nil : $0
      })
  }

  private func growth(_ alone: ProcessUsage?, _ now: ProcessUsage?, _ memory: KeyPath<ProcessUsage, Int64>) -> Double? {
    guard let alone, let now else { return nil }
    return Double(now[keyPath: memory] - alone[keyPath: memory]) / 1000 / Double(plan.subscribers)
  }
}

/// All counters, read at approximately the same time.
private struct Moment: Sendable {
  var clock: ContinuousClock.Instant
  var counts: PacketCounts
  var server: ProcessUsage?
  var machine: MachineUsage
  var botsCPU: Int64
  var drops: Int
  var metrics: ServerMetrics?

  init(_ crew: FanoutCrew, server process: Int32?, metrics url: URL?) async throws {
    // Slow reads come first, so that the values that are divided by each other are read close together.
    if let url { metrics = await ServerMetrics.fetch(url) }
    drops = SocketDrops.ofThisProcess()
    counts = await crew.counts()
    server = try process.map { try ProcessUsage(of: $0) }
    clock = .now
    machine = MachineUsage()
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    botsCPU = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Returns the server's CPU time, in nanoseconds.
  func cpu(since start: Moment) -> Double? {
    guard let now = server?.cpu, let then = start.server?.cpu else { return nil }
    return Double(now - then)
  }
}
