import RoomClient
import RoomMedia
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("A mix in two sizes")
  struct MixLayerTests {
    @Test("a participant gets a published mix at half its size when it selects that, and the whole picture again")
    func halfSize() async throws {
      try await withServer(adjust: { $0.relay.mixCores = 8 }) { server in
        let alice = try await Participant.join(server, as: "alice", grants: [.publish, .subscribe, .relay])
        let bob = try await Participant.join(server, as: "bob")
        try await alice.publish(video: .h264, tone: 440)
        try await alice.room.jobs.start(
          MergeParams(
            jobId: "mix", publishAs: "mix", width: 640, height: 360, fps: 15, preset: .ultrafast,
            layouts: [TrackLayout(userId: "alice", x: 0, y: 0, width: 640, height: 360)]))
        let track = try await eventually("bob receives the mix") {
          bob.remoteTracks(of: "mix").first { $0.kind == .video }
        }
        let playback = try VideoPlayback(track)
        let width = Shared(0)
        let reader = Task { for await picture in playback.frames { width.value = picture.width } }
        defer { reader.cancel() }
        for (limit, expected) in [(nil, 640), (200, 320), (nil, 640), (180, 320)] as [(Int?, Int)] {
          try await track.setReception(maxHeight: limit)
          try await eventually("pictures of \(expected) pixels") { width.value == expected }
        }
        // A switch may cut the last frame of the old layer; a key frame follows at once.
        #expect(playback.statistics.failed <= 1)
        for participant in [alice, bob] { await participant.leave() }
      }
    }
  }
}
