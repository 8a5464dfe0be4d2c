import Foundation
import RoomLossyLink

/// One measurement of one scenario on one server.
struct NetworkRun: Sendable {
  let command: Network
  let scenario: NetworkScenario
  let subject: NetworkSubject
  let progress: ProgressLine

  private var seconds: Double { command.seconds ?? scenario.seconds }

  /// Runs the measurement, including the cleanup.
  func measure() async throws -> NetworkResult {
    progress.now("\(subject): starting")
    let bed = try NetworkBed(scenario.schedule, seed: command.seed)
    defer { bed.link.stop() }
    let figures: [NetworkFigure: Double]
    switch scenario.play {
    case .meeting(let people):
      let server = try await StartedServers.roomserver(
        program: command.roomserver ?? StartOptions.beside("roomserver"), arguments: command.roomserverArgument,
        address: NetworkBed.address)
      figures = try await running {
        try await MeetingRun(people: people, seconds: seconds, bed: bed, scenario: scenario, progress: progress).measure(server)
      } end: {
        await server.process.stop()
      }
    case .watch, .publish: throw LoadtestError.system("\(scenario.name) needs a browser")
    }
    let isTrustworthy = (figures[.lateness] ?? .infinity) <= LinkReport.latenessLimit
    return NetworkResult(
      subject, seconds: seconds, figures: figures, limits: scenario.limits, isTrustworthy: isTrustworthy)
  }
}
