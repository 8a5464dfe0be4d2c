import Foundation
import RoomLiveKitProtocol
import RoomPeers
import RoomProtocol
import RoomTestSupport
import RoomToken
import Testing

@testable import RoomLiveKitServer
@testable import RoomServer

@Suite("Agents of a cluster", .serialized, .enabled(if: RedisServer.isInstalled))
struct ClusterAgentsTests {
  /// Says something as a worker.
  private func say(_ content: LiveKit.WorkerMessage.Content, _ worker: SignalClient) {
    worker.send(Frame(opcode: 2, payload: LiveKit.WorkerMessage { $0.message = content }.protobuf))
  }

  private func heard(_ worker: SignalClient) -> [LiveKit.ServerMessage.Content] {
    worker.takeBinaries().compactMap { (try? LiveKit.ServerMessage(protobuf: $0))?.message }
  }

  @Test("a worker of one node gets the jobs of rooms of every node, once each, and the ends of the jobs")
  func everyNode() async throws {
    try await ClusterServers.with(3) { cluster in
      var token = LiveKitToken(key: TestServer.key, identity: nil, expires: Date(timeIntervalSinceNow: 600))
      token.grants.agent = true
      let worker = try await SignalClient.connect(
        port: cluster[1].server.port, path: "/agent?access_token=\(try cluster[1].keys.sign(token))")
      say(.register(LiveKit.RegisterWorkerRequest { $0.type = .room }), worker)
      for server in cluster.servers {
        try await eventually("the worker is known at each node") { try await workers(server) == 1 }
      }
      var registrations = heard(worker).count { if case .register = $0 { true } else { false } }
      let rooms = (0..<9).map { "room\($0)" }
      for (number, room) in rooms.enumerated() {
        #expect(try await cluster[number % 3].api("POST", "/v1/rooms", json: #"{"name":"\#(room)"}"#).status == 201)
      }
      var (assigned, ended): ([String], Set<String>) = ([], [])
      var jobs: [String: String] = [:]
      func listen() {
        for content in heard(worker) {
          switch content {
          case .availability(let request):
            say(
              .availability(
                LiveKit.AvailabilityResponse { ($0.jobID, $0.available) = (request.job?.id ?? "", true) }), worker)
          case .assignment(let assignment):
            assigned.append(assignment.job?.room?.name ?? "")
            jobs[assignment.job?.id ?? ""] = assignment.job?.room?.name
          case .termination(let termination): ended.insert(jobs[termination.jobID] ?? "")
          case .register: registrations += 1
          case .pong: break
          }
        }
      }
      try await eventually("each room has its agent") {
        listen()
        return assigned.count >= rooms.count
      }
      #expect(assigned.sorted() == rooms && registrations == 1)
      for room in rooms { #expect(try await cluster[0].api("DELETE", "/v1/rooms/\(room)").status == 204) }
      try await eventually("each job ends with its room") {
        listen()
        return ended == Set(rooms)
      }
      worker.kill()
      for server in cluster.servers {
        try await eventually("the worker is gone at each node") { try await workers(server) == 0 }
      }
    }
  }

  /// The workers that a server knows.
  private func workers(_ server: TestServer) async throws -> Int {
    let text = await server.server.metricsText()
    return text.split(separator: "\n").filter { $0.hasPrefix("roomserver_agent_workers") }
      .compactMap { Int($0.split(separator: " ").last ?? "") }.reduce(0, +)
  }
}
