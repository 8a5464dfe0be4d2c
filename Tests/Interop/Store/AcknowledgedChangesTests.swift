import Foundation
import RoomClient
import RoomProtocol
import RoomTestSupport
import Synchronization
import Testing

/// Kills a server immediately after its response and restarts it with its data directory.
extension RealMedia {
  @Suite("Acknowledged changes")
  struct AcknowledgedChangesTests {
    private static let all: Grants = [.publish, .subscribe, .admin, .relay]

    /// A change, and a check whether a server has stored it.
    private struct Change: Sendable {
      var name: String
      var make: @Sendable () async throws -> Void
      var isKnown: @Sendable (ServerProcess, RoomSnapshot) async throws -> Bool
    }

    /// Two rooms in a PK, with their hosts, a participant to kick and a job to stop.
    private struct Scene: Sendable {
      let server: ServerProcess
      let red: Room
      let blue: Room
      let eve: Room
      let token: String

      init(_ server: ServerProcess) async throws {
        self.server = server
        for room in ["red", "blue", "old"] {
          try Self.check(try await server.api("POST", "/v1/rooms", json: #"{"name":"\#(room)"}"#))
        }
        var options = RoomOptions()
        options.reconnect = .never
        red = try await Room.connect(
          to: server.url, token: try server.token(user: "ann", room: "red", grants: all), options: options)
        blue = try await Room.connect(
          to: server.url, token: try server.token(user: "bob", room: "blue", grants: all), options: options)
        token = try server.token(user: "eve", room: "red")
        eve = try await Room.connect(to: server.url, token: token, options: options)
        try await red.jobs.start(ForwardParams(jobId: "old", publishUrl: "rtmp://origin/live/red"))
        let invited = try await red.pk.invite(in: "blue")
        let (a, b) = (red, blue)
        try await eventually("blue receives the invitation") { !b.pk.invitations.isEmpty }
        try await blue.pk.accept(invited.pkId)
        try await eventually("the PK has started") { a.pk.current != nil && b.pk.current != nil }
      }

      static func check(_ answer: (status: Int, body: String)) throws {
        guard answer.status < 300 else { throw DidNotHappen(what: "\(answer.status) \(answer.body)") }
      }

      func api(_ method: String, _ path: String, _ json: String? = nil) async throws {
        try Self.check(try await server.api(method, path, json: json))
      }

      func changes(_ round: Int) -> [Change] {
        [
          Change(name: "room created") {
            try await api("POST", "/v1/rooms", #"{"name":"new"}"#)
          } isKnown: { server, _ in
            try await server.api("GET", "/v1/rooms/new").status == 200
          },
          Change(name: "room closed") {
            try await api("DELETE", "/v1/rooms/old")
          } isKnown: { server, _ in
            try await server.api("GET", "/v1/rooms/old").status == 404
          },
          Change(name: "kick") {
            try await api("DELETE", "/v1/rooms/red/participants/eve")
          } isKnown: { server, _ in
            do { _ = try await Room.connect(to: server.url, token: token) } catch { return true }
            return false
          },
          Change(name: "attribute") {
            try await red.attributes.set(["signalling": "\(round)"])
          } isKnown: { _, room in
            room.attributes["signalling"] == "\(round)"
          },
          Change(name: "attribute over REST") {
            try await api("POST", "/v1/rooms/red/calls/setAttributes", #"{"set":{"rest":"\#(round)"}}"#)
          } isKnown: { _, room in
            room.attributes["rest"] == "\(round)"
          },
          Change(name: "seat") {
            try await red.seats.set(1, locked: true)
          } isKnown: { _, room in
            room.seats[1].locked
          },
          Change(name: "message") {
            try await red.messages.send("hello \(round)")
          } isKnown: { _, room in
            room.messages.contains { $0.text == "hello \(round)" }
          },
          Change(name: "PK score") {
            try await red.pk.setScore(round + 1)
          } isKnown: { _, room in
            room.pk?.score == round + 1
          },
          Change(name: "job begun") {
            try await api(
              "POST", "/v1/rooms/red/jobs", #"{"jobId":"new","publishUrl":"rtmp://origin/live/new","userId":"ann"}"#)
          } isKnown: { _, room in
            room.jobs.contains { $0.jobId == "new" }
          },
          Change(name: "job stopped") {
            try await red.jobs.stop("old")
          } isKnown: { _, room in
            !room.jobs.contains { $0.jobId == "old" }
          },
        ]
      }
    }

    @Test("none of 100 changes is lost if the server is killed right after its responses", .timeLimit(.minutes(4)))
    func kills() async throws {
      var lost: [String] = []
      for round in 0..<10 {
        let data = FileManager.default.temporaryDirectory.appending(path: "data-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: data) }
        let first = try await ServerProcess(["--data", data, "--workers", "1"])
        var changes: [Change] = []
        do {
          let scene = try await Scene(first)
          changes = scene.changes(round)
          // All concurrently except one, whose response is the server's last action.
          let last = changes[round]
          try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (index, change) in changes.enumerated() where index != round { tasks.addTask { try await change.make() } }
            try await tasks.waitForAll()
          }
          try await last.make()
          first.kill()
        }
        let second = try await ServerProcess(["--data", data, "--workers", "1"])
        let answer = try await second.api("GET", "/v1/rooms/red/state")
        let room = try JSONDecoder().decode(RoomSnapshot.self, from: Data(answer.body.utf8))
        for change in changes where try await !change.isKnown(second, room) { lost.append("\(change.name), kill \(round)") }
        second.kill()
      }
      #expect(lost.isEmpty)
    }
  }
}
