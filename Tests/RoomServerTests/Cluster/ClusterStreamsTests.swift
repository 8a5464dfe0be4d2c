import Foundation
import RoomCluster
import RoomLiveOrigin
import RoomPeers
import RoomProtocol
import RoomRTMP
import RoomTestSupport
import Testing

@testable import RoomClusterServer
@testable import RoomServer

@Suite("Live streams at any node of a cluster", .serialized, .enabled(if: RedisServer.isInstalled))
struct ClusterStreamsTests {
  private static let pulled = "roomserver_origin_pulled_streams"

  private func viewers(_ server: TestServer, _ way: String) async throws -> Int {
    try await server.metric("roomserver_origin_viewers{protocol=\"\(way)\"}")
  }

  private func flv(_ server: TestServer, _ query: String = "") async throws -> Wire {
    let wire = try await Wire.connect(port: server.server.port)
    wire.send("GET /live/studio.flv\(query) HTTP/1.0\r\n\r\n")
    #expect(try await wire.response().status == 200)
    return wire
  }

  @Test(
    """
    five viewers at another node: one pull, with the times and headers of the publisher, which ends after the last one; one \
    publisher in the cluster; an encoder at another node than its room's is a participant there
    """)
  func service() async throws {
    try await ClusterServers.with(
      2,
      {
        $0.origin.publishesOpenly = true
        $0.limits.participantsPerRoom = 2
        $0.rooms.graceTime = .seconds(1)
      }
    ) { cluster in
      try await pull(cluster)
      try await onePublisher(cluster)
      try await ingest(cluster)
      try await withoutStore(cluster)
    }
  }

  private func pull(_ cluster: ClusterServers) async throws {
    #expect(try await RTMPPeer.refusal(.play, cluster[1], "studio").code == .playStreamNotFound)
    #expect(try await cluster[1].request("GET", "/live/studio.flv").status == 404)
    let publisher = try await RTMPPeer.start(.publish, cluster[0])
    publisher.sendBeginning()
    publisher.send(LiveSample.video(5000, isKeyFrame: true), LiveSample.audio(5010))
    var players: [RTMPPeer] = []
    // The answer that there is no such stream is used for a second.
    players.append(try await eventually("it plays") { try? await RTMPPeer.start(.play, cluster[1]) })
    for _ in 0..<2 { players.append(try await RTMPPeer.start(.play, cluster[1])) }
    let wires = [try await flv(cluster[1]), try await flv(cluster[1])]
    for player in players {
      try await eventually("the picture") { player.played.contains(where: LiveSample.isKeyFrame) }
      let start = player.played.prefix(5)
      #expect(start.map(\.kind) == [.data, .video, .audio, .video, .audio])
      #expect(start.map(\.timestamp) == [0, 5000, 5000, 5000, 5010])
      #expect(start.dropFirst().first?.payload == LiveSample.videoHeader.payload)
    }
    for wire in wires {
      let start = try await wire.tags(5)
      #expect(start.map(\.timestamp) == [0, 5000, 5000, 5000, 5010])
    }
    publisher.send(LiveSample.video(5040))
    for wire in wires { #expect(try await wire.tags(1).map(\.timestamp) == [5040]) }
    #expect(try await cluster[1].metric(Self.pulled) == 1)
    #expect(try await cluster[1].metric("roomserver_origin_pulls_total") == 1)
    #expect(try await viewers(cluster[0], "flv") == 1)
    #expect(try await viewers(cluster[1], "rtmp") == 3)
    try await eventually("the publisher's node counts the people", within: .seconds(2)) {
      try await cluster[0].api("GET", "/v1/watch/live/studio").text.contains(#""viewers":5"#)
    }
    for (node, count) in [0, 5].enumerated() {
      #expect(try await cluster[node].metric("roomserver_node_viewers{node=\"n\(node)\",region=\"\"}") == count)
    }
    #expect(try await cluster[1].streams().contains(#""publisher":"pull""#))

    // The publisher returns: the viewers continue.
    publisher.end()
    let second = try await eventually("the path is free") { try? await RTMPPeer.start(.publish, cluster[0]) }
    second.sendBeginning()
    for player in players {
      try await eventually("the next key frame") { player.played.count(where: LiveSample.isKeyFrame) == 2 }
      let times = player.played.filter { $0.kind != .data }.map(\.timestamp)
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }, "\(times)")
    }
    for player in players { player.end() }
    for wire in wires { wire.close() }
    var time: UInt32 = 40
    try await eventually("the pull ends", within: .seconds(10)) {
      // A closed connection is noticed at the next write.
      second.send(LiveSample.video(time))
      time += 40
      return try await cluster[1].metric(Self.pulled) == 0
    }
    try await eventually("the publisher's node has no viewer") {
      second.send(LiveSample.video(time))
      time += 40
      return try await viewers(cluster[0], "flv") == 0
    }
    #expect(try await cluster[1].metric("roomserver_origin_pull_losses_total") == 0)
    second.end()
  }

