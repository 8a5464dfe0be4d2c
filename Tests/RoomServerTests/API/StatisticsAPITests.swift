import Foundation
import RoomProtocol
import RoomSFU
import Testing

@testable import RoomServer

@Suite("REST: statistics")
struct StatisticsAPITests {
  struct Room: Decodable {
    struct Track: Decodable {
      var trackId: TrackID
      var kind: TrackKind
      var codec: String
      var muted: Bool
      var kbps: Int
      var subscriptions: Int
      var audioLevel: Int?
    }
    struct Transport: Decodable { var connected: Bool }
    struct Person: Decodable {
      var userId: UserID
      var publishing: Transport?
      var subscribing: Transport?
      var tracks: [Track]
    }
    var name: String
    var activeSpeakers: [String]
    var participants: [Person]
  }

  struct Server: Decodable {
    struct Process: Decodable {
      var cpuSeconds: Double
      var residentBytes: Int
      var cores: Int
    }
    struct Joins: Decodable {
      var accepted: Int
      var refused: Int
    }
    struct Worker: Decodable {
      var port: Int
      var cpuSeconds: Double
      var tracks: Int
    }
    var startedAt: Int64
    var at: Int64
    var rooms: Int
    var participants: Int
    var tracks: Int
    var process: Process
    var joins: Joins
    var workers: [Worker]
    var drops: [String: UInt64]
  }

  @Test("a room's statistics name its participants, their transports and their tracks")
  func room() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      _ = try await server.join("bob", grants: [.subscribe, .hidden])
      let tracks = try await alice.publish(.opus, .vp8)
      _ = try await server.api("POST", "/v1/rooms/room/tracks/\(tracks[0].trackId)/mute", json: #"{"muted":true}"#)
      let room = try await server.api("GET", "/v1/rooms/room/statistics").decoded(Room.self)
      #expect(room.name == "room")
      #expect(room.participants.map(\.userId) == ["alice", "bob"])
      let participant = try #require(room.participants.first)
      #expect(participant.tracks.map(\.trackId) == tracks.map(\.trackId))
      #expect(participant.tracks.map(\.codec) == ["opus", "vp8"])
      #expect(participant.tracks.map(\.muted) == [true, false])
      #expect(participant.tracks.map { $0.audioLevel != nil } == [true, false])
      #expect(participant.publishing?.connected == false)
      #expect(participant.subscribing == nil)
      #expect(room.participants.last?.tracks.isEmpty == true)
    }
  }

  @Test("the server's state counts rooms, joins and workers, and its processor time grows")
  func state() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      _ = try await alice.publish(.opus)
      let refused = try await server.connect()
      _ = try? await refused.join(try server.token("x", ttl: -10))
      let first = try await server.api("GET", "/v1/server").decoded(Server.self)
      #expect((first.rooms, first.participants, first.tracks) == (1, 1, 1))
      #expect((first.joins.accepted, first.joins.refused) == (1, 1))
      #expect(first.workers.map(\.port) == server.server.mediaPorts.map(Int.init))
      #expect(first.workers.map(\.tracks) == [1])
      #expect(first.process.residentBytes > 1_000_000)
      #expect(first.process.cores > 0)
      #expect(first.startedAt <= first.at)
      let second = try await server.api("GET", "/v1/server").decoded(Server.self)
      #expect(second.process.cpuSeconds > first.process.cpuSeconds)
      #expect(second.workers[0].cpuSeconds > first.workers[0].cpuSeconds)
    }
  }

  @Test(
    "statistics require an API token",
    arguments: ["/v1/rooms/room/statistics", "/v1/server", "/v1/server/history", "/v1/alarms"])
  func unauthorised(path: String) async throws {
    try await TestServer.with { server in
      _ = try await server.join("alice", grants: [.admin])
      for token in [nil, try server.token("alice", grants: [.admin]), try server.apiToken(ttl: -1)] {
        let response = try await server.request("GET", path, token: token)
        #expect(response.status == 401)
        #expect(response.error?.code == .tokenInvalid)
      }
      #expect(try await server.api("GET", path).status == 200)
    }
  }

  @Test("a room that is not open has no statistics")
  func unknownRoom() async throws {
    try await TestServer.with { server in
      let response = try await server.api("GET", "/v1/rooms/none/statistics")
      #expect(response.status == 404)
      #expect(response.error?.code == .roomNotFound)
    }
  }

  /// Returns a state `seconds` after the start, with counts that grow evenly.
  private static func state(_ seconds: Double) -> ServerState {
    var state = ServerState(
      startedAt: 0, at: Int64(seconds * 1000),
      process: .init(cpuSeconds: seconds / 4, residentBytes: 7, openFiles: 1, cores: 2), sockets: 0, resumes: 0, kicks: 0)
    var counters = WorkerCounters()
    counters.packetsSent = UInt64(seconds * 50)
    counters.bytesSent = UInt64(seconds * 50 * 1000)
    state.workers = [.init(counters, port: 1), .init(counters, port: 2)]
    state.joins.accepted = Int(seconds)
    return state
  }

  @Test("a sample contains the means of its interval")
  func sample() throws {
    let sample = try #require(ServerHistory.Sample(from: Self.state(10), to: Self.state(20)))
    #expect(sample.at == 20_000)
    #expect(abs(sample.cpu - 0.25) < 1e-9)
    #expect(abs(sample.packetsSent - 100) < 1e-9)
    #expect(abs(sample.kbpsSent - 800) < 1e-9)
    #expect(sample.joins == 10)
    #expect(ServerHistory.Sample(from: Self.state(10), to: Self.state(10)) == nil)
  }

  @Test("the history keeps an hour and drops the oldest samples")
  func history() async throws {
    let plane = try MediaPlane(.init(workers: 1))
    let ground = try ServerGround(ServerConfiguration(keys: [TestServer.key: TestServer.secret]), log: TestServer.quiet)
    let gauge = ServerGauge(directory: RoomDirectory(ground, plane: plane), plane: plane, counters: ground.counters)
    let history = ServerHistory(gauge)
    for tick in 0...(ServerHistory.capacity + 5) { await history.take(Self.state(Double(tick) * 10)) }
    let response = await history.response
    #expect(response.interval == 10)
    #expect(response.samples.count == ServerHistory.capacity)
    #expect(response.samples.first?.at == 60_000)
  }
}
