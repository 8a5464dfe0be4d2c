import Foundation
import Testing

/// Checks a room's settings after its server was killed.
extension RealMedia {
  @Suite("Changed settings")
  struct ChangedSettingsTests {
    @Test("an acknowledged change survives kill -9")
    func killed() async throws {
      let directory = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: directory) }
      func start() async throws -> ServerProcess { try await ServerProcess(["--data", directory.path]) }

      let first = try await start()
      let room = #"{"name":"red","maxParticipants":5,"graceTime":7}"#
      #expect(try await first.api("POST", "/v1/rooms", json: room).status == 201)
      let pushes = #"{"mode":"manual","publishUrl":"rtmp://origin/live/{room}?key=secret"}"#
      let changed = try await first.api(
        "PATCH", "/v1/rooms/red",
        json: #"{"audience":"voice","emptyTimeout":600,"maxParticipants":null,"requestTimeout":9,"push":\#(pushes)}"#)
      first.kill()
      #expect(changed.status == 200)
      for part in [
        #""audience":"voice""#, #""emptyTimeout":600"#, #""maxParticipants":1000"#, #""graceTime":7"#, #""requestTimeout":9"#,
      ] {
        #expect(changed.body.contains(part))
      }

      let second = try await start()
      let restored = try await second.api("GET", "/v1/rooms/red")
      #expect(restored.status == 200)
      // The play URLs name the ports, which differ.
      let stays = /"play":\{[^}]*\},?/
      #expect(restored.body.replacing(stays, with: "") == changed.body.replacing(stays, with: ""))
    }
  }
}
