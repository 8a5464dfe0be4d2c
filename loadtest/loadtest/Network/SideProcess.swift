import Foundation
import RoomLossyLink
import Synchronization

/// A command that runs with bash on one side of a link.
final class SideProcess: Sendable {
  private let process: Mutex<Process>
  private let statuses: AsyncStream<Int32>

  /// Starts the command. Its input and output are those of this process.
  init(_ command: String, in network: NetworkNamespace, environment: [String: String] = [:]) throws {
    let (statuses, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingNewest(1))
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = network.prefix + ["bash", "-c", command]
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.terminationHandler = { process in
      continuation.yield(process.terminationStatus)
      continuation.finish()
    }
    try process.run()
    self.statuses = statuses
    self.process = Mutex(process)
  }

  /// Waits for the end of the command and returns its exit status; nil if the task is cancelled.
  func status() async -> Int32? {
    for await status in statuses { return status }
    return nil
  }

  /// Ends the command, if it runs, with SIGTERM.
  func terminate() { process.withLock { if $0.isRunning { $0.terminate() } } }
}
