import Foundation
import RoomClient
import RoomCodecs
import RoomMedia
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("A link between two nodes that narrows")
  struct NarrowNodeLinkTests {
    private struct State: Decodable {
      struct Node: Decodable {
        struct Link: Decodable {
          var bitrate: Int
          var limit: Int?
          var held: Int
        }
        var node: String
        var link: Link?
      }
      var nodes: [Node]
    }

    /// What a node's link to the other one measures.
    private static func link(_ server: ServerProcess, to node: String) async throws -> State.Node.Link? {
      let answer = try await server.api("GET", "/v1/cluster")
      return try JSONDecoder().decode(State.self, from: Data(answer.body.utf8)).nodes.first { $0.node == node }?.link
    }

    @Test("a viewer behind it gets the smaller layer, hears all, and gets the larger layer again", .timeLimit(.minutes(3)))
    func narrows() async throws {
      let faults = try await ClusterFaults(2, ["--edge"])
      try await faults.makeRoom("room", at: 0)
      let (owner, edge) = (faults.servers[0], faults.servers[1])
      let anchor = try await Participant.join(owner, room: "room", as: "anchor")
      try await anchor.publish(video: nil, tone: 440)
      let settings = VideoEncoderSettings(width: 640, height: 360, fps: 24, bitrate: 1_200_000)
      let camera = try SimulcastSource(
        VideoConfiguration(codec: .vp8, speed: .ultrafast, settings), smaller: [.smallLayer(of: settings)])
      try await anchor.room.publish([camera.track])
      let feeding = try camera.feed()
      defer { feeding.cancel() }
      let viewer = try await Participant.join(edge, room: "room", as: "viewer", grants: [.subscribe])
      /// Waits for a layer. Returns the time until then, and the longest time without a new picture; nil if the layer does not come.
      func clock(isSmall: Bool, within limit: Duration = .seconds(20)) async throws -> (total: Duration, still: Duration)? {
        let begin = ContinuousClock.now
        var (decoded, since, longest) = (viewer.pictures(of: "anchor").decoded, begin, Duration.zero)
        while true {
          let (pictures, now) = (viewer.pictures(of: "anchor"), ContinuousClock.now)
          if pictures.decoded > decoded {
            longest = max(longest, now - since)
            (decoded, since) = (pictures.decoded, now)
            if let height = pictures.size?.height, (height < 360) == isSmall { return (now - begin, longest) }
          }
          if now - begin > limit { return nil }
          try await Task.sleep(for: .milliseconds(5))
        }
      }
      _ = try #require(try await clock(isSmall: false), "the large layer does not come")
      try await eventually("the viewer hears the anchor") { viewer.sound(of: "anchor").hears(440) }
      let whole = try await eventually("the link is measured") {
        let link = try await Self.link(owner, to: "n1")
        return link.flatMap { $0.bitrate > 500_000 ? $0 : nil }
      }
      #expect(whole.limit == nil && whole.held == 0)

      // The measure may be that of a burst, so the large layer may fit at first.
      var width = whole.bitrate * 4 / 5
      var down: (total: Duration, still: Duration)?
      while down == nil, width > 200_000 {
        width = width * 3 / 4
        try faults.network.narrow(1, to: width)
        down = try await clock(isSmall: true, within: .seconds(8))
      }
      let small = try #require(down, "the small layer does not come")
      try await eventually("the link says what it holds back") { try await Self.link(owner, to: "n1")?.held == 1 }
      #expect(try await owner.metric(#"roomserver_node_link_held_streams{node="n1"}"#) == 1)
      let before = viewer.pictures(of: "anchor").decoded
      try await eventually("pictures go on") { viewer.pictures(of: "anchor").decoded > before + 20 }
      #expect(viewer.sound(of: "anchor").hears(440))

      try faults.network.narrow(1, to: nil)
      let up = try #require(try await clock(isSmall: false), "the large layer does not come again")
      print("\(whole.bitrate) bps, then \(width): the small layer after \(small), the large one again after \(up)")
      // On an idle machine 0.6 s, 0.3 s and 6.5 s.
      #expect(small.still < .seconds(6) && up.still < .seconds(3) && up.total < .seconds(15))
      for participant in [viewer, anchor] { await participant.leave() }
    }
  }
}
