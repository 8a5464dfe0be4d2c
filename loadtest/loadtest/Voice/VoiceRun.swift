import Foundation
import RoomRTP
import RoomWebRTC

/// One measurement of one server: speakers, then listeners, with a window for each.
struct VoiceRun: Sendable {
  private static let joinTime = 20.0

  let plan: VoicePlan
  let tones: SpokenTones
  let kind: VoiceServerKind
  let server: MeasuredServer<any VoiceTarget>
  let progress: ProgressLine
  /// Delay between the last join and a window.
  var settling = Duration.seconds(2)

  /// Runs the measurement, including the cleanup.
  func measure() async throws -> VoiceResult {
    let crew = try VoiceCrew(plan: plan, tones: tones)
    return try await running {
      try await measure(crew)
    } end: {
      await crew.leave()
    }
  }

  private func measure(_ crew: VoiceCrew) async throws -> VoiceResult {
    let target = server.target
    progress.now("\(kind): \(plan.speakers) speakers are joining")
    try await target.open(plan.speakerNames)
    for number in 0..<plan.speakers { try await crew.speak(number: number, to: target, within: Self.joinTime) }
    try await crew.speakersHear(within: Self.joinTime)
    try await Task.sleep(for: settling)
    // The speakers' cost is not part of the listeners' share.
    let alone = try await window(crew, seconds: min(5, plan.seconds), "speakers only")

    try await joinInTurn(plan.listeners, atOnce: plan.joinsAtOnce) { joined in
      progress.now("\(kind): \(joined) of \(plan.listeners) listeners receive audio")
    } _: { number in
      try await crew.listen(number: number, to: target, within: Self.joinTime)
    }
    try await Task.sleep(for: settling)
    let all = try await window(crew, seconds: plan.seconds, "all participants")
    return VoiceResult(plan, kind, alone: alone, all: all, heard: await crew.heard())
  }

  private func window(_ crew: VoiceCrew, seconds: Double, _ who: String) async throws -> Window<PacketCounts> {
    try await Meter(server: server.pid) { await crew.counts() }.window(seconds: seconds) { window in
      let cpu = window.serverPercent.map { String(format: ", %.1f %% of a core", $0) } ?? ""
      progress.now("\(kind), \(who): \(window.progress(of: seconds))\(cpu)")
    }
  }
}