  /// A publish at another node is refused while the stream is published, and continues for its viewers afterwards.
  private func onePublisher(_ cluster: ClusterServers) async throws {
    let first = try await RTMPPeer.start(.publish, cluster[0])
    first.sendBeginning()
    let status = try await RTMPPeer.refusal(.publish, cluster[1], "studio")
    #expect(status.code == .publishBadName && status.description.contains("already"), "\(status)")
    let viewer = try await eventually("it plays") { try? await RTMPPeer.start(.play, cluster[1]) }
    try await eventually("the picture") { viewer.played.contains(where: LiveSample.isKeyFrame) }
    first.end()
    // At the node that pulled the stream.
    let second = try await eventually("the path is free") { try? await RTMPPeer.start(.publish, cluster[1]) }
    second.sendBeginning()
    try await eventually("the next picture") { viewer.played.count(where: LiveSample.isKeyFrame) == 2 }
    #expect(try await cluster[1].metric(Self.pulled) == 0)
    // The first node pulls now.
    let other = try await eventually("it plays there") { try? await RTMPPeer.start(.play, cluster[0]) }
    try await eventually("its picture") { other.played.contains(where: LiveSample.isKeyFrame) }
    #expect(try await cluster.ask(["GET", "{roomserver}:stream:live/studio"]).text?.hasPrefix("n1:") == true)
    second.end()
    try await eventually("the entry is removed") {
      try await cluster.ask(["EXISTS", "{roomserver}:stream:live/studio"]).number == 0
    }
  }

