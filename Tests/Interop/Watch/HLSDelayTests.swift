import RoomChromium
import RoomClient
import RoomCodecs
import RoomMedia
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  /// From drawing a picture at the publisher until it is on the screen of a viewer in Chromium, by the clock in the picture.
  @Suite("The delay of low-latency HLS on the watch page")
  struct HLSDelayTests {
    /// The limit for 95 % of the time, in milliseconds.
    private static let most = 3000

    @Test("the first picture is there within two seconds, and pictures are younger than three seconds")
    func delay() async throws {
      try await withServer { server in
        try await server.openRoom()
        let host = try await server.goLive()
        let viewer = try await WatchUser.open(server.http("/watch/demo"), without: .webRTC)
        try await viewer.plays(by: "hls")
        // The browser is warm on the second visit, and the server cuts the stream already.
        try await viewer.page.go(to: server.http("/watch/demo?again"))
        let first = try await viewer.firstPicture(of: "?again")
        #expect(first < 2000, "the first picture after \(first) ms")
        try await viewer.plays(by: "hls")
        let delays = try await viewer.delays(for: .seconds(20))
        #expect(delays.p95 < Self.most, "\(delays)")
        #expect(delays.ages.count > 10 * delays.illegible, "\(delays)")
        print("watch page by low-latency HLS: first picture after \(first) ms, \(delays)")
        try await viewer.page.close()
        await host.leave()
      }
    }

    @Test("a viewer of a killed server plays again after its restart without a reload, and is as near to the publisher")
    func killed() async throws {
      var server = try await ServerProcess([])
      let port = server.port
      var host = try await Host.goLive(server)
      let viewer = try await WatchUser.open("http://127.0.0.1:\(port)/watch/demo", without: .webRTC)
      try await viewer.plays(by: "hls")
      let _: Bool = try await viewer.page.evaluate("(window.isTheSamePage = true)")
      server.kill()
      await host.room.leave()
      try await eventually("the loss is noticed") {
        try await viewer.page.evaluate("document.querySelector('room-player').getAttribute('state') !== 'playing'")
      }
      server = try await ServerProcess([], port: port)
      host = try await Host.goLive(server)
      try await viewer.plays(by: "hls", within: .seconds(120))
      let delays = try await viewer.delays(for: .seconds(10))
      #expect(delays.p95 < Self.most, "\(delays)")
      print("watch page by low-latency HLS after a restart of the server: \(delays)")
      #expect(try await viewer.page.evaluate("window.isTheSamePage === true") as Bool)
      try await viewer.page.close()
      await host.room.leave()
      server.kill()
    }

    /// A publisher with a clock in its picture at a server in its own process, on air as `live/demo`.
    private struct Host {
      var room: Room
      private var video: VideoSource
      private var sound: AudioSource

      static func goLive(_ server: ServerProcess) async throws -> Host {
        let room = try await Room.connect(to: server.url, token: try server.token(user: "host"))
        let settings = VideoEncoderSettings(width: 320, height: 180, fps: 15, bitrate: 250_000, keyFrameInterval: 0)
        let video = try VideoSource.testPattern(VideoConfiguration(codec: .h264, speed: .ultrafast, settings))
        let sound = try AudioSource.tone(frequency: 440)
        try await room.publish([sound.track, video.track])
        let job = #"{"jobId":"live","userId":"host","publishUrl":"rtmp://origin/live/demo"}"#
        try await eventually("the job starts") { try await server.api("POST", "/v1/rooms/demo/jobs", json: job).status == 201 }
        return Host(room: room, video: video, sound: sound)
      }
    }
  }
}
