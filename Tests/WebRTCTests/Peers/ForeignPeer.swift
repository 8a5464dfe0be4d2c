import Foundation
import RoomPeers
import Testing

/// The peers of `loadtest/SCTPPeers` that use another project's SCTP.
enum ForeignPeer: String, CaseIterable, CustomTestStringConvertible {
  case usrsctp, aiortc

  private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
  private static let folder = root.appending(path: "loadtest/SCTPPeers")

  var testDescription: String { rawValue }

  /// Starts the peer as an echo.
  func start(local: UInt16, remote: UInt16) async throws -> Program {
    let arguments = ["\(local)", "\(remote)", "echo"]
    switch self {
    case .usrsctp: return try Program(try await Self.compiled.value, arguments)
    case .aiortc:
      let python = Self.root.appending(path: ".venv/bin/python")
      return try Program(python, [Self.folder.appending(path: "aiortc_peer.py").path] + arguments)
    }
  }

  /// Compiles the program, once.
  private static let compiled = Task {
    let program = FileManager.default.temporaryDirectory.appending(path: "usrsctp_peer-\(UUID().uuidString)")
    let source = folder.appending(path: "usrsctp_peer.c").path
    let compiler = try Program(
      "gcc", ["-std=c11", "-D_GNU_SOURCE", "-O2", source, "-o", program.path, "-lusrsctp", "-lpthread"])
    let status = try await compiler.finish(within: .seconds(60))
    if status != 0 { throw ProgramFailure(what: compiler.text) }
    return program
  }

  /// Whether this machine has what the peers need: `deploy/install-packages.sh --tests` installs it.
  static let areInstalled =
    FileManager.default.fileExists(atPath: "/usr/include/usrsctp.h")
    && FileManager.default.isExecutableFile(atPath: root.appending(path: ".venv/bin/python").path)
}
