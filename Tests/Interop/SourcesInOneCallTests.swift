import RoomCodecs
import RoomRTP
import RoomClient
import RoomMedia
import RoomTestSupport
import Testing

/// Tests `Room.publish()` of RoomMedia with real media.
extension RealMedia {
  @Suite("A microphone and a camera in one call")
  struct SourcesInOneCallTests {
    @Test(
      "media pushed into them is received by another client, which reports the first decoded picture",
      .timeLimit(.minutes(1)))
    func publish() async throws {
      try await withServer { server in
        let bob = try await Participant.join(server, as: "bob")
        let events = bob.room.events()
        let ada = try await Room.connect(to: server.url, token: try await server.token(user: "ada"))
        let (audio, video) = try await ada.publish()
        #expect(ada.me?.tracks.map(\.tag) == ["microphone", "camera"])
        #expect(ada.me?.tracks.allSatisfy(\.master) == true)
        let size = video.configuration.settings
        let pushing = Task {
          var tone = ToneGenerator(frequency: 440)
          for step in Int64(0)... {
            guard (try? await Task.sleep(for: .milliseconds(20))) != nil else { return }
            audio.push(AudioFrame(samples: tone.next(960), format: .mono48k, timestamp: MediaTime(milliseconds: step * 20)))
            if step % 3 == 0,
              let picture = try? VideoFrame(
                width: size.width, height: size.height, timestamp: MediaTime(milliseconds: step * 20))
            {
              video.push(picture)
            }
          }
        }
        defer { pushing.cancel() }
        try await eventually("bob sees and hears ada") {
          bob.pictures(of: "ada").decoded > 5 && bob.sound(of: "ada").hears(440)
        }
        try await ada.unpublishAudio()
        try await ada.unpublishVideo()
        let microphone = try await ada.publishAudio()
        let camera = try await ada.publishVideo()
        #expect(
          Set(ada.me?.tracks.map(\.trackId) ?? []) == Set([microphone.track.trackId, camera.track.trackId].compactMap(\.self)))
        await ada.leave()
        await bob.leave()
        var decoded: [String] = []
        for await event in events {
          if case .firstVideoFrameDecoded(let track) = event { decoded.append("\(track.userId) \(track.kind)") }
        }
        #expect(decoded == ["ada video"])
      }
    }
  }
}
