import Foundation
import RoomClient
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  /// Nodes in network namespaces that are cut off or stopped.
  @Suite("Nodes that are cut off or stopped")
  struct NodeFaultTests {
    @Test(
      "a node without Redis keeps its room by promises; without another node too, it stops the room before the next owner sends",
      .timeLimit(.minutes(2)))
    func cutOff() async throws {
      let faults = try await ClusterFaults(3, ["--no-edge"])
      let (network, servers) = (faults.network, faults.servers)
      try await faults.makeRoom("room", at: 0)
      let pair = try await Pair(servers[1], room: "room")

      try faults.cutRedis(from: 0)
      try await eventually("the node rests on promises") { try await ClusterProcesses.state(of: servers[0]).promised }
      let cutOff = servers[0]
      async let joining = Participant.join(cutOff, room: "room", as: "eve")
      try await faults.refuseNewRooms(0)
      let eve = try await joining
      try await eventually("who joins the open room sees alice") { eve.pictures(of: "alice").decoded > 5 }
      await eve.leave()

      let sending = try SendingTimes(of: network)
      let begin = ContinuousClock.now
      try network.cut(network.nodes[0], network.nodes[1])
      let next = try await eventually("another node owns the room", within: .seconds(15)) {
        try await faults.owner(of: "room").flatMap { $0 == 0 ? nil : $0 }
      }
      let claimed = ContinuousClock.now - begin
      try await eventually("both clients are back") { pair.isTogether }
      try await pair.continues()
      let back = ContinuousClock.now - begin
      // The node that was cut off refuses requests with a code, and sends clients to another node.
      async let arriving = Participant.join(cutOff, room: "room", as: "late")
      #expect(try await cutOff.api("GET", "/v1/rooms/room/state").status == 503)
      await (try arriving).leave()
      let last = try #require(sending.times(of: 0).last)
      let first = try #require(sending.times(of: next).first)
      print(
        "silent after \(last - begin), claimed after \(claimed), the next sent after \(first - begin), pictures after \(back)")
      #expect(last < first && first - begin < .seconds(6))
      try await faults.setTopic("later", of: "room", at: next)

      try network.mend(network.nodes[0], network.nodes[1])
      try faults.mendRedis(from: 0)
      try await faults.cluster.areReady()
      #expect(try await faults.owner(of: "room") == next)
      #expect(try await faults.topic(of: "room", at: 0) == "later")
      try await pair.continues()
      #expect(sending.times(of: 0).last == last, "the node that was cut off has sent nothing since")
      await pair.leave()
    }

    @Test(
      "a node that is stopped for longer than its lease: its room is elsewhere, and when it continues, it neither sends nor writes",
      .timeLimit(.minutes(2)))
    func stopped() async throws {
      let faults = try await ClusterFaults(2, ["--no-edge"])
      let servers = faults.servers
      try await faults.makeRoom("room", at: 0)
      let pair = try await Pair(servers[1], room: "room")
      try await faults.setTopic("earlier", of: "room", at: 1)

      let sending = try SendingTimes(of: faults.network)
      try await eventually("the owner sends") { sending.times(of: 0).count > 10 }
      let begin = ContinuousClock.now
      servers[0].signal(SIGSTOP)
      try await eventually("the other node owns the room", within: .seconds(10)) {
        try await ClusterProcesses.state(of: servers[1]).leases.contains { $0.room == "room" }
      }
      let claimed = ContinuousClock.now - begin
      try await faults.setTopic("later", of: "room", at: 1)
      // The stopped node receives this change once it continues.
      let change = Task { try await pair.alice.room.attributes.set(["topic": "stale"]) }
      let before = sending.times(of: 0)
      #expect(try #require(before.last) - begin < .milliseconds(500))

      servers[0].signal(SIGCONT)
      let continued = ContinuousClock.now
      await #expect(throws: (any Error).self) { try await change.value }
      try await eventually("both clients are at the other node") { sending.times(of: 1).count > 0 && pair.isTogether }
      try await pair.continues()
      let back = ContinuousClock.now - continued
      try await faults.cluster.areReady()
      let after = sending.times(of: 0)
      let last = after.last ?? continued
      print(
        "claimed after \(claimed); \(after.count - before.count) datagrams within \(last - continued) of SIGCONT, pictures",
        "from the other node after \(back)")
      // At most what was being sent when it was stopped.
      #expect(after.count - before.count <= 64 && last < continued + .milliseconds(500))
      #expect(last < (try #require(sending.times(of: 1).first)))
      #expect(try await faults.owner(of: "room") == 1)
      for node in 0..<2 { #expect(try await faults.topic(of: "room", at: node) == "later") }
      await pair.leave()
    }

    @Test(
      "nodes that are cut off from each other during a PK: each room continues, and the PK's pictures return both ways",
      .timeLimit(.minutes(2)))
    func apart() async throws {
      let faults = try await ClusterFaults(2, ["--no-edge"])
      let (network, servers) = (faults.network, faults.servers)
      for (node, name) in Anchors.names.enumerated() { try await faults.makeRoom(RoomName(name), at: node) }
      let grants: Grants = [.publish, .subscribe, .admin]
      let ann = try await Participant.join(servers[0], room: "red", as: "ann", grants: grants)
      let ben = try await Participant.join(servers[1], room: "blue", as: "ben", grants: grants)
      let amy = try await Participant.join(servers[0], room: "red", as: "amy")
      let bea = try await Participant.join(servers[1], room: "blue", as: "bea")
      try await ann.publish(video: .vp8, tone: 440)
      try await ben.publish(video: .vp8, tone: 880)
      try await Anchors.meet(ann.room, ben.room)
      let (here, there) = (UserID("ben@blue"), UserID("ann@red"))
      try await eventually("each room sees and hears both anchors") {
        [amy, ann].allSatisfy { $0.pictures(of: here).decoded > 5 && $0.sound(of: here).hears(880) }
          && [bea, ben].allSatisfy { $0.pictures(of: there).decoded > 5 && $0.sound(of: there).hears(440) }
          && amy.pictures(of: "ann").decoded > 5 && bea.pictures(of: "ben").decoded > 5
      }
      let pk = try #require(ann.room.pk.current?.pkId)

      try network.cut(network.nodes[0], network.nodes[1])
      try await eventually("nobody hears the other room") { !amy.sound(of: here).isFresh && !bea.sound(of: there).isFresh }
      // The limit is less than the 12 s after which a lender that is not asked ends the lending, or more than them.
      let end = ContinuousClock.now + .seconds(TestLength.pick(4, long: 15))
      while ContinuousClock.now < end {
        let before = (amy.pictures(of: "ann").decoded, bea.pictures(of: "ben").decoded)
        try await eventually("each audience sees its own anchor", within: .seconds(2)) {
          amy.pictures(of: "ann").decoded > before.0 + 3 && bea.pictures(of: "ben").decoded > before.1 + 3
        }
      }
      for node in 0..<2 { #expect(try await !ClusterProcesses.state(of: servers[node]).promised) }

      try network.mend(network.nodes[0], network.nodes[1])
      let healed = ContinuousClock.now
      let before = (amy.pictures(of: here).decoded, bea.pictures(of: there).decoded)
      try await eventually("each room sees and hears the other again") {
        amy.pictures(of: here).decoded > before.0 + 10 && amy.sound(of: here).hears(880)
          && bea.pictures(of: there).decoded > before.1 + 10 && bea.sound(of: there).hears(440)
      }
      print("pictures both ways \(ContinuousClock.now - healed) after the nodes reach each other")
      #expect(ann.room.pk.current?.pkId == pk && ben.room.pk.current?.pkId == pk)
      for (node, name) in Anchors.names.enumerated() { #expect(try await faults.owner(of: RoomName(name)) == node) }
      for participant in [amy, bea, ann, ben] { await participant.leave() }
    }
  }
}
