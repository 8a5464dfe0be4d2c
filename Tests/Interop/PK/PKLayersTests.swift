import RoomClient
import RoomCodecs
import RoomMedia
import RoomProtocol
import RoomRTP
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("Layers of anchors in a PK")
  struct PKLayersTests {
    @Test(
      "while all rooms of a PK show an anchor in half of the picture, the anchor's larger layer is not encoded",
      .timeLimit(.minutes(5)))
    func layers() async throws {
      try await withServer(adjust: Anchors.settings(.separate)) { server in
        try await Anchors.makeRooms(server)
        let (width, height) = (Anchors.picture.width, Anchors.picture.height)
        let settings = VideoEncoderSettings(width: width, height: height, fps: 15, bitrate: 500_000, keyFrameInterval: 0)
        let camera = try SimulcastSource(
          VideoConfiguration(codec: .h264, speed: .ultrafast, settings), smaller: [.middleLayer(of: settings)])
        let pattern = try TestPattern(width: width, height: height)
        let pictures = Task {
          for number in 0... {
            let time = MediaTime(ticks: Int64(number), rate: 15)
            camera.push(try pattern.frame(number: number, milliseconds: time.microseconds / 1000, timestamp: time))
            try await Task.sleep(for: .milliseconds(66))
          }
        }
        defer { pictures.cancel() }
        // The mixes alone decide, not what the other anchor receives.
        func join(_ name: String, _ tracks: [any LocalTrack], _ kinds: [TrackKind]) async throws -> Room {
          var options = RoomOptions()
          options.autoSubscribe = false
          let room = try await Room.connect(to: server.url, token: try await Anchors.token(server, name), options: options)
          try await room.publish(tracks)
          try await room.jobs.start(ForwardParams(jobId: "live", publishUrl: try server.rtmp("live/\(name)"), kinds: kinds))
          return room
        }
        let source = try Anchors.source("blue")
        let red = try await join("red", [camera.track], [.video])
        let blue = try await join("blue", source.tracks, [.audio, .video])
        try await eventually("the whole picture is sent", within: .seconds(30)) { camera.activeLayers.contains("f") }

        try await Anchors.meet(red, blue)
        try await eventually("the half is enough for both rooms", within: .seconds(60)) { camera.activeLayers == ["q"] }
        let shown = camera.statistics[0].encoded
        try await eventually("both mix it", within: .seconds(30)) {
          try await server.metric("roomserver_mixes") == 2 && camera.statistics[0].encoded > shown + 30
        }
        #expect(camera.activeLayers == ["q"])
        try await red.pk.quit()
        try await eventually("the whole picture is sent again", within: .seconds(30)) { camera.activeLayers.contains("f") }
        for room in [red, blue] {
          try await room.jobs.stop("live")
          await room.leave()
        }
      }
    }
  }
}
