import RoomChromium
import RoomLinkModel
import RoomLossyLink
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The console on a thin network")
  struct ConsoleNetworkTests {
    @Test("a picture that does not fit is paused with a note, and the bars of all show whose connection is bad")
    func thin() async throws {
      try await withServer(adjust: { $0.media.workers = 1 }) { server in
        let port = try #require(server.mediaPorts.first)
        let link = try LossyLink(to: port, toClient: Self.limited(kbps: 5000), seed: 7)
        let alice = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: .shared())
        let bob = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: try Chromium())
        try await bob.receives(through: link.port, insteadOf: port)
        #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"demo"}"#).status == 201)
        for (user, name) in [(alice, "alice"), (bob, "bob")] {
          try await user.go("rooms/demo")
          try await user.join(as: name)
        }
        try await bob.watches("alice")
        try await bob.reads("/\\d+×\\d+/", in: ".tile[data-user=alice] .tile-size")
        try await bob.sees(Self.bars(of: "alice", "alice’s connection: sending good, receiving good"))
        try await bob.seesNo(".tile-note")

        // Little more than the sound, so that not even fewer pictures fit.
        link.set(.toClient, to: Self.limited(kbps: 75))
        try await bob.reads("/Paused: your connection is too slow/", in: ".tile[data-user=alice] .tile-note")
        try await bob.sees(".tile[data-user=alice].paused video")
        try await bob.sees(Self.bars(of: "bob", "Your connection: sending good, receiving bad"))
        try await alice.sees(Self.bars(of: "bob", "bob’s connection: sending good, receiving bad"))
        try await bob.reads("/↓ .*\\sof\\s.*bps/", in: ".person[data-user=bob] .person-line")
        try await bob.hears()

        // The server repeats both to a session that resumes.
        try await bob.disconnect()
        try await bob.sees(".stage-notice")
        try await bob.reconnect()
        try await bob.seesNo(".stage-notice")
        try await bob.sees(".tile[data-user=alice] .tile-note")
        try await bob.sees(Self.bars(of: "bob", "Your connection: sending good, receiving bad"))

        link.set(.toClient, to: Self.limited(kbps: 5000))
        try await bob.seesNo(".tile-note", within: .seconds(60))
        try await bob.watches("alice")
        // On a busy machine the picture may stay reduced, which is weak.
        try await alice.sees(
          ".tile[data-user=bob] .quality-bars:not([aria-label$='receiving bad'])", within: .seconds(60))

        // One's own choice has a note of its own.
        try await bob.choose("paused", in: ".tile[data-user=alice] [data-action=quality]")
        try await bob.reads("/Paused by you/", in: ".tile[data-user=alice] .tile-note")
        try await bob.choose("best", in: ".tile[data-user=alice] [data-action=quality]")
        try await bob.seesNo(".tile-note")
        try await bob.watches("alice")

        for user in [alice, bob] {
          try await user.reportsNoErrors()
          try await user.page.close()
        }
      }
    }

    /// The selector of a user's bars that say this.
    private static func bars(of user: UserID, _ text: String) -> String {
      ".tile[data-user=\(user)] .quality-bars[aria-label='\(text)']"
    }

    private static func limited(kbps: Int64) -> LinkConditions {
      var conditions = LinkConditions(delay: 20_000)
      conditions.limit(rate: kbps * 1000, queueing: 300)
      return conditions
    }
  }
}

extension ConsoleUser {
  /// Lets the page receive over UDP from another port of this machine than the server offers.
  fileprivate func receives(through port: UInt16, insteadOf offered: UInt16) async throws {
    let _: Bool = try await page.evaluate(
      """
      (() => {
        const set = RTCPeerConnection.prototype.setRemoteDescription
        RTCPeerConnection.prototype.setRemoteDescription = function ({ type, sdp }) {
          if (type === 'offer') {
            sdp = sdp.replaceAll(/a=candidate:\\S+ \\d+ tcp .*\\r\\n/gi, '')
              .replaceAll(/(a=candidate:\\S+ \\d+ udp \\S+ \\S+) \(offered) /gi, '$1 \(port) ')
          }
          return set.call(this, { type, sdp })
        }
        return true
      })()
      """)
  }
}
