import RoomChromium
import Foundation
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  /// Does in the console what an app's users do: going live, a PK, a voice room.
  @Suite("Shows in the console")
  struct ConsoleShowTests {
    /// Creates a room with small pictures.
    private func makeRoom(_ name: String, on server: TestServer) async throws {
      let json = """
        {"name":"\(name)","pk":{"width":320,"height":240,"fps":12,"videoKbps":300,"preset":"ultrafast",
        "own":{"x":0,"y":0,"width":160,"height":240},"peer":{"x":160,"y":0,"width":160,"height":240}}}
        """
      #expect(try await server.api("POST", "/v1/rooms", json: json).status == 201)
    }

    @Test(
      "two users go live, do a PK on one split screen with audio, and end it", arguments: BrowserKind.installed)
    func pk(mayas: BrowserKind) async throws {
      try await withServer(adjust: Firefox.reach) { server in
        try await mayas.run { try await pk(on: server, maya: $0, leo: try Chromium.shared()) }
      }
    }

    private func pk(on server: TestServer, maya mayas: any Browser, leo leos: any Browser) async throws {
      let maya = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: mayas, ownWindow: true)
      let leo = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: leos, ownWindow: true)
      for room in ["red", "blue"] { try await makeRoom(room, on: server) }
      try await maya.goLive(as: "maya", room: "red", url: "rtmp://origin/live/red")
      try await leo.goLive(as: "leo", room: "blue", url: "rtmp://origin/live/blue")
      for user in [maya, leo] {
        try await user.sees(".on-air[data-phase=live]")
        try await user.sees(".seat.mine[data-seat='0']")
      }

      // Rejected with a message.
      try await leo.click("[data-action=invite-pk]")
      try await leo.choose("red", in: "#pk-room")
      try await leo.click("dialog[open] [data-action=confirm]")
      try await leo.reads("/Waiting for .*red/", in: "[data-kind=pk-out]")
      try await maya.reads("/leo of blue invites/", in: "[data-kind=pk-in]")
      try await maya.click("[data-action=reject-pk]")
      try await leo.reads("/rejected the PK: not now/", in: ".pk-words")

      // Accepted.
      try await maya.click("[data-action=invite-pk]")
      try await maya.choose("blue", in: "#pk-room")
      try await maya.click("dialog[open] [data-action=confirm]")
      try await leo.click("[data-action=accept-pk]")
      try await maya.watches("leo@blue")
      try await leo.watches("maya@red")
      try await maya.hears()
      try await leo.hears()
      // A user's own side is the left one for both.
      for (user, sides) in [(maya, ["maya", "leo@blue"]), (leo, ["leo", "maya@red"])] {
        try await user.sees(".tiles.pk")
        #expect(
          try await user.page.evaluate("[...document.querySelectorAll('.tile')].map(tile => tile.dataset.user)") == sides)
      }
      for _ in 0..<2 { try await maya.click("[data-action=score-10]") }
      try await leo.reads("/^20$/", in: ".score .peer b")
      try await maya.click("[data-action=mute-peer]")
      try await leo.reads("/they have muted you/", in: ".pk-words")

      // Viewers receive both, at the same URL as before.
      try await maya.click(".on-air")
      try await maya.seesBothHalves(of: "dialog[open] room-player >> video", width: 320)
      try await maya.click("dialog[open] [aria-label=Close]")

      // The opponent sends, although they are connected to another room.
      try await maya.reads("/Sends from another room|bps/", in: ".person[data-user='leo@blue'] .person-line")

      // A lost connection is announced beside the score.
      try await leo.disconnect()
      try await leo.sees(".stage-notice")
      let isBeside = """
        (([notice, score]) => notice.width > 0 && score.width > 0 && notice.top >= score.bottom)(
          ['.stage-notice', '.score'].map(each => document.querySelector(each).getBoundingClientRect()))
        """
      #expect(try await leo.page.evaluate(isBeside) as Bool)
      try await leo.reconnect()
      try await leo.seesNo(".stage-notice")

      try await leo.click("[data-action=quit-pk]")
      for (user, guest) in [(maya, "leo@blue"), (leo, "maya@red")] {
        try await user.seesNo(".tile[data-user='\(guest)']")
        try await user.reads("/The PK was ended by/", in: ".pk-words")
        #expect(try await user.page.evaluate("document.querySelectorAll('.tile').length") as Int == 1)
        try await user.sees(".on-air[data-phase=live]")
        try await user.reportsNoErrors()
        try await user.page.close()
      }
    }

    @Test(
      "a listener requests a seat in a voice room, speaks, and is kicked from it; the operator sees it",
      arguments: BrowserKind.installed)
    func voiceRoom(kind: BrowserKind) async throws {
      try await kind.withServer { try await voiceRoom(on: $0, in: $1) }
    }

    private func voiceRoom(on server: TestServer, in browser: any Browser) async throws {
      let amira = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: browser, ownWindow: true)
      let jonas = try await ConsoleUser.signIn(server, token: try server.apiToken(), in: browser, ownWindow: true)
      try await amira.goLive(as: "amira", room: "voices", url: "", audience: "voice")
      try await amira.choose("gridFour", in: "[data-action=layout]")
      try await amira.sees(".seat[data-seat='3']")
      try await jonas.go("rooms/voices")
      try await jonas.listen(as: "jonas")
      try await jonas.hears()
      try await jonas.seesNo(".controls [data-action=microphone]")

      // Sent to all, and shown over the picture.
      try await jonas.click("[data-action=barrage]")
      try await jonas.type("good evening", into: "[data-chat=text]")
      try await jonas.click("[data-action=send]")
      try await amira.reads("/jonas.*good evening/", in: ".message")
      try await amira.reads("/good evening/", in: ".flying")
      try await amira.click("[data-gift=rose]")
      try await jonas.reads("/amira.*gives a rose/", in: ".messages")

      // Requested, granted, and audible.
      try await jonas.click(".seat[data-seat='2'] [data-action=ask]")
      try await amira.reads("/jonas requested seat 3/", in: "[data-kind=request]")
      try await amira.click("[data-action=accept-request]")
      try await jonas.sees(".seat.mine[data-seat='2']")
      try await jonas.sees(".controls [data-action=microphone]:not(.off)")
      try await amira.reads("/jonas/", in: ".seat[data-seat='2'] .seat-name")
      try await amira.hears()

      // Muted by the host; the seat shows it.
      try await amira.click(".seat[data-seat='2'] [data-action=mute-seat]")
      try await jonas.sees(".controls [data-action=microphone].off")
      try await jonas.sees(".seat[data-seat='2'] [data-mark=microphone-off]")

      // Removed from the seat: nothing of jonas is published any more, and the page shows the reason.
      try await amira.click(".seat[data-seat='2'] [data-action=kick-seat]")
      try await jonas.reads("/removed from your seat by amira/", in: ".toasts")
      try await jonas.seesNo(".seat.mine")
      try await jonas.seesNo(".controls [data-action=microphone]")
      try await eventually("jonas publishes nothing") {
        let (status, body) = try await server.api("GET", "/v1/rooms/voices")
        struct Room: Decodable { let participants: [ParticipantInfo] }
        let room = try JSONDecoder().decode(Room.self, from: body)
        return status == 200 && room.participants.first { $0.userId == "jonas" }?.tracks.isEmpty == true
      }

      // An operator watches: a live picture of the room, and its events.
      try await jonas.click(".controls [data-action=leave]")
      try await jonas.go("overview")
      try await jonas.plays(".wall-tile[data-room=voices].on video")
      try await amira.click(".seat[data-seat='1'] [data-action=lock-seat]")
      try await jonas.reads("/seat 2 locked/", in: ".log")
      for user in [amira, jonas] {
        try await user.reportsNoErrors()
        try await user.page.close()
      }
    }
  }
}
