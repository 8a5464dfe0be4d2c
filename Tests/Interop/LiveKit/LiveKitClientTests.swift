import Foundation
import RoomProtocol
import RoomTestSupport
import RoomToken
import Testing

extension RealMedia {
  @Suite("LiveKit's Python SDK, unmodified", .enabled(if: LiveKitPeer.isInstalled))
  struct LiveKitClientTests {
    private static let (audio, video) = ("KIND_AUDIO", "KIND_VIDEO")

    private func join(
      _ server: TestServer, as identity: String, room: String = "a room", _ connections: LiveKitPeer.Connections = .single,
      _ adjust: (inout LiveKitToken) -> Void = { _ in }
    ) async throws -> LiveKitPeer {
      let peer = try LiveKitPeer(
        server.http("").replacing("http:", with: "ws:"), token: try server.liveKitToken(identity, room: room, adjust),
        connections)
      try await peer.reaches("\(identity) is connected") { $0.connected }
      return peer
    }

    @Test(
      "two clients publish, receive, mute, unsubscribe, unpublish, publish again and leave",
      arguments: LiveKitPeer.Connections.allCases)
    func conversation(connections: LiveKitPeer.Connections) async throws {
      try await withServer { server in
        let ann = try await join(server, as: "ann+安@example.org", connections) {
          ($0.name, $0.metadata, $0.attributes) = ("Ann", "m", ["seat": "2"])
          $0.grants.canUpdateOwnMetadata = true
        }
        #expect(ann.state?.room == "a room" && ann.state?.me.sid.hasPrefix("PA_") == true)
        try ann.tell("publish video")
        try ann.tell("publish audio")
        // This one finds the tracks there already.
        let bob = try await join(server, as: "bob", connections)
        func track(_ kind: String) -> LiveKitPeer.Track? { bob.state?.others["ann+安@example.org"]?.track(kind) }
        try await bob.reaches("bob sees the full picture of ann, and hears her") { _ in
          track(Self.video)?.width == 320 && (track(Self.video)?.frames ?? 0) > 10 && (track(Self.audio)?.energy ?? 0) > 1000
        }
        #expect(track(Self.video)?.source == "SOURCE_CAMERA" && track(Self.audio)?.source == "SOURCE_MICROPHONE")
        #expect(track(Self.video)?.name == "picture")
        let seen = try #require(bob.state?.others["ann+安@example.org"])
        #expect(seen.sid == ann.state?.me.sid && seen.name == "Ann" && seen.metadata == "m" && seen.attributes == ["seat": "2"])
        try ann.tell(#"attributes {"seat": "", "hand": "up"}"#)
        try await bob.reaches("bob sees the change") { $0.others["ann+安@example.org"]?.attributes == ["hand": "up"] }
        try bob.tell("publish audio")
        try await ann.reaches("ann hears bob") { ($0.others["bob"]?.track(Self.audio)?.energy ?? 0) > 1000 }

        try ann.tell("mute audio")
        try await bob.reaches("bob sees the mute") { _ in track(Self.audio)?.muted == true }
        try ann.tell("unmute audio")
        try await bob.reaches("bob hears ann again") { _ in
          track(Self.audio)?.muted == false && (track(Self.audio)?.energy ?? 0) > 1000
        }

        let sid = try #require(bob.state?.others["ann+安@example.org"]?.tracks.first { $0.value.kind == Self.video }?.key)
        try bob.tell("unsubscribe \(sid)")
        try await bob.reaches("the subscription ends") { _ in track(Self.video)?.subscribed == false }
        let frames = track(Self.video)?.frames ?? 0
        try bob.tell("subscribe \(sid)")
        try await bob.reaches("pictures arrive again") { _ in (track(Self.video)?.frames ?? 0) > frames + 5 }

        try ann.tell("unpublish video")
        try await bob.reaches("the video is gone") { _ in track(Self.video) == nil && track(Self.audio) != nil }
        try ann.tell("publish video")
        try await bob.reaches("the next video is there") { _ in (track(Self.video)?.frames ?? 0) > 5 }

        try ann.tell("leave")
        try await bob.reaches("bob is alone") { $0.others.isEmpty }
        try bob.tell("leave")
        try await eventually("the room is empty") { try await server.isEmpty() }
        #expect(ann.state?.events.contains { $0.hasPrefix("failed") } == false)
        #expect(bob.state?.events.contains("reconnecting") == false)
      }
    }

    @Test("a client and a RoomClient receive each other")
    func mixed() async throws {
      try await withServer { server in
        let ann = try await Participant.join(server, room: "demo", as: "ann")
        try await ann.publish(video: .vp8, tone: 440)
        let bob = try await join(server, as: "bob", room: "demo")
        try await bob.reaches("bob sees and hears ann") {
          ($0.others["ann"]?.track(Self.video)?.frames ?? 0) > 10 && ($0.others["ann"]?.track(Self.audio)?.energy ?? 0) > 100
        }
        try bob.tell("publish video")
        try bob.tell("publish audio")
        try await eventually("ann sees bob") { ann.pictures(of: "bob").decoded > 10 }
        try await eventually("ann hears bob") { ann.sound(of: "bob").hears(440) }
        try await ann.mute(true)
        try await bob.reaches("bob sees the mutes") { $0.others["ann"]?.tracks.values.allSatisfy(\.muted) == true }
        await ann.leave()
        try await bob.reaches("bob is alone") { $0.others.isEmpty }
      }
    }

    @Test("a removed client, one whose room is closed, and one whose identity joins again know why")
    func ends() async throws {
      try await withServer { server in
        let ann = try await join(server, as: "ann", room: "demo")
        let bob = try await join(server, as: "bob", room: "demo")
        let again = try await join(server, as: "bob", room: "demo")
        try await bob.reaches("the first bob is replaced") { $0.reason == "DUPLICATE_IDENTITY" }
        _ = try await server.api("DELETE", "/v1/rooms/demo/participants/ann")
        try await ann.reaches("ann is removed") { $0.reason == "PARTICIPANT_REMOVED" }
        try await again.reaches("bob sees it") { $0.others.isEmpty }
        _ = try await server.api("DELETE", "/v1/rooms/demo")
        try await again.reaches("the room is closed") { $0.reason == "ROOM_DELETED" }
      }
    }

    @Test("a track that the token does not permit is not published; permissions change while the clients are in the room")
    func permission() async throws {
      try await withServer { server in
        let ann = try await join(server, as: "ann") { $0.grants.canPublishSources = [.microphone] }
        let bob = try await join(server, as: "bob") { $0.grants.canPublish = false }
        try ann.tell("publish audio")
        try await bob.reaches("bob hears ann") { ($0.others["ann"]?.track(Self.audio)?.energy ?? 0) > 1000 }
        try bob.tell("publish audio")
        try ann.tell("publish video")
        try await ann.reaches("ann is refused") { $0.events.contains { $0.hasPrefix("failed") } }
        try await bob.reaches("bob is refused") { $0.events.contains { $0.hasPrefix("failed") } }
        let carl = try await join(server, as: "carl") { $0.grants.canSubscribe = false }
        try await carl.reaches("carl sees ann's track") { $0.others["ann"]?.tracks.count == 1 }
        #expect(carl.state?.others["ann"]?.track(Self.audio)?.subscribed == false)
        #expect(bob.state?.others["ann"]?.tracks.count == 1 && ann.state?.others["bob"]?.tracks.isEmpty == true)

        func permit(_ user: String, _ grants: String) async throws {
          let path = "/v1/rooms/:a:20room/participants/\(user)/permissions"
          #expect(try await server.api("PUT", path, json: #"{"grants":\#(grants)}"#).status == 200)
        }
        try await permit("carl", #"["subscribe"]"#)
        try await carl.reaches("carl hears ann") { ($0.others["ann"]?.track(Self.audio)?.energy ?? 0) > 1000 }
        try await permit("bob", #"["publish","subscribe"]"#)
        try bob.tell("publish audio")
        try await ann.reaches("ann hears bob") { ($0.others["bob"]?.track(Self.audio)?.energy ?? 0) > 1000 }
        try await permit("ann", #"["subscribe"]"#)
        try await bob.reaches("ann's track is gone") { $0.others["ann"]?.tracks.isEmpty == true }
      }
    }
  }
}
