import RoomClient
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("PK of voice rooms")
  struct PKVoiceTests {
    private static let tones: KeyValuePairs = ["red": 400.0, "blue": 700, "green": 1100]
    private static let guestTone = 1600.0

    @Test(
      "the audience of each room hears the anchors of all rooms in one track, and an anchor or a guest all but itself",
      .timeLimit(.minutes(2)))
    func voices() async throws {
      try await withServer { server in
        var (anchors, listeners): ([String: Participant], [String: Participant]) = ([:], [:])
        for (name, tone) in Self.tones {
          let made = try await server.api("POST", "/v1/rooms", json: #"{"name":"\#(name)","audience":"voice"}"#)
          #expect(made.status == 201, "\(String(decoding: made.body, as: UTF8.self))")
          let anchor = try await Participant.join(
            server, room: RoomName(name), as: UserID(name), grants: [.publish, .subscribe, .admin])
          try await anchor.publish(video: nil, tone: tone)
          anchors[name] = anchor
          listeners[name] = try await Participant.join(server, room: RoomName(name), as: "listener", grants: [.subscribe])
        }
        let guest = try await Participant.join(server, room: "red", as: "guest")
        _ = try await guest.room.seats.take()
        try await guest.publish(video: nil, tone: Self.guestTone)

        var params = PKInviteParams(room: "blue")
        params.others = [PKInvitee(room: "green")]
        _ = try await anchors["red"]?.room.pk.invite(params)
        for name in ["blue", "green"] {
          let anchor = try #require(anchors[name])
          let invitation = try await eventually("\(name) is invited") { anchor.room.pk.invitations.first }
          try await anchor.room.pk.accept(invitation.pkId)
        }
        for (name, listener) in listeners {
          try await eventually("the audience of \(name) hears all anchors", within: .seconds(30)) {
            Self.hears(listener, allBut: name == "red" ? nil : Self.guestTone)
          }
          #expect(listener.room.remoteTracks.count == 1, "\(name)")
        }
        for (name, anchor) in anchors {
          let own = Self.tones.first { $0.key == name }?.value
          try await eventually("\(name) hears the others and not itself", within: .seconds(30)) {
            Self.hears(anchor, allBut: own)
          }
        }
        try await eventually("a guest hears all anchors, and not itself", within: .seconds(30)) {
          Self.hears(guest, allBut: Self.guestTone)
        }

        try await anchors["green"]?.room.pk.quit()
        let audience = try #require(listeners["blue"])
        try await eventually("green has left: blue's audience hears red and blue", within: .seconds(30)) {
          let sound = audience.sound(of: "@mix")
          return sound.hears(400) && sound.hears(700) && !sound.hears(1100)
        }
        for participant in Array(anchors.values) + Array(listeners.values) + [guest] { await participant.leave() }
      }
    }

    /// Whether a participant hears all anchors in the mix of its room.
    /// - Parameter silent: the tone that is not in it: the participant's own, or that of another room's guest.
    private static func hears(_ participant: Participant, allBut silent: Double?) -> Bool {
      let sound = participant.sound(of: "@mix")
      return tones.allSatisfy { sound.hears($0.value) == ($0.value != silent) } && (silent == nil || !sound.hears(silent ?? 0))
    }
  }
}
