import Foundation

/// One run of a scenario: the play, what is measured beside it, and how it is told while it goes on.
struct ScenarioRun: Sendable {
  let scenario: Scenario
  let stage: Stage
  /// As the report names it.
  let server: String
  /// Nil tells nothing while it goes on.
  let status: StatusReport?

  /// Plays, to the end or until `stopped` returns; what goes wrong is in the report.
  func perform(until stopped: @escaping @Sendable () async -> Void) async -> RunReport {
    let startedAt = Date()
    let aborted = await withTaskGroup(of: String?.self) { group in
      group.addTask {
        do {
          try await scenario.play.type.init(scenario.values).perform(on: stage)
          return nil
        } catch { return Task.isCancelled ? "stopped" : "\(error)" }
      }
      group.addTask {
        await stopped()
        return "stopped"
      }
      group.addTask {
        await MachineSampler(stage: stage, isLocal: stage.isLocal).run()
        return "stopped"
      }
      group.addTask {
        await tell()
        return "stopped"
      }
      let first = await group.next() ?? nil
      group.cancelAll()
      return first
    }
    return RunReport(scenario, stage.recorder, server: server, startedAt: startedAt, aborted: aborted)
  }

  /// A table that is renewed on a terminal, a line now and then elsewhere; until the task is cancelled.
  private func tell() async {
    guard let status else { return await forever() }
    status.line("\(scenario.name): \(scenario.about)")
    let interval = status.isTerminal ? 1.0 : 5.0
    while (try? await Task.sleep(for: .seconds(interval))) != nil {
      let report = RunReport(scenario, stage.recorder, server: server, startedAt: Date(), aborted: nil)
      let phase = stage.recorder.contents.phase
      status.update(status.isTerminal ? RunTable.live(report, phase) : [RunTable.line(report, phase)])
    }
    status.finish()
  }

  private func forever() async { while (try? await Task.sleep(for: .seconds(3600))) != nil {} }
}
