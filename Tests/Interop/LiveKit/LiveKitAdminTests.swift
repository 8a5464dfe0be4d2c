import Foundation
import RoomProtocol
import RoomTestSupport
import RoomToken
import Testing

extension RealMedia {
  @Suite("LiveKit's server API by its Python SDK, unmodified", .enabled(if: LiveKitPeer.isInstalled))
  struct LiveKitAdminTests {
    @Test(
      "an app server creates a room, changes and mutes a client, ends its subscription, and removes it",
      arguments: LiveKitAdmin.Form.allCases)
    func service(form: LiveKitAdmin.Form) async throws {
      try await withServer { server in
        let admin = LiveKitAdmin(server: server, form: form)
        let made = try await admin.call("create_room", #"{"name": "a room", "empty_timeout": 60, "metadata": "first"}"#)
        #expect(made["name"] as? String == "a room" && (made["sid"] as? String)?.hasPrefix("RM_") == true)
        let url = server.http("").replacing("http:", with: "ws:")
        let ann = try LiveKitPeer(url, token: try server.liveKitToken("ann+x", room: "a room"))
        let bob = try LiveKitPeer(url, token: try server.liveKitToken("bob", room: "a room"))
        try await ann.reaches("ann is connected") { $0.connected && $0.metadata == "first" }
        try ann.tell("publish audio")
        func track() -> (key: String, value: LiveKitPeer.Track)? { bob.state?.others["ann+x"]?.tracks.first }
        try await bob.reaches("bob hears ann") { _ in (track()?.value.energy ?? 0) > 1000 }
        let sid = try #require(track()?.key)

        let list = try await admin.call("list_participants", #"{"room": "a room"}"#)
        let all = try #require(list["participants"] as? [[String: Any]])
        let listed = try #require(all.first { $0["identity"] as? String == "ann+x" })
        #expect(all.count == 2 && listed["sid"] as? String == ann.state?.me.sid && listed["state"] as? String == "ACTIVE")
        #expect((listed["tracks"] as? [[String: Any]])?.first?["sid"] as? String == sid)
        let rooms = try await admin.call("list_rooms", "{}")["rooms"] as? [[String: Any]]
        #expect(rooms?.first?["numParticipants"] as? Int == 2 && rooms?.first?["numPublishers"] as? Int == 1)

        let named = #""room": "a room", "identity": "ann+x""#
        let changed = try await admin.call(
          "update_participant", "{\(named), \"name\": \"Ann\", \"metadata\": \"m\", \"attributes\": {\"seat\": \"2\"}}")
        #expect(changed["name"] as? String == "Ann")
        try await ann.reaches("ann sees her own change") { $0.me.name == "Ann" && $0.me.attributes == ["seat": "2"] }
        try await bob.reaches("bob sees it") {
          $0.others["ann+x"]?.metadata == "m" && $0.others["ann+x"]?.attributes == ["seat": "2"]
        }
        _ = try await admin.call("update_room_metadata", #"{"room": "a room", "metadata": "second"}"#)
        for peer in [ann, bob] { try await peer.reaches("the room's metadata") { $0.metadata == "second" } }

        let muted = try await admin.call("mute_published_track", "{\(named), \"track_sid\": \"\(sid)\", \"muted\": true}")
        #expect((muted["track"] as? [String: Any])?["muted"] as? Bool == true)
        try await ann.reaches("ann is muted") { $0.me.tracks[sid]?.muted == true }
        try await bob.reaches("bob sees it") { _ in track()?.value.muted == true }
        _ = try await admin.call("mute_published_track", "{\(named), \"track_sid\": \"\(sid)\", \"muted\": false}")
        try await bob.reaches("bob hears ann again") { _ in track()?.value.muted == false && (track()?.value.energy ?? 0) > 1000
        }

        // The SDK shows only the changes of its own: the server counts what it sends.
        let bobs = #""room": "a room", "identity": "bob", "track_sids": ["\#(sid)"]"#
        for isSubscribed in [false, true] {
          _ = try await admin.call("update_subscriptions", "{\(bobs), \"subscribe\": \(isSubscribed)}")
          try await eventually("the subscription has changed") {
            try await server.metric("roomserver_subscriptions") == (isSubscribed ? 1 : 0)
          }
        }

        _ = try await admin.call("send_data", #"{"room": "a room", "data": "aGk=", "topic": "t"}"#)
        try await bob.reaches("the data") { $0.data.contains { $0.topic == "t" && $0.text == "hi" } }
        _ = try await admin.call("remove_participant", "{\(named)}")
        try await ann.reaches("ann is removed") { $0.reason == "PARTICIPANT_REMOVED" }
        try await bob.reaches("bob is alone") { $0.others.isEmpty }
        let missing = try await admin.call("get_participant", "{\(named)}")
        #expect(missing["error"] as? String == "not_found" && missing["status"] as? Int == 404)
        _ = try await admin.call("delete_room", #"{"room": "a room"}"#)
        try await bob.reaches("the room is closed") { $0.reason == "ROOM_DELETED" }
        #expect(try await admin.call("list_rooms", "{}").isEmpty)
      }
    }
  }
}