  @Test("permissions are checked where the viewer is; a node needs none, gets nothing that is pulled, and can't be imitated")
  func access() async throws {
    try await ClusterServers.with(
      2,
      {
        $0.origin.publishesOpenly = true
        $0.origin.protection = HotlinkProtection(play: .init(key: "pull", validity: 60))
      }
    ) { cluster in
      let publisher = try await RTMPPeer.start(.publish, cluster[0])
      publisher.sendBeginning()
      let query = try #require(
        HotlinkProtection(play: .init(key: "pull")).query(
          path: "/live/studio.flv", for: .play, unixTime: Int64(Date().timeIntervalSince1970)))
      for server in cluster.servers {
        #expect(try await server.request("GET", "/live/studio.flv").status == 403)
        #expect(try await server.request("GET", "/live/studio.m3u8").status == 403)
        #expect(try await RTMPPeer.refusal(.play, server, "studio").description.contains("signed"))
      }
      #expect(try await cluster[1].metric("roomserver_origin_pulls_total") == 0)
      let wire = try await flv(cluster[1], "?\(query)")
      #expect(try await wire.tags(4).map(\.kind) == [.data, .video, .audio, .video])

      let secret = try #require(try await cluster.ask(["GET", "{roomserver}:secret"]).text)
      let now = Int64(Date().timeIntervalSince1970 * 1000)
      func status(_ server: TestServer, secret: String, at time: Int64) async throws -> Int {
        let value = NodeSignature(secret: secret).value(
          node: "n9", method: "GET", target: "/live/studio.flv", body: [], at: time)
        let wire = try await Wire.connect(port: server.server.port)
        defer { wire.close() }
        wire.send("GET /live/studio.flv HTTP/1.0\r\n\(NodeSignature.header): \(value)\r\n\r\n")
        return try await wire.response().status
      }
      #expect(try await status(cluster[0], secret: secret, at: now) == 200)
      // What a node pulls itself it passes to no other.
      #expect(try await status(cluster[1], secret: secret, at: now) == 404)
      #expect(try await status(cluster[0], secret: "a wrong secret of the cluster", at: now) == 403)
      #expect(try await status(cluster[0], secret: secret, at: now - 60_000) == 403)
      wire.close()
    }
  }

  /// An encoder at another node than its room's; refusals come from the owner.
  private func ingest(_ cluster: ClusterServers) async throws {
    #expect(try await cluster[0].api("POST", "/v1/rooms", json: #"{"name":"room"}"#).status == 201)
    let owner = try await eventually("a node owns the room") { try await cluster.owner(of: "room") }
    let (here, there) = (cluster[owner], cluster[1 - owner])
    func stream(_ user: UserID) throws -> String { "room?token=\(try here.token(user, room: "room"))" }
    let encoder = try await RTMPPeer.start(.publish, there, try stream("camera"), app: "room")
    encoder.sendBeginning()
    try await eventually("it is in the room") {
      String(decoding: try await here.api("GET", "/v1/rooms/room").body, as: UTF8.self).contains("camera")
    }
    #expect(try await here.metric(#"roomserver_ingests_total{protocol="rtmp"}"#) == 1)
    #expect(try await there.metric("roomserver_ingests_forwarded_total") == 1)
    #expect(try await there.metric("roomserver_participants") == 0)
    _ = try await here.join("viewer", room: "room")
    let full = try await RTMPPeer.refusal(.publish, there, try stream("second"), app: "room")
    #expect(full.description.hasPrefix("80101: the room is full"), "\(full)")
    #expect(try await RTMPPeer.refusal(.publish, there, "room?token=x", app: "room").description.hasPrefix("10002"))
    // A publish that claims to be forwarded is not passed on.
    let claimed = try await RTMPPeer.refusal(.publish, there, try stream("third") + "&nodesignature=x", app: "room")
    #expect(claimed.description.contains("the room is at node"), "\(claimed)")

    #expect(try await here.api("DELETE", "/v1/rooms/room/participants/camera").status == 204)
    try await eventually("its publish has ended") { encoder.failure != nil }
    #expect("\(String(describing: encoder.failure))".contains("kicked out"), "\(String(describing: encoder.failure))")
    let again = try await RTMPPeer.start(.publish, there, try stream("other"), app: "room")
    again.end()
    try await eventually("it has left") {
      !String(decoding: try await here.api("GET", "/v1/rooms/room").body, as: UTF8.self).contains("other")
    }
  }

  /// While Redis is away a publish begins all the same, pulls continue, and a stream that is not known gets 503.
  private func withoutStore(_ cluster: ClusterServers) async throws {
    let publisher = try await RTMPPeer.start(.publish, cluster[0])
    publisher.sendBeginning()
    let viewer = try await eventually("it plays") { try? await RTMPPeer.start(.play, cluster[1]) }
    try await eventually("the picture") { viewer.played.contains(where: LiveSample.isKeyFrame) }
    let before = viewer.played.count
    cluster.redis.kill()
    let second = try await RTMPPeer.start(.publish, cluster[0], "second")
    second.sendBeginning()
    publisher.send(LiveSample.video(40))
    try await eventually("the viewer's next picture") { viewer.played.count > before }
    #expect(try await cluster[1].request("GET", "/live/second.flv").status == 503)
    #expect(try await cluster[1].metric("roomserver_origin_refused_total{reason=\"registry\"}") == 1)
  }
}
