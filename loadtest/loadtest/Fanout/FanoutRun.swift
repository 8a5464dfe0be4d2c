import Foundation
import RoomRTP
import RoomWebRTC

/// One measurement of one server: publishers, then subscribers, then a steady window.
struct FanoutRun: Sendable {
  private static let joinTime = 15.0

  let plan: FanoutPlan
  let media: RecordedMedia
  let kind: TargetKind
  let server: MeasuredServer<any FanoutTarget>
  let progress: ProgressLine
  /// Delay between the last join and the window, in which key frames and handshakes complete and rates settle.
  var settling = Duration.seconds(2)

  /// Runs the measurement, including the cleanup.
  func measure() async throws -> FanoutResult {
    let crew = try FanoutCrew(plan: plan, media: media)
    return try await running {
      try await measure(crew)
    } end: {
      await crew.leave()
    }
  }

  private func measure(_ crew: FanoutCrew) async throws -> FanoutResult {
    let target = server.target
    progress.now("\(kind): the publisher is joining")
    try await target.open()
    for number in 1...plan.publishers { try await crew.publish(number: number, to: target, within: Self.joinTime) }
    // The server's memory for a room with its publisher is not part of its subscribers' memory.
    try await Task.sleep(for: settling / 2)
    let alone = try server.pid.map { try ProcessUsage(of: $0) }

    try await joinInTurn(plan.subscribers, atOnce: plan.joinsAtOnce) { joined in
      progress.now("\(kind): \(joined) of \(plan.subscribers) subscribers have media")
    } _: { number in
      try await crew.subscribe(number: number, to: target, within: Self.joinTime)
    }
    progress.now("\(kind): all \(plan.subscribers) subscribers have media")
    try await Task.sleep(for: settling)

    let meter = Meter(server: server.pid, metrics: server.metrics) { await crew.counts() }
    let window = try await meter.window(seconds: plan.seconds, everySecond: report)
    return FanoutResult(plan, kind, alone, window, joins: await crew.joins)
  }

  private func report(_ window: Window<PacketCounts>) {
    let packets = window.last.counts.received - window.first.counts.received
    var text = "\(kind): \(window.progress(of: plan.seconds)), \(Int(Double(packets) / window.seconds)) packets/s"
    if let cpu = window.serverTime, packets > 0 { text += String(format: ", %.2f µs/packet", cpu / 1000 / Double(packets)) }
    progress.now(text + ", \(window.last.counts.lost - window.first.counts.lost) lost")
  }
}
