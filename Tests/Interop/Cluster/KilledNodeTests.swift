import Foundation
import RoomClient
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  /// Servers of a cluster in processes, with a Redis on this machine.
  @Suite("Nodes and Redis that end", .enabled(if: RedisServer.isInstalled && NginxRTMP.isInstalled))
  struct KilledNodeTests {
    /// The time in which rooms and clients return.
    private static let limit = Duration.seconds(5)

    /// Returns the bitrate of a job of room "room", as any node tells it; kbit/s.
    private static func rate(of job: JobID, at server: ServerProcess) async throws -> Int {
      struct Jobs: Decodable {
        struct Job: Decodable { var status: JobStatusData? }
        var jobs: [Job]
      }
      let answer = try await server.api("GET", "/v1/rooms/room/jobs")
      guard answer.status == 200 else { return 0 }
      let jobs = try JSONDecoder().decode(Jobs.self, from: Data(answer.body.utf8)).jobs
      return jobs.compactMap(\.status).first { $0.jobId == job }?.kbps ?? 0
    }

    @Test("a node that is killed: its room, its job and its clients are at another node within 5 s", .timeLimit(.minutes(2)))
    func node() async throws {
      let redis = try await RedisServer()
      let cluster = try await ClusterProcesses(
        3, on: "redis://127.0.0.1:\(redis.port)", ["--relay-target", "127.0.0.1"])
      #expect(try await cluster.servers[0].api("POST", "/v1/rooms", json: #"{"name":"room"}"#).status == 201)
      let owner = try #require(try await cluster.owner(of: "room"))
      let other = cluster.others(than: owner)[0]
      let pair = try await Pair(other, room: "room")
      // Joined by another node, and redirected.
      #expect(pair.alice.room.participants.count == 1)
      let target = try await NginxRTMP()
      let job = #"{"jobId":"live","userId":"alice","publishUrl":"rtmp://127.0.0.1:\#(target.port)/live/room"}"#
      #expect(try await other.api("POST", "/v1/rooms/room/jobs", json: job).status == 201)
      try await eventually("the job sends") { try await Self.rate(of: "live", at: other) > 0 }
      owner.kill()
      let begin = ContinuousClock.now
      let next = try await eventually("another node owns the room", within: Self.limit) { try await cluster.owner(of: "room") }
      let claimed = ContinuousClock.now - begin
      try await eventually("both clients are back") { pair.isTogether }
      let back = ContinuousClock.now - begin
      try await pair.continues()
      let seen = ContinuousClock.now - begin
      try await eventually("the job sends from the next node") { try await Self.rate(of: "live", at: other) > 0 }
      print("room after \(claimed), clients after \(back), pictures after \(seen)")
      #expect(back < Self.limit + .seconds(1))
      #expect(next !== owner)
      await pair.leave()
    }

    @Test("Redis is killed and restarted while media flows: nobody notices; no room is made meanwhile", .timeLimit(.minutes(2)))
    func redis() async throws {
      let redis = try await RedisServer(["appendonly": "yes"])
      let cluster = try await ClusterProcesses(2, on: "redis://127.0.0.1:\(redis.port)")
      #expect(try await cluster.servers[0].api("POST", "/v1/rooms", json: #"{"name":"room"}"#).status == 201)
      let pair = try await Pair(cluster.servers[1], room: "room")
      redis.kill()
      let begin = ContinuousClock.now
      while ContinuousClock.now - begin < .seconds(6) { try await pair.continues(5, within: .seconds(2)) }
      for server in cluster.servers {
        #expect(try await ClusterProcesses.state(of: server).promised)
        #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"new"}"#).status == 503)
      }
      try await redis.start()
      for server in cluster.servers {
        try await eventually("the leases are renewed") { try await !ClusterProcesses.state(of: server).promised }
      }
      try await pair.continues()
      #expect(pair.bob.room.state == .connected && pair.alice.room.state == .connected)
      await pair.leave()
    }

    @Test("a replica takes over from the master: media goes on, and the new master owns the leases", .timeLimit(.minutes(2)))
    func failover() async throws {
      let master = try await RedisServer()
      var replicas: [RedisServer] = []
      for _ in 0..<2 {
        replicas.append(
          try await RedisServer(["replicaof": "127.0.0.1 \(master.port)", "repl-diskless-sync-delay": "0"]))
      }
      try await eventually("the replicas follow") { try await master.replicas() == 2 }
      let sentinel = try await RedisServer.sentinel(of: master, name: "rooms")
      try await survives("redis+sentinel://127.0.0.1:\(sentinel.port)/rooms") { master.kill() }
    }

    @Test(
      "a Redis Cluster elects another master: media continues, and the new one has the leases and takes changes",
      .timeLimit(.minutes(2)), .enabled(if: RedisCluster.isInstalled))
    func redisCluster() async throws {
      let redis = try await RedisCluster()
      try await survives("redis+cluster://\(redis.hosts)") { redis.master.kill() }
    }

    /// Starts two nodes and a room with media, makes the master fail, and checks that the nodes renew their leases at another one.
    private func survives(_ store: String, _ fail: () -> Void) async throws {
      let cluster = try await ClusterProcesses(2, on: store)
      #expect(try await cluster.servers[0].api("POST", "/v1/rooms", json: #"{"name":"room"}"#).status == 201)
      let pair = try await Pair(cluster.servers[1], room: "room")
      fail()
      let begin = ContinuousClock.now
      while ContinuousClock.now - begin < .seconds(8) { try await pair.continues(5, within: .seconds(2)) }
      for server in cluster.servers {
        try await eventually("the leases are renewed") { try await !ClusterProcesses.state(of: server).promised }
      }
      try await pair.continues()
      #expect(pair.bob.room.state == .connected && pair.alice.room.state == .connected)
      #expect(try await cluster.owner(of: "room") != nil)
      // Its answer leaves once the next master and its replica have the change.
      let set = try await cluster.servers[1].api(
        "POST", "/v1/rooms/room/calls/setAttributes", json: #"{"set":{"topic":"kept"}}"#)
      #expect(set.status == 200, "\(set)")
      await pair.leave()
    }
  }
}
