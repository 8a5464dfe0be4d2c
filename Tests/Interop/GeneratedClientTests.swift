import Foundation
import RoomTestSupport
import Testing

extension RealMedia {
  /// A client generated from `api/openapi.yaml`.
  @Suite("REST: a generated client")
  struct GeneratedClientTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    @Test("creates rooms, reads their seats with types, and runs a PK of two anchors")
    func pk() async throws {
      try await withServer { server in
        let own = Self.root.appending(path: ".venv/bin/python").path
        let python = FileManager.default.isExecutableFile(atPath: own) ? own : "python3"
        let log = FileManager.default.temporaryDirectory.appending(path: "generated-\(UUID().uuidString)")
        try Data().write(to: log)
        defer { try? FileManager.default.removeItem(at: log) }
        let output = try FileHandle(forWritingTo: log)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
          python, Self.root.appending(path: "Tests/Interop/REST/generated_client.py").path, server.http(""),
          try server.apiToken(),
        ]
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        defer { if process.isRunning { process.terminate() } }
        try await eventually("the client has ended", within: .seconds(180)) { !process.isRunning }
        let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
        #expect(process.terminationStatus == 0, "\(text)")
        #expect(text.contains("all results are correct"))
        try await eventually("nothing is left") { try await server.isEmpty() }
      }
    }
  }
}
