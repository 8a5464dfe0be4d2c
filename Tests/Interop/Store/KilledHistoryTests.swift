import Foundation
import RoomClient
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The history of a killed server")
  struct KilledHistoryTests {
    private struct Events: Decodable {
      struct Event: Decodable, Hashable {
        var id: Int64
        var time: Int64
        var kind: String
      }
      var events: [Event]
    }

    private struct Sessions: Decodable {
      struct Session: Decodable {
        var user: String
        var joinedAt: Int64
        var leftAt: Int64?
        var reason: String?
      }
      var sessions: [Session]
    }

    private struct Lives: Decodable {
      struct Live: Decodable {
        var job: String
        var startedAt: Int64
      }
      var lives: [Live]
    }

    private func get<Answer: Decodable>(_ rows: String, _ server: ServerProcess) async throws -> Answer {
      let answer = try await server.api("GET", "/v1/history/\(rows)")
      #expect(answer.status == 200)
      return try JSONDecoder().decode(Answer.self, from: Data(answer.body.utf8))
    }

    @Test("a server that is killed during a live loses no answered row, and ends the session of a user that does not return")
    func kill() async throws {
      let data = FileManager.default.temporaryDirectory.appending(path: "data-\(UUID().uuidString)").path
      defer { try? FileManager.default.removeItem(atPath: data) }
      let first = try await ServerProcess(["--data", data, "--workers", "1"])
      var options = RoomOptions()
      options.reconnect = .never
      let room = try await Room.connect(
        to: first.url, token: try first.token(user: "ann", room: "red", grants: [.publish, .subscribe, .admin, .relay]),
        options: options)
      try await room.jobs.start(ForwardParams(jobId: "show", publishUrl: "rtmp://origin/live/red"))
      let known = try await eventually("the live is recorded") {
        let known: Events = try await get("events", first)
        return known.events.contains { $0.kind == "jobStarted" } ? known.events : nil
      }
      let started: Lives = try await get("lives", first)
      first.kill()

      let restart = Int64(Date().timeIntervalSince1970 * 1000)
      let second = try await ServerProcess(["--data", data, "--workers", "1"])
      let events: Events = try await get("events", second)
      #expect(Set(known).subtracting(events.events).isEmpty)
      #expect(!events.events.contains { $0.kind == "serverStopped" })
      let lives: Lives = try await get("lives", second)
      #expect(lives.lives.map(\.startedAt) == started.lives.map(\.startedAt) && lives.lives.map(\.job) == ["show"])
      let session = try await eventually("the session ends", within: .seconds(120)) {
        let sessions: Sessions = try await get("sessions?user=ann", second)
        return sessions.sessions.first { $0.leftAt != nil }
      }
      let left = try #require(session.leftAt)
      #expect(left >= known.map(\.time).max() ?? 0 && left <= restart)
      #expect(session.reason == "serverCrashed")
      second.kill()
    }
  }
}
