import Foundation
import Glibc
import RoomRTP
import RoomWebRTC

/// One measurement of one server: speakers, then listeners, with a window for each.
struct VoiceRun: Sendable {
  private static let joinTime = 20.0
  /// Delay between the last join and a window.
  private static let settling = Duration.seconds(2)

  let plan: VoicePlan
  let tones: SpokenTones
  let kind: VoiceServerKind
  let target: any VoiceTarget
  /// The server's process, if known.
  let server: Int32?
  let progress: FanoutProgress

  /// Runs the measurement, including the cleanup.
  func measure() async throws -> VoiceResult {
    let crew = try VoiceCrew(plan: plan, tones: tones)
    do {
      let result = try await measure(crew)
      await crew.leave()
      return result
    } catch {
      await crew.leave()
      throw error
    }
  }

  private func measure(_ crew: VoiceCrew) async throws -> VoiceResult {
    progress.now("\(kind): \(plan.speakers) speakers are joining")
    try await target.open(plan.speakerNames)
    for number in 0..<plan.speakers { try await crew.speak(number: number, to: target, within: Self.joinTime) }
    try await crew.speakersHear(within: Self.joinTime)
    try await Task.sleep(for: Self.settling)
    // The speakers' cost is not part of the listeners' share.
    let alone = try await window(crew, seconds: min(5, plan.seconds), "speakers only")

    try await join(crew)
    try await Task.sleep(for: Self.settling)
    let all = try await window(crew, seconds: plan.seconds, "all participants")
    return VoiceResult(plan, kind, alone: alone, all: all, heard: await crew.heard())
  }

  private func join(_ crew: VoiceCrew) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...plan.listeners {
        if number > plan.joinsAtOnce {
          try await group.next()
          progress.now("\(kind): \(number - plan.joinsAtOnce) of \(plan.listeners) listeners receive audio")
        }
        group.addTask { try await crew.listen(number: number, to: target, within: Self.joinTime) }
      }
      try await group.waitForAll()
    }
  }

  private func window(_ crew: VoiceCrew, seconds: Double, _ who: String) async throws -> (VoiceMoment, VoiceMoment) {
    let start = try await VoiceMoment(crew, server: server)
    let end = start.clock + .seconds(seconds)
    while ContinuousClock.now < end {
      try await Task.sleep(until: min(end, .now + .seconds(1)), clock: .continuous)
      guard progress.isWanted else { continue }
      let now = try await VoiceMoment(crew, server: server)
      let passed = (now.clock - start.clock) / .seconds(1)
      let cpu = now.cpuPercent(since: start).map { String(format: ", %.1f %% of a core", $0) } ?? ""
      progress.now("\(kind), \(who): \(Int(passed.rounded())) of \(Int(seconds)) s\(cpu)")
    }
    return (start, try await VoiceMoment(crew, server: server))
  }
}

/// All counters, read at approximately the same time.
struct VoiceMoment: Sendable {
  var clock: ContinuousClock.Instant
  var counts: PacketCounts
  var server: ProcessUsage?
  var machine: MachineUsage
  var botsCPU: Int64
  var drops: Int

  init(_ crew: VoiceCrew, server process: Int32?) async throws {
    drops = SocketDrops.ofThisProcess()
    counts = await crew.counts()
    server = try process.map { try ProcessUsage(of: $0) }
    clock = .now
    machine = MachineUsage()
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    botsCPU = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  func seconds(since start: VoiceMoment) -> Double { (clock - start.clock) / .seconds(1) }

  /// Returns the server's CPU as a percentage of one core.
  func cpuPercent(since start: VoiceMoment) -> Double? {
    guard let now = server?.cpu, let then = start.server?.cpu else { return nil }
    return Double(now - then) / 1e7 / seconds(since: start)
  }

  /// Returns the bots' CPU as a percentage of one core.
  func botsPercent(since start: VoiceMoment) -> Double { Double(botsCPU - start.botsCPU) / 1e7 / seconds(since: start) }

  /// Returns the CPU of all other processes as a percentage of one core.
  func othersPercent(since start: VoiceMoment) -> Double? {
    guard let own = cpuPercent(since: start) else { return nil }
    let ticks = Double(machine.busy - start.machine.busy) / Double(sysconf(Int32(_SC_CLK_TCK)))
    return max(0, ticks * 100 / seconds(since: start) - own - botsPercent(since: start))
  }
}
