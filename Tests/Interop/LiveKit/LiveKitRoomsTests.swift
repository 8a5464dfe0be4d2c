import Foundation
import RoomProtocol
import RoomTestSupport
import RoomToken
import Testing

extension RealMedia {
  @Suite("LiveKit's participants in other rooms", .enabled(if: LiveKitPeer.isInstalled))
  struct LiveKitRoomsTests {
    private func join(
      _ server: TestServer, as identity: String, room: String, _ connections: LiveKitPeer.Connections = .single
    ) async throws -> LiveKitPeer {
      let peer = try LiveKitPeer(
        server.http("").replacing("http:", with: "ws:"), token: try server.liveKitToken(identity, room: room),
        connections)
      try await peer.reaches("\(identity) is connected") { $0.connected }
      return peer
    }

    private static func plays(_ user: String, _ state: LiveKitPeer.State) -> Bool {
      (state.others[user]?.track("KIND_VIDEO")?.frames ?? 0) > 10
        && (state.others[user]?.track("KIND_AUDIO")?.energy ?? 0) > 1000
    }

    @Test("a participant is forwarded to another room, and leaves it", arguments: LiveKitAdmin.Form.allCases)
    func forward(form: LiveKitAdmin.Form) async throws {
      try await withServer(grace: .seconds(2)) { server in
        let admin = LiveKitAdmin(server: server, form: form)
        let ann = try await join(server, as: "ann", room: "one")
        let bob = try await join(server, as: "bob", room: "two")
        try ann.tell("publish video")
        let call = #"{"room": "one", "identity": "ann", "destination_room": "two"}"#
        #expect(try await admin.call("forward_participant", call).isEmpty)
        try ann.tell("publish audio")
        try await bob.reaches("bob sees and hears ann") { Self.plays("ann", $0) }
        #expect(ann.state?.others.isEmpty == true)
        let shown = try await admin.call("get_participant", #"{"room": "two", "identity": "ann"}"#)
        #expect(shown["kindDetails"] as? [String] == ["FORWARDED"], "\(shown)")
        try ann.tell("mute audio")
        try await bob.reaches("bob sees the mute") { $0.others["ann"]?.track("KIND_AUDIO")?.muted == true }
        try await admin.call("remove_participant", #"{"room": "two", "identity": "ann"}"#)
        try await bob.reaches("ann is no longer shown") { $0.others.isEmpty }
        #expect(ann.state?.connected == true)
        _ = try await admin.call("forward_participant", call)
        try await bob.reaches("ann is shown again") { ($0.others["ann"]?.track("KIND_VIDEO")?.frames ?? 0) > 5 }
        try ann.tell("leave")
        try await bob.reaches("ann has left") { $0.others.isEmpty }
        let missing = try await admin.call("forward_participant", call)
        #expect(missing["error"] as? String == "not_found")
      }
    }

    @Test(
      "a participant is moved to another room and back: its connections and the ids of its tracks stay",
      arguments: zip(LiveKitAdmin.Form.allCases, LiveKitPeer.Connections.allCases))
    func move(form: LiveKitAdmin.Form, connections: LiveKitPeer.Connections) async throws {
      try await withServer { server in
        let admin = LiveKitAdmin(server: server, form: form)
        let ann = try await join(server, as: "ann", room: "one", connections)
        let bob = try await join(server, as: "bob", room: "two", connections)
        let cat = try await join(server, as: "cat", room: "one", connections)
        for kind in ["video", "audio"] { for peer in [ann, bob, cat] { try peer.tell("publish \(kind)") } }
        try await cat.reaches("cat sees and hears ann") { Self.plays("ann", $0) }
        try await ann.reaches("ann sees and hears cat") { Self.plays("cat", $0) }
        let tracks = try #require(ann.state?.me.tracks.keys.sorted())

        func move(from source: String, to destination: String, _ left: LiveKitPeer, _ here: (String, LiveKitPeer)) async throws
        {
          let call = #"{"room": "\#(source)", "identity": "ann", "destination_room": "\#(destination)"}"#
          #expect(try await admin.call("move_participant", call).isEmpty)
          try await here.1.reaches("\(here.0) sees and hears ann") { Self.plays("ann", $0) }
          try await left.reaches("ann has left the other room") { $0.others.isEmpty }
          try await ann.reaches("ann sees and hears \(here.0), and nobody else") { state in
            Array(state.others.keys) == [here.0] && Self.plays(here.0, state) && state.room == destination
          }
        }
        try await move(from: "one", to: "two", cat, ("bob", bob))
        try ann.tell("mute audio")
        try await bob.reaches("bob sees the mute") { $0.others["ann"]?.track("KIND_AUDIO")?.muted == true }
        try ann.tell("unmute audio")
        try ann.tell("data reliable all topic here")
        try await bob.reaches("bob has what ann sent") { $0.data.contains { $0.text == "here" && $0.sender == "ann" } }
        #expect(cat.state?.data.isEmpty == true)
        try await move(from: "two", to: "one", bob, ("cat", cat))
        let state = try #require(ann.state)
        #expect(state.me.tracks.keys.sorted() == tracks && state.events.filter { $0 == "moved" }.count == 2)
        #expect(!state.events.contains { $0.contains("reconnect") || $0.hasPrefix("failed") } && state.reason == nil)

        try ann.tell("simulate SIMULATE_SIGNAL_RECONNECT")
        try await ann.reaches("ann resumes in the room where she is") { $0.events.contains("reconnected") }
        try await cat.reaches("cat sees and hears ann still") { Self.plays("ann", $0) }
        #expect(ann.state?.room == "one" && cat.state?.others["ann"]?.tracks.keys.sorted() == tracks)
      }
    }
  }
}
