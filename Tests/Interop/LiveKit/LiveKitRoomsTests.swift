import Foundation
import RoomProtocol
import RoomTestSupport
import RoomToken
import Testing

extension RealMedia {
  @Suite("LiveKit's participants in other rooms", .enabled(if: LiveKitPeer.isInstalled))
  struct LiveKitRoomsTests {
    private func join(_ server: TestServer, as identity: String, room: String) async throws -> LiveKitPeer {
      let peer = try LiveKitPeer(
        server.http("").replacing("http:", with: "ws:"), token: try server.liveKitToken(identity, room: room))
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

    @Test("a participant is moved to another room, and publishes there", arguments: LiveKitAdmin.Form.allCases)
    func move(form: LiveKitAdmin.Form) async throws {
      try await withServer { server in
        let admin = LiveKitAdmin(server: server, form: form)
        let ann = try await join(server, as: "ann", room: "one")
        let bob = try await join(server, as: "bob", room: "two")
        let cat = try await join(server, as: "cat", room: "one")
        for kind in ["video", "audio"] { try ann.tell("publish \(kind)") }
        try await cat.reaches("cat sees and hears ann") { Self.plays("ann", $0) }
        let call = #"{"room": "one", "identity": "ann", "destination_room": "two"}"#
        #expect(try await admin.call("move_participant", call).isEmpty)
        try await bob.reaches("bob sees and hears ann") { Self.plays("ann", $0) }
        try await cat.reaches("ann has left the other room") { $0.others.isEmpty }
        try await ann.reaches("ann sees bob, and nobody else") { $0.connected && Array($0.others.keys) == ["bob"] }
      }
    }
  }
}
