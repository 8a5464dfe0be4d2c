import Foundation
import RoomClient
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  /// A Redis that all nodes are cut off from, or that is slow; in a network namespace.
  @Suite("A Redis that is away or slow")
  struct RedisFaultTests {
    @Test(
      "Redis is away: media, messages and joins of open rooms continue, new rooms are refused, and then all is as before",
      .timeLimit(.minutes(2)))
    func away() async throws {
      let faults = try await ClusterFaults(2)
      let servers = faults.servers
      try await faults.makeRoom("room", at: 0)
      let pair = try await Pair(servers[1], room: "room")

      for node in 0..<2 { try faults.cutRedis(from: node) }
      let begin = ContinuousClock.now
      for server in servers {
        try await eventually("the nodes rest on promises") { try await ClusterProcesses.state(of: server).promised }
      }
      try await faults.refuseNewRooms(0, 1)
      // By the node that does not own the room, which knows the owner.
      let eve = try await Participant.join(servers[1], room: "room", as: "eve")
      try await eventually("who joins the open room sees alice", within: .seconds(5)) { eve.pictures(of: "alice").decoded > 5 }
      // The promises last 30 s from the last contact with Redis.
      let length = Duration.seconds(TestLength.pick(10, long: 28))
      while ContinuousClock.now - begin < length { try await pair.continues(5, within: .seconds(2)) }
      for server in servers { #expect(try await ClusterProcesses.state(of: server).promised) }

      for node in 0..<2 { try faults.mendRedis(from: node) }
      for server in servers {
        try await eventually("the leases are renewed") { try await !ClusterProcesses.state(of: server).promised }
      }
      try await faults.cluster.areReady()
      try await pair.continues()
      #expect(try await faults.owner(of: "room") == 0)
      #expect(pair.isTogether(with: 1) && eve.room.state == .connected)
      try await faults.makeRoom("new", at: 1)
      await eve.leave()
      await pair.leave()
    }

    @Test(
      "Redis is away for longer than promises last: the room stops, and returns with its clients once Redis is back",
      .timeLimit(.minutes(2)), .enabled(if: TestLength.isLong))
    func awayForLong() async throws {
      let faults = try await ClusterFaults(2)
      try await faults.makeRoom("room", at: 0)
      let pair = try await Pair(faults.servers[1], room: "room")
      try await faults.setTopic("kept", of: "room", at: 0)
      let sending = try SendingTimes(of: faults.network)
      let begin = ContinuousClock.now
      for node in 0..<2 { try faults.cutRedis(from: node) }
      try await eventually("the node stops its room", within: .seconds(31)) { try await faults.owner(of: "room") == nil }
      let stopped = ContinuousClock.now
      #expect(stopped - begin > .seconds(25))
      try await eventually("the clients are without a room") {
        pair.alice.room.state != .connected && pair.bob.room.state != .connected
      }
      let last = try #require(sending.times(of: 0).last)

      for node in 0..<2 { try faults.mendRedis(from: node) }
      try await eventually("the room is back with its clients") { pair.isTogether }
      print("stopped after \(stopped - begin), back \(ContinuousClock.now - stopped) later")
      try await pair.continues()
      #expect(last < stopped + .milliseconds(500))
      #expect(try await faults.topic(of: "room", at: 0) == "kept")
      await pair.leave()
    }

    @Test("Redis takes 300 ms to answer: rooms keep their owners, and joins and changes take longer", .timeLimit(.minutes(2)))
    func slow() async throws {
      let faults = try await ClusterFaults(2)
      let servers = faults.servers
      try await faults.makeRoom("room", at: 0)
      faults.network.delayRedis(150)
      let begin = ContinuousClock.now
      let pair = try await Pair(servers[1], room: "room")
      let joined = ContinuousClock.now - begin
      // More than two lives of a lease.
      var topics = 0
      while ContinuousClock.now - begin < .seconds(7) {
        topics += 1
        try await faults.setTopic("\(topics)", of: "room", at: topics % 2)
        try await pair.continues(3, within: .seconds(2))
        for server in servers {
          let state = try await ClusterProcesses.state(of: server)
          #expect(state.ready && !state.promised && state.nodes.count == 2)
        }
      }
      let asked = ContinuousClock.now
      try await faults.makeRoom("new", at: 1)
      print("two joins and pictures after \(joined), \(topics) changes, a new room after \(ContinuousClock.now - asked)")
      #expect(ContinuousClock.now - asked < .seconds(5))
      #expect(try await faults.owner(of: "room") == 0)
      #expect(try await faults.topic(of: "room", at: 1) == "\(topics)")

      // What was acknowledged is in Redis: the next owner has it.
      servers[0].kill()
      try await eventually("the other node restores the room", within: .seconds(10)) {
        try await faults.topic(of: "room", at: 1) == "\(topics)"
      }
      #expect(try await faults.owner(of: "room") == 1)
      await pair.leave()
    }
  }
}
