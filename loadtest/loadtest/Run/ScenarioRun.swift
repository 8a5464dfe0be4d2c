import Foundation

/// One run of a scenario: performs it, samples the machine and reports progress.
struct ScenarioRun: Sendable {
  let scenario: Scenario
  let stage: Stage
  /// The server's name in the report.
  let server: String
  /// Nil disables progress output.
  let status: StatusReport?

  /// Runs the scenario until it ends or `stopped` returns. Errors are recorded in the report.
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

  /// Prints a table that is updated in place on a terminal, and occasional lines elsewhere, until the task is cancelled.
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
