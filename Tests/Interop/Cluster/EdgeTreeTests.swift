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

    /// Waits until each viewer has 30 new pictures, and a condition holds. Returns the longest time without a new one of any viewer.
    private static func longestStill(
      _ viewers: [Participant], until isOver: () async throws -> Bool = { true }
    ) async throws -> Duration {
      func pictures() -> [Int] { viewers.map { $0.pictures(of: "anchor").decoded } }
      let first = pictures()
      var last = first.map { ($0, ContinuousClock.now) }
      var longest = Duration.zero
      try await eventually("each viewer has new pictures") {
        for (index, count) in pictures().enumerated() {
          longest = max(longest, ContinuousClock.now - last[index].1)
          if count != last[index].0 { last[index] = (count, .now) }
        }
        let isEach = zip(last, first).allSatisfy { $0.0 > $1 + 30 }
        return try await isOver() && isEach
      }
      return longest
    }

    @Test(
      "the owner sends two copies to six nodes; an edge that feeds others stands still, dies, or loses its clients, and pictures continue",
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

      // One relay stands still, and dies later. Its own client is at its node.
      others[first].signal(SIGSTOP)
      let left = viewers.indices.filter { $0 != first }
      let frozen = try await Self.longestStill(left.map { viewers[$0] })
      print("an edge that fed two others was stopped: no new picture for \(frozen) at most")
      // The link to it is silent after 1 s, its connection after 12.
      #expect(frozen < .seconds(4))
      others[first].kill()
      let still = try await Self.longestStill(left.map { viewers[$0] })
      print("it was killed: no new picture for \(still) at most")
      #expect(still < .seconds(2))
      #expect(try await copies(owner) <= 2 * Self.fanOut)

      // The last client of the other relay leaves: its children get another parent, and the edge ends.
      let rooms = try await others[second].metric("roomserver_edge_rooms")
      await viewers[second].leave()
      let rest = left.filter { $0 != second }.map { viewers[$0] }
      let pause = try await Self.longestStill(rest) { try await others[second].metric("roomserver_edge_rooms") == rooms - 1 }
      print("an edge that fed two others lost its clients: no new picture for \(pause) at most")
      #expect(pause < .seconds(1))
      for viewer in rest { #expect(viewer.sound(of: "anchor").hears(440), "\(viewer.user) hears the anchor") }
      #expect(try await copies(owner) <= 2 * Self.fanOut)
      for participant in rest + [anchor] { await participant.leave() }
    }
  }
}
