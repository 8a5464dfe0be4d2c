import RoomLossyLink
import RoomProtocol

/// A PK of two anchors near the server, and their audience behind the link: the bots of `loadtest run audience`.
struct PKRun: Sendable {
  private static let patience = Duration.seconds(15)

  let audience: Int
  let seconds: Double
  let bed: NetworkBed
  let scenario: NetworkScenario
  let progress: ProgressLine

  func measure(_ server: StartedServers.Roomserver) async throws -> [NetworkFigure: Double] {
    let recorder = Recorder()
    let stage = try Stage(
      signalling: server.address.signalling, rtmpPort: server.rtmpPort, tokens: server.address.tokens, network: nil,
      recorder: recorder)
    let pair = try await PKBattle(ParameterValues(PKBattle.parameters + Parameter.common)).group(0, stage)
    return try await running {
      try await pair.begin(inviter: 0)
      try await everybodySees(pair, recorder)
      let run = MeetingRun(
        bots: "audience --people \(audience)", subscriptions: 2 * audience, seconds: seconds, bed: bed, scenario: scenario,
        progress: progress)
      var figures = try await run.measure(server)
      figures[.publisherLateness] = recorder.contents.series.first { $0.figure == .botsLate }?.values.quantile(0.95)
      return figures
    } end: {
      pair.stop()
      for anchor in pair.anchors { await anchor.leave() }
    }
  }

  /// Waits until each anchor receives the other.
  private func everybodySees(_ pair: PKGroup, _ recorder: Recorder) async throws {
    let end = ContinuousClock.now + Self.patience
    while !pair.anchors.allSatisfy({ $0.room.pk.current != nil && $0.room.remoteTracks.count >= 2 }) {
      guard ContinuousClock.now < end else {
        throw LoadtestError.noMedia("the PK did not start: \(recorder.contents.failures.joined(separator: "; "))")
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }
}
