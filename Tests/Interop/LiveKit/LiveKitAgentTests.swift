import Foundation
import RoomProtocol
import RoomTestSupport
import RoomToken
import Testing

extension RealMedia {
  @Suite("LiveKit's agents, unmodified", .enabled(if: LiveKitWorker.isInstalled))
  struct LiveKitAgentTests {
    private func agent(heardBy participant: Participant, _ frequency: Double) -> UserID? {
      participant.room.participants.map(\.userId).first { participant.sound(of: $0).hears(frequency) }
    }

    private func metric(_ server: TestServer, _ name: String) async throws -> Int {
      try await server.metric("roomserver_agent_\(name)")
    }

    @Test("an agent comes into each room and plays; a killed worker's job goes to another; the room's end ends it")
    func automatic() async throws {
      try await withServer(grace: .seconds(2)) { server in
        let admin = LiveKitAdmin(server: server)
        let first = try LiveKitWorker(server.url, hertz: 440)
        try await first.registers()
        let ann = try await Participant.join(server, as: "ann")
        try await eventually("ann hears the agent") { agent(heardBy: ann, 440) != nil }
        let user = try #require(agent(heardBy: ann, 440))
        let info = try await admin.call("get_participant", #"{"room": "demo", "identity": "\#(user)"}"#)
        #expect(info["kind"] as? String == "AGENT", "\(info)")

        let second = try LiveKitWorker(server.url, hertz: 880)
        try await second.registers()
        first.kill()
        try await eventually("ann hears the agent of the other worker") {
          agent(heardBy: ann, 880) != nil
        }
        try await eventually("ann no longer hears the first one") { agent(heardBy: ann, 440) == nil }
        #expect(try await metric(server, "restarts_total") == 1)
        #expect(try await metric(server, "workers") == 1)

        // The agent does not keep the room open.
        await ann.leave()
        try await eventually("the job has ended, and the room is closed") {
          let ended = try await metric(server, #"jobs_ended_total{outcome="success"}"#)
          let rooms = try await server.metric("roomserver_rooms")
          return ended == 1 && rooms == 0
        }
        #expect(try await metric(server, #"jobs{state="running"}"#) == 0)
      }
    }

    @Test(
      "a named agent joins a room when the server API asks, and when a token that opens the room names it",
      arguments: LiveKitAdmin.Form.allCases)
    func named(form: LiveKitAdmin.Form) async throws {
      try await withServer(grace: .seconds(2)) { server in
        let admin = LiveKitAdmin(server: server, form: form)
        let worker = try LiveKitWorker(server.url, name: "helper", hertz: 660)
        try await worker.registers()
        let ann = try await Participant.join(server, as: "ann")
        let created = try await admin.call(
          "create_dispatch", #"{"room": "demo", "agent_name": "helper", "metadata": "hello"}"#)
        let id = try #require(created["id"] as? String)
        #expect(created["agentName"] as? String == "helper" && created["metadata"] as? String == "hello", "\(created)")
        try await eventually("ann hears the agent") { agent(heardBy: ann, 660) != nil }
        let listed = try await admin.list("list_dispatch", "agentDispatches", #"{"room": "demo"}"#)
        let jobs = (listed.first?["state"] as? [String: Any])?["jobs"] as? [[String: Any]]
        let state = jobs?.first?["state"] as? [String: Any]
        #expect(
          listed.count == 1 && listed[0]["id"] as? String == id && state?["status"] as? String == "JS_RUNNING", "\(listed)")
        let deleted = try await admin.call("delete_dispatch", #"{"room": "demo", "dispatch_id": "\#(id)"}"#)
        #expect(deleted["id"] as? String == id, "\(deleted)")
        try await eventually("the agent has left") {
          ann.room.participants.allSatisfy { $0.userId == "ann" }
        }
        #expect(try await admin.list("list_dispatch", "agentDispatches", #"{"room": "demo"}"#).isEmpty)

        let token = try server.liveKitToken("bob", room: "other") { $0.agents = [RoomAgent(name: "helper")] }
        let bob = try LiveKitPeer(server.http("").replacing("http:", with: "ws:"), token: token)
        try await bob.reaches("bob hears the agent") { state in
          state.others.values.contains { ($0.track("KIND_AUDIO")?.energy ?? 0) > 1000 }
        }
      }
    }

    @Test("after a kill of the server an agent returns and continues its job") func killedServer() async throws {
      let data = FileManager.default.temporaryDirectory.appending(path: "agents-\(UUID().uuidString)").path
      defer { try? FileManager.default.removeItem(atPath: data) }
      let first = try await ServerProcess(["--data", data, "--workers", "1"])
      let worker = try LiveKitWorker(first.url, name: "helper", hertz: 440)
      try await worker.registers()
      let ann = try await Participant.join(first, room: "demo", as: "ann")
      try await LiveKitAdmin(server: first).call("create_dispatch", #"{"room": "demo", "agent_name": "helper"}"#)
      try await eventually("ann hears the agent") { agent(heardBy: ann, 440) != nil }
      let user = agent(heardBy: ann, 440)
      first.kill()
      let second = try await ServerProcess(["--data", data, "--workers", "1"], port: first.port)
      try await eventually("ann no longer hears it, for a moment") { agent(heardBy: ann, 440) == nil }
      try await eventually("ann hears the agent again", within: .seconds(60)) { agent(heardBy: ann, 440) != nil }
      #expect(agent(heardBy: ann, 440) == user)
      #expect(ann.room.participants.count { $0.kind == .agent } == 1)
      try await eventually("the worker has its job again") {
        let metrics = try await second.api("GET", "/metrics").body
        return metrics.contains(#"roomserver_agent_jobs{state="running"} 1"#)
      }
      #expect(try await second.api("GET", "/metrics").body.contains("roomserver_agent_restarts_total 0"))
    }
  }
}

/// A worker by LiveKit's framework in a process of its own (`livekit_agent.py`).
private final class LiveKitWorker: Sendable {
  private static let python = LiveKitPeer.root.appending(path: ".venv-agents/bin/python").path

  /// Whether the environment that `deploy/agent-requirements.txt` describes is there.
  static let isInstalled = FileManager.default.isExecutableFile(atPath: python)

  private let process: Process
  private let output: FileHandle

  /// - Parameters:
  ///   - url: of this server's signalling.
  ///   - name: empty for a worker whose agents come into every room.
  init(_ url: String, name: String = "", hertz: Int) throws {
    process = Process()
    process.executableURL = URL(filePath: Self.python)
    process.arguments = [
      LiveKitPeer.root.appending(path: "Tests/Interop/LiveKit/livekit_agent.py").path,
      url.replacing("/v1/signal", with: ""), TestServer.key, TestServer.secret, name, "\(hertz)",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    output = pipe.fileHandleForReading
    try process.run()
  }

  deinit { kill() }

  /// Waits until the server has registered it.
  func registers() async throws {
    let line = Task.detached { [output] in String(decoding: output.availableData, as: UTF8.self) }
    #expect(await line.value.hasPrefix("registered"))
  }

  /// Kills it at once. Its job processes notice that by themselves.
  func kill() { if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) } }
}
