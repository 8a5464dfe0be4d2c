import Foundation
import RoomClient
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  /// An owner that sends each track to two edges at most, and six nodes with viewers: two edges feed the other four.
  @Suite("A room whose edges feed edges")
  struct EdgeTreeTests {
    private static let fanOut = 2

    /// Waits until every viewer has new pictures. Returns the longest time since the last picture of one, sampled.
    private static func longestStill(_ viewers: [Participant], for time: Duration) async throws -> Duration {
      var last = viewers.map { ($0.pictures(of: "anchor").decoded, ContinuousClock.now) }
      var longest = Duration.zero
      let end = ContinuousClock.now + time
      while ContinuousClock.now < end {
        for (index, viewer) in viewers.enumerated() {
          let decoded = viewer.pictures(of: "anchor").decoded
          if decoded != last[index].0 { last[index] = (decoded, .now) }
          longest = max(longest, ContinuousClock.now - last[index].1)
        }
        try await Task.sleep(for: .milliseconds(20))
      }
      return longest
    }

    @Test(
      "the owner sends two copies to six nodes; an edge that feeds others dies, or loses its clients, and pictures continue",
      .timeLimit(.minutes(3)))
    func tree() async throws {
      let faults = try await ClusterFaults(7, ["--edge-fan-out", "\(Self.fanOut)"])
      try await faults.makeRoom("room", at: 0)
      let (owner, others) = (faults.servers[0], Array(faults.servers.dropFirst()))
      let anchor = try await Participant.join(owner, room: "room", as: "anchor")
      try await anchor.publish(video: .vp8, tone: 440)
      var viewers: [Participant] = []
      for (number, server) in others.enumerated() {
        viewers.append(try await Participant.join(server, room: "room", as: UserID("viewer\(number)"), grants: [.subscribe]))
      }
      for viewer in viewers {
        try await eventually("\(viewer.user) sees and hears the anchor") {
          viewer.pictures(of: "anchor").decoded > 10 && viewer.sound(of: "anchor").hears(440)
        }
      }
      // The picture and the sound, each for two edges.
      func copies(_ server: ServerProcess) async throws -> Int { Int(try await server.metric("roomserver_edge_copies")) }
      #expect(try await copies(owner) == 2 * Self.fanOut)
      var relays: [Int] = []
      for (number, server) in others.enumerated() where try await copies(server) > 0 { relays.append(number) }
      #expect(relays.count == 2)
      let (first, second) = (try #require(relays.first), try #require(relays.last))

      // One relay dies.
      others[first].kill()
      let left = viewers.indices.filter { $0 != first }
      let still = try await Self.longestStill(left.map { viewers[$0] }, for: .seconds(4))
      print("an edge that fed two others was killed: no new picture for \(still) at most")
      #expect(still < .seconds(2))
      #expect(try await copies(owner) <= 2 * Self.fanOut)

      // The last client of the other relay leaves: its children get another parent, and the edge ends.
      let rooms = try await others[second].metric("roomserver_edge_rooms")
      await viewers[second].leave()
      let rest = left.filter { $0 != second }.map { viewers[$0] }
      let pause = try await Self.longestStill(rest, for: .seconds(5))
      print("an edge that fed two others lost its clients: no new picture for \(pause) at most")
      #expect(pause < .seconds(1))
      try await eventually("the edge has ended") {
        try await others[second].metric("roomserver_edge_rooms") == rooms - 1
      }
      for viewer in rest { #expect(viewer.sound(of: "anchor").hears(440), "\(viewer.user) hears the anchor") }
      #expect(try await copies(owner) <= 2 * Self.fanOut)
      for participant in rest + [anchor] { await participant.leave() }
    }
  }
}
