import Foundation
import RoomClient
import RoomCodecs
import RoomMedia
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  /// Nodes that serve the clients of rooms of other nodes.
  @Suite("A room whose participants are connected to three nodes")
  struct EdgeTests {
    /// A Redis and three servers, each in a network namespace. The first server owns the room "room".
    private struct Nodes {
      let faults: ClusterFaults
      var all: [ServerProcess] { faults.servers }
      var owner: ServerProcess { all[0] }
      var others: [ServerProcess] { Array(all.dropFirst()) }

      init(fanOut: Int = 8) async throws {
        faults = try await ClusterFaults(3, ["--drain", "30", "--edge-fan-out", "\(fanOut)"])
        try await faults.makeRoom("room", at: 0)
      }
    }

    @Test(
      "the audience of an anchor: one copy of each track crosses to each node, and none after the last viewer",
      .timeLimit(.minutes(2)))
    func audience() async throws {
      let nodes = try await Nodes()
      let anchor = try await Participant.join(nodes.owner, room: "room", as: "anchor")
      try await anchor.publish(video: .vp8, tone: 440)
      var viewers: [Participant] = []
      for (number, server) in nodes.all.enumerated() {
        for index in 0..<2 {
          viewers.append(
            try await Participant.join(server, room: "room", as: UserID("viewer\(number)\(index)"), grants: [.subscribe]))
        }
      }
      for viewer in viewers {
        try await eventually("\(viewer.user) sees and hears the anchor") {
          viewer.pictures(of: "anchor").decoded > 20 && viewer.sound(of: "anchor").hears(440)
        }
        #expect(viewer.room.participants.count == viewers.count)
      }
      for server in nodes.others {
        #expect(try await server.metric("roomserver_edge_clients") == 2)
        #expect(try await server.metric("roomserver_edge_rooms") == 1)
        // The picture and the sound.
        #expect(try await server.metric("roomserver_tracks") == 2)
      }
      #expect(try await nodes.owner.metric("roomserver_edges") == 2)
      try await anchor.room.messages.send("hello")
      for viewer in viewers {
        try await eventually("\(viewer.user) has the message") { viewer.room.snapshot?.messages.last?.text == "hello" }
      }
      for viewer in viewers where viewer.user.rawValue.hasPrefix("viewer1") { await viewer.leave() }
      try await eventually("the edge has ended") {
        let rooms = try await nodes.others[0].metric("roomserver_edge_rooms")
        let tracks = try await nodes.others[0].metric("roomserver_tracks")
        return try await (rooms, tracks, nodes.owner.metric("roomserver_edges")) == (0, 0, 1)
      }
      for viewer in viewers { await viewer.leave() }
      await anchor.leave()
    }

    @Test(
      "a voice room: those who speak at three nodes hear each other; one who leaves is gone everywhere", .timeLimit(.minutes(2))
    )
    func voices() async throws {
      let nodes = try await Nodes()
      let tones: [UserID: Double] = ["ann": 440, "ben": 660, "cat": 880]
      var speakers: [Participant] = []
      for (user, server) in zip(["ann", "ben", "cat"] as [UserID], nodes.all) {
        let speaker = try await Participant.join(server, room: "room", as: user)
        try await speaker.publish(video: user == "ben" ? .vp8 : nil, tone: tones[user])
        speakers.append(speaker)
      }
      for listener in speakers {
        for other in speakers where other.user != listener.user {
          try await eventually("\(listener.user) hears \(other.user)") {
            listener.sound(of: other.user).hears(tones[other.user] ?? 0)
          }
        }
      }
      for listener in speakers where listener.user != "ben" {
        try await eventually("\(listener.user) sees ben") { listener.pictures(of: "ben").decoded > 20 }
      }
      await speakers[2].leave()
      for listener in speakers.dropLast() {
        // Not after the grace time of a lost connection.
        try await eventually("cat is gone for \(listener.user)", within: .seconds(10)) { listener.room.participants.count == 1 }
      }
      for speaker in speakers { await speaker.leave() }
    }

    @Test(
      "each viewer of a simulcast gets the layer that it asks for, and those that nobody needs are not encoded",
      .timeLimit(.minutes(2)))
    func layers() async throws {
      let nodes = try await Nodes()
      let anchor = try await Participant.join(nodes.others[1], room: "room", as: "anchor")
      let settings = VideoEncoderSettings(width: 320, height: 240, fps: 12, bitrate: 300_000)
      let camera = try SimulcastSource(
        VideoConfiguration(codec: .vp8, speed: .ultrafast, settings), smaller: [.smallLayer(of: settings)])
      try await anchor.room.publish([camera.track])
      let feeding = try camera.feed()
      defer { feeding.cancel() }
      var viewers: [Participant] = []
      for user: UserID in ["large", "small"] {
        let viewer = try await Participant.join(nodes.others[0], room: "room", as: user, grants: [.subscribe])
        let track = try await eventually("\(user) receives the track") { viewer.remoteTracks(of: "anchor").first }
        try await track.setReception(maxHeight: user == "small" ? 120 : nil)
        viewers.append(viewer)
      }
      try await eventually("one has the large layer, the other the small one") {
        viewers.map { $0.pictures(of: "anchor").size?.height == 240 } == [true, false]
          && viewers[1].pictures(of: "anchor").decoded > 5
      }
      #expect(Set(camera.activeLayers) == ["q", "f"])
      await viewers[0].leave()
      try await eventually("the large layer is not encoded any more") { camera.activeLayers == ["q"] }
      for participant in [viewers[1], anchor] { await participant.leave() }
    }

    @Test("a video that nobody at an edge watches does not cross, and returns when somebody does", .timeLimit(.minutes(2)))
    func watched() async throws {
      let nodes = try await Nodes()
      let anchor = try await Participant.join(nodes.owner, room: "room", as: "anchor")
      try await anchor.publish(video: .vp8, tone: nil)
      let viewer = try await Participant.join(nodes.others[0], room: "room", as: "viewer", grants: [.subscribe])
      let track = try await eventually("the track is there") { viewer.remoteTracks(of: "anchor").first }
      try await eventually("the viewer sees the anchor") { viewer.pictures(of: "anchor").decoded > 10 }
      func sent() async throws -> Int { try await nodes.owner.metric("roomserver_node_link_datagrams_sent_total") }
      try await track.setReception(isPaused: true)
      try await eventually("hardly anything crosses") {
        let before = try await sent()
        try await Task.sleep(for: .seconds(1))
        return try await sent() - before < 15
      }
      let before = viewer.pictures(of: "anchor").decoded
      try await track.setReception()
      try await eventually("the viewer sees the anchor again", within: .seconds(5)) {
        viewer.pictures(of: "anchor").decoded > before + 5
      }
      for participant in [anchor, viewer] { await participant.leave() }
    }

    /// Frames with the time at which they are sent, and how long each takes to a viewer; ms.
    private static func delays(_ count: Int, from anchor: Participant, to viewers: [Participant]) async throws -> [[Double]] {
      func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }
      let track = LocalAudioTrack()
      try await anchor.room.publish([track])
      let delays = Shared(viewers.map { _ in [Double]() })
      var readers: [Task<Void, Never>] = []
      for (index, viewer) in viewers.enumerated() {
        let remote = try await eventually("\(viewer.user) receives the track") { viewer.remoteTracks(of: anchor.user).first }
        readers.append(
          Task {
            for await frame in remote.frames where frame.data.count == 8 {
              let sent = frame.data.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
              delays.withLock { $0[index].append(Double(now() - sent) / 1e6) }
            }
          })
      }
      defer { for reader in readers { reader.cancel() } }
      var number: UInt32 = 0
      try await eventually("each viewer has \(count) frames") {
        let sent = now()
        let data = (0..<8).map { UInt8(truncatingIfNeeded: sent >> UInt64(56 - 8 * $0)) }
        number += 1
        track.send(EncodedFrame(data: data, timestamp: number * 960, isKeyFrame: true))
        return delays.value.allSatisfy { $0.count >= count }
      }
      return delays.value
    }

    @Test(
      "a packet reaches a viewer at an edge, and at an edge of an edge, hardly later than one at the owner",
      .timeLimit(.minutes(2)))
    func delay() async throws {
      let nodes = try await Nodes(fanOut: 1)
      let anchor = try await Participant.join(nodes.owner, room: "room", as: "anchor")
      let viewers = [
        try await Participant.join(nodes.owner, room: "room", as: "near", grants: [.subscribe]),
        try await Participant.join(nodes.others[0], room: "room", as: "far", grants: [.subscribe]),
        try await Participant.join(nodes.others[1], room: "room", as: "farther", grants: [.subscribe]),
      ]
      let delays = try await Self.delays(300, from: anchor, to: viewers).map { $0.sorted() }
      let medians = delays.map { $0[$0.count / 2] }
      print("p50 at the owner and at each level: \(medians) ms; p99: \(delays.map { $0[$0.count * 99 / 100] }) ms")
      #expect(medians[1] - medians[0] < 20 && medians[2] - medians[1] < 20)
      #expect(try await nodes.others[0].metric("roomserver_edge_copies") > 0, "the first edge feeds the second one")
      for participant in [anchor] + viewers { await participant.leave() }
    }

    @Test("the owner is killed: the clients of the edges return to the next owner, to their seats", .timeLimit(.minutes(2)))
    func killed() async throws {
      let nodes = try await Nodes()
      let anchor = try await Participant.join(nodes.owner, room: "room", as: "anchor")
      try await anchor.publish(video: .vp8, tone: 440)
      let guest = try await Participant.join(nodes.others[0], room: "room", as: "guest")
      let seat = try await guest.room.seats.take()
      try await guest.publish(video: .vp8, tone: 660)
      let viewer = try await Participant.join(nodes.others[1], room: "room", as: "viewer")
      try await eventually("the viewer sees both") {
        viewer.pictures(of: "anchor").decoded > 10 && viewer.pictures(of: "guest").decoded > 10
      }
      nodes.owner.kill()
      let begin = ContinuousClock.now
      try await eventually("another node owns the room") { try await nodes.faults.owner(of: "room") != nil }
      try await eventually("the guest and the viewer are back") {
        guest.room.state == .connected && viewer.room.state == .connected
          && viewer.room.participants.contains { $0.userId == "guest" }
      }
      let before = viewer.pictures(of: "guest").decoded
      try await eventually("the viewer sees the guest again") { viewer.pictures(of: "guest").decoded > before + 10 }
      print("after the end of the owner, pictures cross again after \(ContinuousClock.now - begin)")
      #expect(viewer.room.snapshot?.seats.first { $0.userId == "guest" }?.index == seat)
      for participant in [guest, viewer] { await participant.leave() }
    }

    @Test("the owner is drained: the clients of the edges follow the room", .timeLimit(.minutes(2)))
    func drained() async throws {
      let nodes = try await Nodes()
      let anchor = try await Participant.join(nodes.others[0], room: "room", as: "anchor")
      let viewer = try await Participant.join(nodes.others[1], room: "room", as: "viewer", grants: [.subscribe])
      try await anchor.publish(video: .vp8, tone: 440)
      try await eventually("the viewer sees the anchor") { viewer.pictures(of: "anchor").decoded > 10 }
      let begin = ContinuousClock.now
      #expect(try await nodes.owner.api("POST", "/v1/server/drain", json: #"{"seconds":30}"#).status == 202)
      try await eventually("the drain is over, and the node has ended") { !nodes.owner.isRunning }
      let before = viewer.pictures(of: "anchor").decoded
      try await eventually("the viewer sees the anchor again") { viewer.pictures(of: "anchor").decoded > before + 10 }
      print("pictures \(ContinuousClock.now - begin) after the begin of the drain")
      for participant in [anchor, viewer] { await participant.leave() }
    }
  }
}
