import Foundation
import RoomClient
import RoomLiveOrigin
import RoomMedia
import RoomPeers
import RoomProtocol
import RoomRelay
import RoomServer
import RoomTestSupport
import Synchronization
import Testing

extension RealMedia {
  @Suite("An audience that chooses how it watches")
  struct AudienceTests {
    /// What an audience showed last, and its player's pictures.
    private final class Screen: Sendable {
      private struct State: Sendable {
        var log: [String] = []
        var watched: WatchedStream?
        var errors: [StreamFailure] = []
      }

      let audience: Audience
      private let state: Shared
      private let task: Task<Void, Never>

      private final class Shared: Sendable { let state = Mutex(State()) }

      init(_ room: Room, options: Audience.Options = .init()) {
        let audience = Audience(room, options: options)
        let shared = Shared()
        let changes = audience.changes()
        self.audience = audience
        state = shared
        task = Task {
          for await change in changes {
            shared.state.withLock { state in
              switch change {
              case .lowLatency: state.log.append("tracks")
              case .stream(let player):
                state.log.append("stream")
                state.watched = WatchedStream(player)
              case .streamEnded: state.log.append("ended")
              case .failed(let failure): state.errors.append(failure)
              }
            }
          }
        }
      }

      deinit { task.cancel() }

      var log: [String] { state.state.withLock { $0.log } }
      var watched: WatchedStream? { state.state.withLock { $0.watched } }
      var errors: [StreamFailure] { state.state.withLock { $0.errors } }
    }

    private func goLive(_ server: TestServer, to url: String = "rtmp://origin/live/demo") async throws -> Participant {
      let anchor = try await Participant.join(server, as: "anchor", grants: [.publish, .subscribe, .relay, .admin])
      try await anchor.publish(video: .h264, tone: 440)
      try await anchor.room.jobs.start(ForwardParams(jobId: "live", publishUrl: url))
      try await eventually("the job is on air") { anchor.room.jobs.all.contains { $0.onAir == true && $0.state == .connected } }
      return anchor
    }

    @Test("from tracks to the own origin and back: the picture continues, and only one way is used", .timeLimit(.minutes(2)))
    func modes() async throws {
      let protection = HotlinkProtection(play: .init(key: "pull", validity: 300))
      try await withServer(adjust: { $0.origin.protection = protection }) { server in
        let anchor = try await goLive(server)
        let fan = try await Participant.join(server, as: "fan", grants: [.subscribe])
        let screen = Screen(fan.room)
        try await eventually("the tracks are shown") { fan.pictures(of: "anchor").decoded > 10 }

        let before = fan.pictures(of: "anchor").decoded
        try await screen.audience.watch(.ownCDN())
        #expect(screen.audience.mode == .ownCDN() && screen.audience.player?.state == .playing)
        #expect(fan.pictures(of: "anchor").decoded > before, "the tracks are shown until the stream plays")
        try await eventually("the stream is shown") {
          screen.watched?.now.pictures.decoded ?? 0 > 10 && screen.watched?.now.sound.hears(440) == true
        }
        try await eventually("the server sends no tracks") {
          try await server.metric("roomserver_subscriptions") == 0 && fan.room.remoteTracks.isEmpty
        }
        // A track that is published now is not received either.
        let guest = try await Participant.join(server, as: "guest")
        try await guest.publish(video: .h264, tone: 660)
        try await eventually("the guest is known") {
          fan.room.participants.contains { $0.userId == "guest" && !$0.tracks.isEmpty }
        }
        #expect(fan.room.remoteTracks.isEmpty)

        let picture = PlayPicture(width: 256, height: 144, fps: 10)
        let old = try #require(screen.audience.player)
        try await screen.audience.watch(.ownCDN(picture))
        #expect(old.state == .ended && old.statistics.stalls == 0)
        try await eventually("the variant is shown") {
          screen.watched?.now.pictures.size == PictureSize(width: 256, height: 144)
        }

        let shown = fan.pictures(of: "anchor").decoded
        try await screen.audience.watch(.lowLatency)
        #expect(screen.audience.player == nil)
        #expect(!fan.room.remoteTracks.isEmpty, "tracks arrive before the stream stops")
        try await eventually("the tracks are shown again") {
          fan.pictures(of: "anchor").decoded > shown + 10 && fan.pictures(of: "guest").decoded > 0
        }
        try await eventually("the server has no viewer") {
          try await server.metric("roomserver_origin_viewers{protocol=\"flv\"}") == 0
        }
        #expect(screen.log == ["stream", "stream", "tracks"] && screen.errors.isEmpty)
        for participant in [guest, fan, anchor] { await participant.leave() }
      }
    }

    @Test("a user who takes a seat gets the tracks, and returns to the stream on leaving it", .timeLimit(.minutes(2)))
    func seats() async throws {
      try await withServer { server in
        let anchor = try await goLive(server)
        let fan = try await Participant.join(server, as: "fan", grants: [.publish, .subscribe])
        let screen = Screen(fan.room)
        try await screen.audience.watch(.ownCDN())
        try await eventually("nothing is received in the room") { try await server.metric("roomserver_subscriptions") == 0 }
        _ = try await fan.room.seats.take()
        try await eventually("on the seat it has the tracks") {
          screen.log == ["stream", "tracks"] && fan.pictures(of: "anchor").decoded > 10
        }
        #expect(screen.audience.mode == .ownCDN() && screen.audience.player == nil)
        try await fan.room.seats.leave()
        try await eventually("off the seat it has the stream") {
          screen.log == ["stream", "tracks", "stream"] && screen.audience.player?.state == .playing
        }
        try await eventually("and no tracks") { fan.room.remoteTracks.isEmpty }
        for participant in [fan, anchor] { await participant.leave() }
      }
    }

