import RoomClient
import RoomProtocol
import RoomTestSupport
import Testing

/// Tests a PK between a browser and a RoomClient.
extension RealMedia {
  @Suite("PK with Chromium")
  struct PKChromiumTests {
    @Test(
      "a browser as anchor accepts, receives the other one, and quits; the viewers of both see the split screen",
      .timeLimit(.minutes(3)))
    func browser() async throws {
      try await withServer(adjust: Anchors.settings(.separate)) { server in
        try await Anchors.makeRooms(server)
        let red = try await BrowserClient.open()
        try await red.join(url: server.url, token: try await Anchors.token(server, "red"))
        _ = try await red.publish(video: .init(codec: "H264", color: "#d02020"), audio: .init(frequency: 1000))
        try await red.request("startForward", ForwardParams(jobId: "live", publishUrl: try server.rtmp("live/red")))
        let source = try Anchors.source("blue")
        let blue = try await Participant.join(
          server, room: "blue", as: "blue", grants: [.publish, .subscribe, .relay, .admin])
        try await blue.room.publish(source.tracks)
        try await blue.room.jobs.start(ForwardParams(jobId: "live", publishUrl: try server.rtmp("live/blue")))
        let viewers = try await Anchors.watch(server)

        let invited = try await blue.room.pk.invite("red", in: "red")
        try await eventually("the browser is invited") {
          try await red.told("pkInvited", as: PKInvitation.self)?.pkId == invited.pkId
        }
        try await red.request("acceptPK", PKParams(pkId: invited.pkId))
        try await eventually("the browser sees and hears the other anchor") {
          let received = try await red.received().filter { $0.userId == "blue@blue" }
          return received.contains { $0.kind == .video && $0.framesDecoded >= 15 && $0.width == 192 }
            && received.contains { $0.kind == .audio && abs($0.frequency - 600) < 12 && $0.level > -60 }
        }
        try await eventually("the other anchor sees and hears the browser") {
          blue.pictures(of: "red@red").decoded >= 15 && blue.sound(of: "red@red").hears(1000)
        }
        #expect(try await red.told("pkBegan", as: PKInfo.self)?.userId == "blue")
        try await Anchors.areSeen(viewers, together: true)
        try await red.request("quitPK")
        try await eventually("the other anchor is notified") { blue.room.pk.current == nil }
        try await eventually("the browser is notified") { try await red.told("pkEnded", as: PKEndedData.self)?.by == "red" }
        try await Anchors.areSeen(viewers, together: false)
        try await red.request("stopJob", JobParams(jobId: "live"))
        try await blue.room.jobs.stop("live")
        for (viewer, looks) in zip(viewers, [["red", "red|blue", "red"], ["blue", "blue|red", "blue"]]) {
          let seen = try await viewer.seen()
          // A browser may take a while to send a key frame.
          #expect(seen.looks.filter { !$0.contains("none") } == looks)
          #expect(seen.recording.steps("video").allSatisfy { $0 > 0 })
          #expect(seen.recording.steps("audio").allSatisfy { $0 > 0.0225 && $0 < 0.0245 })
          // Both are audible while both are visible.
          for run in seen.runs where run.look.contains("|") {
            for tone in Anchors.tones.values {
              let (heard, all) = seen.hears(tone, in: run)
              #expect(heard * 10 >= all * 7, "\(tone) Hz in \(heard) of \(all)")
            }
          }
        }
        #expect(try await red.state().failure == nil)
        try await red.leave()
        try await red.close()
        await blue.leave()
      }
    }
  }
}
