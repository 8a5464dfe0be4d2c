import Foundation
import RoomClient
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("One mix for the rooms of a PK")
  struct PKSharedTests {
    @Test(
      "rooms that show the anchors in the same order send one mix, and their own when one of them mutes the other, without a gap",
      .timeLimit(.minutes(5)))
    func shared() async throws {
      try await withServer(adjust: Anchors.settings(.separate)) { server in
        try await Anchors.makeRooms(server)
        let sources = try Anchors.names.map { try Anchors.source($0) }
        let red = try await Anchors.live(server, "red", sources[0])
        let blue = try await Anchors.live(server, "blue", sources[1])
        let viewers = try await Anchors.watch(server)
        /// Waits until so many rooms send the mix of another one, and all mixes but the rooms' own are over.
        func sharing(_ count: Int, mixes: Int) async throws {
          try await eventually("\(count) of the mixes is shared, \(mixes) run", within: .seconds(30)) {
            let (shared, running) = (
              try await server.metric("roomserver_mixes_shared"), try await server.metric("roomserver_mixes")
            )
            return shared == count && running == mixes
          }
        }

        var params = PKInviteParams(room: "blue")
        params.rules = PKRules()
        params.rules?.sameOrder = true
        let pk = try await red.pk.invite(params).pkId
        try await eventually("the invitation arrives") { !blue.pk.invitations.isEmpty }
        try await blue.pk.accept(pk)
        for viewer in viewers {
          try await eventually("the viewer sees red on the left", within: .seconds(60)) {
            try viewer.sees("red|blue", for: 1.2)
          }
        }
        try await sharing(1, mixes: 1)
        try await eventually("one encoder serves both broadcasts") {
          let (sounds, encoders) = (
            try await server.metric("roomserver_broadcast_sounds"),
            try await server.metric("roomserver_broadcast_sound_encoders")
          )
          return sounds == 2 && encoders == 1
        }
        for viewer in viewers {
          try await eventually("the mix is the same for both") { try viewer.sees("red|blue", for: 2) }
        }
        // What blue's audience hears differs from what red's hears, until blue hears red again.
        try await blue.pk.mute(true, anchorOf: "red")
        try await sharing(0, mixes: 2)
        try await blue.pk.mute(false, anchorOf: "red")
        try await sharing(1, mixes: 1)
        try await red.pk.quit()
        try await Anchors.areSeen(viewers, together: false)
        try await sharing(0, mixes: 0)

        for room in [red, blue] { try await room.jobs.stop("live") }
        for (viewer, (name, source)) in zip(viewers, zip(Anchors.names, sources)) {
          // Red is not heard in blue's room all the time.
          try await viewer.seen().check(name, [name, "red|blue", name], source, tones: [name: Anchors.tones[name] ?? 0])
        }
        for room in [red, blue] { await room.leave() }
      }
    }
  }
}
