import Foundation
import RoomLossyLink

/// One measurement of one scenario on one server.
struct NetworkRun: Sendable {
  let command: Network
  let scenario: NetworkScenario
  let subject: NetworkSubject
  let layers: [RecordedMedia]
  let progress: ProgressLine

  private var seconds: Double {
    if scenario.play == .change { return LayerChangePlan.longest(command.switches) }
    return command.seconds ?? scenario.seconds
  }

  /// Runs the measurement, including the cleanup. A run that breaks off has a result that says why.
  func measure() async throws -> NetworkResult {
    do { return try await result() } catch {
      try Task.checkCancellation()
      return NetworkResult(subject, failed: "\(error)")
    }
  }

  private func result() async throws -> NetworkResult {
    progress.now("\(subject): starting")
    let bed = try NetworkBed(scenario.joining, seed: command.seed)
    defer { bed.link.stop() }
    let figures =
      switch subject.server {
      case .roomserver: try await measureRoomserver(bed)
      case .janus, .janusApp:
        try await watch(
          bed,
          .janus(
            await StartedServers.janus(program: command.janus, address: NetworkBed.address, plugin: JanusTarget.plugin),
            adapts: subject.server == .janusApp))
      case .pion: try await watch(bed, .pion(await PionTarget.start(program: command.pion, address: NetworkBed.address)))
      }
    return NetworkResult(subject, seconds: seconds, figures: figures, limits: scenario.limits)
  }

  private func measureRoomserver(_ bed: NetworkBed) async throws -> [NetworkFigure: Double] {
    let server = try await StartedServers.roomserver(
      program: command.roomserver ?? StartOptions.beside("roomserver"), arguments: command.roomserverArgument,
      address: NetworkBed.address)
    switch scenario.play {
    case .watch, .change: return try await watch(bed, .roomserver(server))
    case .publish:
      let run = watching(bed)
      return try await running {
        try await run.measure(.roomserver(server)) { try await run.publishFromFar(to: server) }
      } end: {
        await server.process.stop()
      }
    case .meeting(let people, let layers, _):
      let run = MeetingRun(
        bots: "meeting --people \(people) --sample \(people) --layers \(layers) --kbps \(MeetingRun.kbps)",
        subscriptions: people * (people - 1) * 2,
        seconds: seconds, bed: bed, scenario: scenario, progress: progress)
      return try await running {
        try await run.measure(server)
      } end: {
        await server.process.stop()
      }
    case .pk(let audience):
      let run = PKRun(audience: audience, seconds: seconds, bed: bed, scenario: scenario, progress: progress)
      return try await running {
        try await run.measure(server)
      } end: {
        await server.process.stop()
      }
    }
  }

  private func watch(_ bed: NetworkBed, _ server: WatchedServer) async throws -> [NetworkFigure: Double] {
    let run = watching(bed)
    return try await running {
      try await run.measure(server) { try await run.publishRecording(to: server) }
    } end: {
      await server.stop()
    }
  }

  private func watching(_ bed: NetworkBed) -> WatchRun {
    let changes = LayerChangePlan(count: command.switches, seed: command.seed)
    return WatchRun(
      scenario: scenario, seconds: seconds, bed: bed, layers: layers, changes: scenario.play == .change ? changes : nil,
      file: command.samples, progress: progress)
  }
}