    @Test("a stream that ends is played again when the room is on air again", .timeLimit(.minutes(2)))
    func returns() async throws {
      try await withServer { server in
        let anchor = try await goLive(server)
        let fan = try await Participant.join(server, as: "fan", grants: [.subscribe])
        let screen = Screen(fan.room, options: .init(player: .init(reconnect: .never)))
        try await screen.audience.watch(.ownCDN())
        try await anchor.room.jobs.stop("live")
        try await eventually("the stream has ended") { screen.log == ["stream", "ended"] }
        try await anchor.room.jobs.start(ForwardParams(jobId: "again", publishUrl: "rtmp://origin/live/demo"))
        try await eventually("it is shown again") {
          screen.log == ["stream", "ended", "stream"] && screen.audience.player?.state == .playing
        }
        for participant in [fan, anchor] { await participant.leave() }
      }
    }

    @Test("a server that is killed and started again: the stream plays again, without tracks", .timeLimit(.minutes(3)))
    func restart() async throws {
      let data = FileManager.default.temporaryDirectory.appending(path: "data-\(UUID().uuidString)").path
      defer { try? FileManager.default.removeItem(atPath: data) }
      let (port, rtmp) = (try TCPPort.free(), try TCPPort.free())
      let arguments = ["--data", data, "--rtmp-port", "\(rtmp)", "--workers", "1", "--play-key", "pull"]
      let first = try await ServerProcess(arguments, port: port)
      let source = try FlashAndBeep()
      let options = RoomOptions(reconnect: .unlimited)
      let anchor = try await Room.connect(
        to: first.url, token: try first.token(user: "anchor", grants: [.publish, .subscribe, .relay, .admin]), options: options)
      try await anchor.publish(source.tracks)
      try await anchor.jobs.start(ForwardParams(jobId: "live", publishUrl: "rtmp://origin/live/demo"))
      let fan = try await Room.connect(
        to: first.url, token: try first.token(user: "fan", grants: [.subscribe]),
        options: RoomOptions(receivesTracks: false, reconnect: .unlimited))
      try await eventually("the job is on air") { anchor.jobs.all.contains { $0.onAir == true } }
      let screen = Screen(fan, options: .init(player: .init(reconnect: .unlimited), prefersRTMP: true))
      try await screen.audience.watch(.ownCDN())
      try await eventually("the stream is shown") { screen.watched?.now.pictures.decoded ?? 0 > 10 }
      let shown = try #require(screen.watched)
      first.kill()
      try await eventually("the player notices") { shown.player.state != .playing }
      let second = try await ServerProcess(arguments, port: port)
      let before = shown.now.pictures.decoded
      try await eventually("it plays again", within: .seconds(60)) {
        shown.player.state == .playing && shown.now.pictures.decoded > before + 10
      }
      #expect(shown.player.statistics.reconnections > 0 && screen.log == ["stream"])
      try await eventually("the room is joined again") { fan.state == .connected && anchor.state == .connected }
      // The new server may offer tracks before it learns that this client wants none.
      try await eventually("no track is received") { fan.remoteTracks.isEmpty }
      await fan.leave()
      await anchor.leave()
      second.kill()
    }

    @Test(
      "a third-party CDN: the URL of the room, or the app's; a wrong one is an error, and the old way plays on",
      .enabled(if: NginxRTMP.isInstalled), .timeLimit(.minutes(2)))
    func thirdParty() async throws {
      try await withServer(adjust: { $0.relay.broadcasts.targets = try RelayTargets(parsing: ["127.0.0.1"]) }) { server in
        let nginx = try await NginxRTMP()
        let push = """
          {"mode":"manual","publishUrl":"\(nginx.url("{room}"))",
          "playUrls":{"a-hls":"https://cdn.example/{room}.m3u8","rtmp":"\(nginx.url("{room}"))"}}
          """
        let made = try await server.api("POST", "/v1/rooms", json: #"{"name":"demo","push":\#(push)}"#)
        #expect(made.status == 201, "\(String(decoding: made.body, as: UTF8.self))")
        let anchor = try await Participant.join(server, as: "anchor", grants: [.publish, .subscribe, .relay])
        try await anchor.publish(video: .h264, tone: 440)
        try await anchor.room.jobs.start(ForwardParams(jobId: "live"))
        try await eventually("the CDN has it") { anchor.room.jobs.all.contains { $0.onAir == true && $0.state == .connected } }

        let fan = try await Participant.join(server, as: "fan", grants: [.subscribe])
        let screen = Screen(fan.room)
        try await screen.audience.watch(.thirdParty())
        try await eventually("the CDN's stream is shown") {
          screen.watched?.now.pictures.decoded ?? 0 > 10 && screen.watched?.now.sound.hears(440) == true
        }
        let player = try #require(screen.audience.player)
        let missing = await #expect(throws: StreamFailure.self) {
          try await screen.audience.watch(.thirdParty(url: server.http("/live/none.flv")))
        }
        #expect(missing?.code == .cdnSubscribeFailed)
        let unknown = await #expect(throws: StreamFailure.self) {
          try await screen.audience.watch(.ownCDN(PlayPicture(width: 255, height: 144)))
        }
        #expect(unknown?.code == .cdnParameters)
        #expect(screen.audience.mode == .thirdParty() && player.state == .playing && screen.audience.player === player)
        try await screen.audience.watch(.thirdParty(url: nginx.url("demo")))
        #expect(player.state == .ended && screen.audience.player?.state == .playing)
        for participant in [fan, anchor] { await participant.leave() }
      }
    }
  }
}
