import Foundation
import RoomTestSupport
import Testing

/// Runs commands with loadtest/own-network.sh.
enum OwnNetwork {
  static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../../../loadtest/own-network.sh"
  ).standardizedFileURL

  /// Whether the kernel and the user permit a network namespace.
  static var isAvailable: Bool {
    let process = Process()
    process.executableURL = script
    process.arguments = ["true"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// Runs a program until it exits and returns its output.
  static func run(_ arguments: [String]) async throws -> Data {
    let process = Process()
    process.executableURL = script
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let reading = Task.detached { output.fileHandleForReading.readDataToEndOfFile() }
    try await eventually("\(arguments[0]) ends", within: .seconds(60)) { !process.isRunning }
    return await reading.value
  }
}
