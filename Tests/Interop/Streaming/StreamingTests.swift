import Foundation
import RoomClient
import RoomCodecs
import RoomHTTPServer
import RoomLinkModel
import RoomLiveOrigin
import RoomLossyLink
import RoomMedia
import RoomPeers
import RoomProtocol
import RoomServer
import RoomStreaming
import RoomTestSupport
import Synchronization
import Testing

extension RealMedia {
  @Suite("A client's push")
  struct StreamingTests {
    private func video(_ bitrate: Int = 250_000, width: Int = 320, height: Int = 180, fps: Int = 24) -> VideoConfiguration {
      VideoConfiguration(
        speed: .ultrafast, VideoEncoderSettings(width: width, height: height, fps: fps, bitrate: bitrate, keyFrameInterval: fps)
      )
    }

    private func session(
      _ options: StreamingOptions = .init(statusInterval: .milliseconds(500)), video: VideoConfiguration? = nil,
      trust: ServerTrust = .system, resolver: StreamingResolver? = nil
    ) throws -> LiveFeed {
      LiveFeed(
        try StreamingSession(
          StreamingSetup(video: video ?? self.video(), trust: trust, resolver: resolver), options: options))
    }

    /// Starts a push as soon as ffmpeg listens.
    private func start(_ feed: LiveFeed, _ url: String) async throws {
      try await eventually("ffmpeg listens") {
        do throws(StreamingFailure) {
          try await feed.session.start(url)
          return true
        } catch {
          switch error {
          case .unreachable, .timedOut: return false
          default: throw error
          }
        }
      }
    }

    /// Expects that ffmpeg decodes a file without an error.
    /// - Parameter end: the last time that is decoded, in seconds; nil for all. A receiver of SRT discards what it has not delivered
    ///   when the connection closes: on a busy machine the last picture.
    private func expectDecodes(
      _ file: String, until end: Double? = nil, at location: SourceLocation = #_sourceLocation
    ) throws {
      let part = end.map { "-t \($0)" } ?? ""
      // The time base of the file: in that of the frame rate, two pictures may have one time.
      let command =
        "ffmpeg -nostdin -v error -xerror \(part) -i '\(file)' -fps_mode passthrough -enc_time_base:v -1 -f null - 2>&1"
      let errors = String(decoding: try run(["sh", "-c", command]), as: UTF8.self)
      #expect(errors == "", sourceLocation: location)
    }

    /// The duration in seconds, without the last 0.3 s of pictures.
    private func end(of recording: Recording) throws -> Double {
      let times = recording.packets.filter { $0.codec_type == "video" }.map(\.dts)
      return try #require(times.last) - (try #require(times.first)) - 0.3
    }

    private func waitForStream(_ server: TestServer, _ path: String) async throws {
      try await eventually("the stream is published") {
        let text = String(decoding: try await server.api("GET", "/v1/streams").body, as: UTF8.self)
        return text.contains("\"path\":\"\(path)\"") && text.contains("h264") && text.contains("aac")
      }
    }

    @Test(
      "ffmpeg records H.264 and AAC without gaps; the picture decodes; another size needs no other connection",
      arguments: [false, true])
    func ffmpeg(overSRT: Bool) async throws {
      let sink = try RTMPSink(overSRT: overSRT)
      let feed = try session()
      try await start(feed, sink.url)
      #expect(await feed.session.state == .connected)
      try await sink.receives(pictures: 48, audio: 90)
      try await feed.session.reconfigure(video(200_000, width: 256, height: 144))
      try await sink.receives(pictures: 120, audio: 200)
      try await eventually("the rates are reported") {
        feed.statuses.contains { abs($0.videoFPS - 24) < 6 && abs($0.audioFPS - 43) < 8 && $0.audioKilobits > 20 }
      }
      #expect(feed.statuses.allSatisfy { $0.connections <= 1 })
      await feed.session.stop()
      let recording = try await sink.received()
      #expect(recording.video?.codec_name == "h264" && recording.audio?.codec_name == "aac")
      #expect(recording.audio?.sample_rate == "44100" && recording.streams.count == 2)
      #expect(recording.steps("audio").allSatisfy { $0 > 0.020 && $0 < 0.026 })
      #expect(recording.steps("video").allSatisfy { $0 > 0 && $0 < 0.5 }, "\(recording.steps("video").max() ?? 0)")
      try expectDecodes(sink.file)
      try await eventually("the states are reported") { feed.states.last == .disconnected }
      #expect(feed.states.suffix(4) == [.connecting, .connected, .disconnecting, .disconnected])
    }

    @Test(
      "the own origin takes the push, over RTMP and over RTMPS with a name that the app resolves", arguments: [false, true])
    func origin(isSecure: Bool) async throws {
      let files = try CertificateFiles()
      try await withServer(adjust: { $0.tls = TLSSettings(certificate: files.certificate, key: files.key) }) { server in
        let token = try await server.token(user: "studio", room: "studio", grants: [.publish])
        let stream = "live/studio?token=\(token)"
        let url = try isSecure ? server.rtmps(stream).replacing("127.0.0.1", with: "localhost") : server.rtmp(stream)
        let feed = try session(
          trust: .certificates(path: files.certificate), resolver: isSecure ? StreamingResolver { _ in ["127.0.0.1"] } : nil)
        try await feed.session.start(url)
        await #expect(throws: StreamingFailure.alreadyRunning) { try await feed.session.start(url) }
        try await waitForStream(server, "live/studio")
        let probe = try Peer.probe(try server.rtmp("live/studio"), packets: 100)
        #expect(try await probe.finish() == 0, "\(probe.text)")
        #expect(probe.text.contains("\"h264\"") && probe.text.contains("\"aac\""))
        await feed.session.stop()
        try await eventually("the publish is over") { try await server.metric("roomserver_origin_streams") == 0 }
      }
    }

    @Test("SRT into the own origin and into a room, with encryption; each refusal is reported with its cause")
    func overSRT() async throws {
      try await withServer(adjust: {
        $0.origin.srt.listens = true
        $0.origin.srt.passphrase = "of ten bytes"
      }) { server in
        let options = "&passphrase=of%20ten%20bytes"
        func token(_ room: RoomName, _ seconds: Double = 3600) async throws -> String {
          try await server.token(user: "studio", room: room, grants: [.publish], expiresIn: seconds)
        }
        let feed = try session()
        try await feed.session.start(
          try server.srt("%23!::r=live/studio,m=publish,token=\(try await token("studio"))", options))
        try await waitForStream(server, "live/studio")
        let second = try session()
        func failure(_ streamID: String, _ options: String) async throws -> StreamingFailure? {
          let url = try server.srt(streamID, options)
          do throws(StreamingFailure) {
            try await second.session.start(url)
            return nil
          } catch { return error }
        }
        let studio = try await token("studio")
        #expect(try await failure("live/studio?token=\(studio)", options) == .rejected("1409 the stream is already published"))
        #expect(try await failure("live/other?token=\(studio)", options) == .unauthorized("1403 access denied"))
        #expect(try await failure("live/other", options) == .unauthorized("1401 the stream id has no valid token"))
        let old = try await token("studio", -60)
        #expect(try await failure("live/studio?token=\(old)", options) == .expired("2401 the token has expired"))
        guard case .unauthorized = try await failure("live/other?token=\(studio)", "&passphrase=another%20secret") else {
          Issue.record("\(second.failures)")
          return
        }
        await feed.session.stop()
        try await eventually("the publish is over") { try await server.metric("roomserver_origin_streams") == 0 }

        let viewer = try await Participant.join(server, as: "viewer")
        try await feed.session.start(try server.srt("room/demo?token=\(try await token("demo"))", options))
        try await eventually("the room sees and hears the push") {
          viewer.pictures(of: "studio").decoded >= 20 && viewer.sound(of: "studio").hears(440)
        }
        await feed.session.stop()
        await viewer.leave()
      }
    }

    @Test("a session that is released ends its stream, and a cancelled start does not begin one")
    func released() async throws {
      try await withServer { server in
        let token = try await server.token(user: "studio", room: "studio", grants: [.publish])
        let url = try server.rtmp("live/studio?token=\(token)")
        do {
          let feed = try session()
          try await feed.session.start(url)
          try await waitForStream(server, "live/studio")
        }
        try await eventually("the publish is over") { try await server.metric("roomserver_origin_streams") == 0 }

        // The resolver does not answer before the cancellation.
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let feed = try session(
          resolver: StreamingResolver { _ in
            ask.yield()
            await untilCancelled()
            return []
          })
        let starting = Task { () -> StreamingFailure? in
          do throws(StreamingFailure) {
            try await feed.session.start(url)
            return nil
          } catch { return error }
        }
        for await _ in asked { break }
        starting.cancel()
        #expect(await starting.value == .stopped)
        #expect(await feed.session.state == .disconnected)
      }
    }

    @Test("each reason why a push does not start is told apart")
    func refusals() async throws {
      let protection = HotlinkProtection(publish: .init(key: "push", validity: 300), play: .init(key: "pull"))
      try await withServer(adjust: { $0.origin.protection = protection }) { server in
        let feed = try session(.init(reconnects: .default))
        func failure(_ url: String) async -> StreamingFailure? {
          do throws(StreamingFailure) {
            try await feed.session.start(url)
            return nil
          } catch { return error }
        }
        let now = Int64(Date().timeIntervalSince1970)
        let old = try #require(protection.query(path: "/live/studio", for: .publish, unixTime: now - 400))
        guard case .expired = await failure(try server.rtmp("live/studio?\(old)")) else {
          Issue.record("\(feed.failures)")
          return
        }
        #expect(await feed.session.state == .error)
        guard case .rejected = await failure(try server.rtmp("live/studio?wsSecret=00&wsTime=\(String(now, radix: 16))"))
        else {
          Issue.record("\(feed.failures)")
          return
        }
        guard case .unreachable = await failure("rtmp://127.0.0.1:\(try TCPPort.free())/live/studio") else {
          Issue.record("\(feed.failures)")
          return
        }
        let unnamed = try session(resolver: StreamingResolver { _ in [] })
        await #expect(throws: StreamingFailure.nameNotFound("live.example")) {
          try await unnamed.session.start("rtmp://live.example/live/studio")
        }
        #expect(await failure("ftp://example.com/live?key=1") == .invalidURL("ftp://example.com/live"))
        guard case .unauthorized = await failure(server.http("/whip/demo")) else {
          Issue.record("\(feed.failures)")
          return
        }
        #expect(!feed.states.contains(.autoReconnecting) && !feed.states.contains(.connected))
      }
    }

    @Test(
      "nginx-rtmp is restarted: the push reconnects, and its time continues", .enabled(if: NginxRTMP.isInstalled),
      .timeLimit(.minutes(3)))
    func reconnect() async throws {
      let nginx = try await NginxRTMP()
      let feed = try session(.init(reconnects: .default, statusInterval: .milliseconds(500)))
      try await feed.session.start(nginx.url("live"))
      let before = try await play(nginx.url("live"))
      let crash = ContinuousClock.now
      nginx.kill()
      try await eventually("the loss is reported") { feed.states.last == .autoReconnecting }
      try await nginx.start()
      try await eventually("it is back") { feed.states.last == .connected }
      let after = try await play(nginx.url("live"))
      let gone = (ContinuousClock.now - crash) / .seconds(1)
      for kind in ["video", "audio"] {
        let (last, first) = (try #require(before.times(kind).last), try #require(after.times(kind).first))
        #expect(first > last && first < last + gone + 3, "\(kind): \(last), then \(first) after \(gone) s")
      }
      try await eventually("the second connection is counted") { feed.statuses.last?.connections == 2 }
      await feed.session.stop()
    }

    @Test("a change of the network moves the push to a new connection, unless the app says no", .timeLimit(.minutes(2)))
    func network() async throws {
      try await withServer { server in
        let (changes, change) = AsyncStream.makeStream(of: Void.self)
        let source = Mutex("192.0.2.1")
        let view = NetworkView(changes: { changes }, source: { _ in source.withLock { $0 } })
        let asked = Mutex<[NetworkChange]>([])
        let setup = StreamingSetup(
          video: video(),
          networkChange: .ask { change in
            asked.withLock { $0.append(change) }
            return change.to == "192.0.2.3"
          })
        let options = StreamingOptions(reconnects: .default, statusInterval: .milliseconds(500))
        let feed = LiveFeed(try StreamingSession(setup, options: options, network: view))
        let token = try await server.token(user: "studio", room: "studio", grants: [.publish])
        try await feed.session.start(try server.rtmp("live/studio?token=\(token)"))
        try await eventually("media is sent") { (feed.statuses.last?.videoFPS ?? 0) > 0 }
        for (address, count) in [("192.0.2.2", 1), ("192.0.2.3", 2)] {
          source.withLock { $0 = address }
          change.yield()
          try await eventually("the app is asked") { asked.withLock { $0.count } == count }
        }
        try await eventually("the push has a new connection") { feed.statuses.last?.connections == 2 }
        #expect(feed.states == [.connecting, .connected, .autoReconnecting, .connected])
        #expect(asked.withLock { $0.map(\.from) } == ["192.0.2.1", "192.0.2.2"])
        await feed.session.stop()
      }
    }

    private func play(_ url: String) async throws -> Recording {
      // Keeps the original timestamps instead of starting at zero.
      try await Task.detached { try Recording(url, ["-read_intervals", "%+2"]) }.value
    }

    @Test(
      "a network that falls from 2.5 to 0.5 Mbit/s: bitrate and frame rate step down, the audio has no gap, the picture decodes",
      .timeLimit(.minutes(3)), arguments: [false, true])
    func thin(overSRT: Bool) async throws {
      let sink = try RTMPSink(overSRT: overSRT)
      let pipe = try SlowPath(to: sink.port, overSRT: overSRT)
      let feed = try session(
        .init(minBitrate: 300_000, isFrameRateDynamic: true, statusInterval: .milliseconds(500)), video: video(1_500_000))
      try await start(feed, overSRT ? "srt://127.0.0.1:\(pipe.port)" : "rtmp://127.0.0.1:\(pipe.port)/live/anchor")
      try await sink.receives(pictures: 60, audio: 100)
      #expect(feed.statuses.last?.targetBitrate == 1_500_000 && feed.statuses.last?.targetFPS == 24)
      pipe.limit(62_500)
      try await eventually("the bitrate falls") { (feed.statuses.last?.targetBitrate ?? .max) < 500_000 }
      try await eventually("the queue is short again") { (feed.statuses.last?.queued ?? .max) < 800 }
      #expect(feed.statuses.allSatisfy { $0.targetBitrate >= 300_000 && $0.targetFPS >= 10 && $0.queued < 2600 })
      pipe.limit(20_000)
      try await eventually("the frame rate falls") { (feed.statuses.last?.targetFPS ?? 24) <= 12 }
      pipe.limit(312_500)
      let now = feed.statuses.last?.droppedFrames ?? 0
      try await eventually("the frame rate returns", within: .seconds(60)) { feed.statuses.last?.targetFPS == 24 }
      #expect(feed.states.allSatisfy { $0 == .connecting || $0 == .connected })
      print("dropped \(now) pictures; bitrates \(feed.statuses.map { $0.targetBitrate / 1000 })")
      await feed.session.stop()
      let recording = try await sink.received()
      pipe.stop()
      #expect(recording.steps("audio").allSatisfy { $0 > 0.020 && $0 < 0.026 }, "\(recording.steps("audio").max() ?? 0)")
      try expectDecodes(sink.file, until: overSRT ? try end(of: recording) : nil)
      let pictures = recording.packets.filter { $0.codec_type == "video" }
      // A shorter one may be a stall of the machine, in which no picture was made.
      for (last, next) in zip(pictures, pictures.dropFirst()) where next.dts - last.dts > 0.8 {
        #expect(next.flags?.hasPrefix("K") == true, "a hole from \(last.dts) to \(next.dts) ends with no key frame")
      }
    }

    @Test(
      "SRT over a round trip of 100 ms with 5 % loss: nothing is missing, and at most the start costs a step of the bitrate",
      .timeLimit(.minutes(2)))
    func lossy() async throws {
      let sink = try RTMPSink(overSRT: true)
      let conditions = LinkConditions(loss: 0.05, delay: 50_000)
      let link = try LossyLink(to: sink.port, toTarget: conditions, toClient: conditions, seed: 7)
      let feed = try session(.init(minBitrate: 300_000, statusInterval: .milliseconds(500)), video: video(1_500_000))
      try await start(feed, "srt://127.0.0.1:\(link.port)?latency=1000")
      try await sink.receives(pictures: 240, audio: 400)
      await feed.session.stop()
      let recording = try await sink.received()
      link.stop()
      let statuses = "\(feed.statuses.map { [$0.targetBitrate, Int($0.droppedFrames), $0.queued] })"
      #expect(feed.statuses.allSatisfy { $0.droppedFrames == 0 && $0.queued < 1500 }, "\(statuses)")
      // A machine that is busy for a moment delays packets as a queue on the path does, which costs a step too.
      let low = feed.statuses.count { $0.targetBitrate < 1_050_000 }
      #expect(low * 4 <= feed.statuses.count, "\(statuses)")
      #expect((feed.statuses.last?.queued ?? .max) < 300)
      #expect(recording.steps("audio").allSatisfy { $0 > 0.020 && $0 < 0.026 }, "\(recording.steps("audio").max() ?? 0)")
      // An encoder that stands still with the machine skips pictures; the network loses none.
      let missing = recording.steps("video").reduce(0) { $0 + Int(($1 * 24).rounded()) - 1 }
      #expect(missing <= feed.skippedPictures && recording.steps("video").allSatisfy { $0 > 0 }, "\(missing) missing")
      try expectDecodes(sink.file, until: try end(of: recording))
    }

    @Test(
      "WHIP on a network that falls from 2.5 to 0.5 Mbit/s: the bitrate falls and returns, the sound stays whole, pictures follow",
      .timeLimit(.minutes(3)))
    func thinWHIP() async throws {
      try await withServer(grace: .seconds(1)) { server in
        let viewer = try await Participant.join(server, as: "viewer")
        let network = BadNetwork(LinkConditions(delay: 10_000), seed: 20)
        network.limitToServer(2_500_000)
        var setup = StreamingSetup(video: video(1_500_000))
        setup.mediaAddressOverride = { network.detour(for: $0) }
        let feed = LiveFeed(
          try StreamingSession(
            setup, options: .init(minBitrate: 200_000, isFrameRateDynamic: true, statusInterval: .milliseconds(500))))
        let token = try await server.token(user: "camera", grants: [.publish])
        try await feed.session.start(server.http("/whip/demo"), token: token)
        try await eventually("the full bitrate is sent") {
          (feed.statuses.last?.videoKilobits ?? 0) > 1200 && viewer.sound(of: "camera").hears(440)
        }
        network.limitToServer(500_000)
        try await eventually("the bitrate falls") { (feed.statuses.last?.videoKilobits ?? .max) < 450 }
        // A stall of the machine conceals sound too: one stretch of several has to be without.
        var (heard, concealed, seen) = (0, 0, 0)
        for _ in 0..<4 {
          let (before, count) = (viewer.listening(to: "camera"), feed.statuses.count)
          let pictures = viewer.pictures(of: "camera").decoded
          try await eventually("some seconds on the slow network") { feed.statuses.count >= count + 12 }
          let after = viewer.listening(to: "camera")
          seen = viewer.pictures(of: "camera").decoded - pictures
          heard = Int(after?.samples ?? 0) - Int(before?.samples ?? 0)
          concealed = Int(after?.concealedSamples ?? 0) - Int(before?.concealedSamples ?? 0)
          if concealed * 100 < heard { break }
        }
        network.limitToServer(2_500_000)
        try await eventually("the bitrate returns", within: .seconds(60)) { (feed.statuses.last?.videoKilobits ?? 0) > 1000 }
        #expect(heard > 5 * 48_000 && concealed * 100 < heard, "\(concealed) of \(heard) samples")
        #expect(seen > 20, "\(seen) pictures in 6 s")
        #expect(feed.states == [.connecting, .connected])
        await feed.session.stop()
        await viewer.leave()
      }
    }

    @Test("WHIP into a room: a participant sees and hears the push, also of a camera that publishes into another room")
    func whip() async throws {
      try await withServer(grace: .seconds(1)) { server in
        let viewer = try await Participant.join(server, as: "viewer")
        let feed = try session()
        let token = try await server.token(user: "camera", grants: [.publish])
        try await feed.session.start(server.http("/whip/demo"), token: token)
        try await eventually("pictures arrive") { viewer.pictures(of: "camera").decoded >= 20 }
        #expect(viewer.pictures(of: "camera").size == PictureSize(width: 320, height: 180))
        try await eventually("the tone is heard") { viewer.sound(of: "camera").hears(440) }
        #expect(viewer.codecs(of: "camera") == ["h264", "opus"])
        try await eventually("the rates are reported") {
          feed.statuses.contains {
            abs($0.videoFPS - 24) < 6 && abs($0.audioFPS - 50) < 10 && $0.targetFPS == 24 && $0.targetBitrate > 200_000
          }
        }

        let other = try await Participant.join(server, room: "other", as: "host")
        let listener = try await Participant.join(server, room: "other", as: "listener")
        let sources = try await other.room.publish(video: video())
        feed.session.share(camera: sources.video, microphone: sources.audio)
        try await eventually("the other room sees and hears the same") {
          listener.pictures(of: "host").decoded >= 10 && listener.sound(of: "host").hears(440)
        }
        feed.session.share(camera: nil, microphone: nil)

        await feed.session.stop()
        try await eventually("the camera has left", within: .seconds(10)) { viewer.room.participants.isEmpty }
        #expect(feed.states == [.connecting, .connected, .disconnecting, .disconnected])
        for participant in [viewer, other, listener] { await participant.leave() }
      }
    }

    @Test("a participant of a room is beside the camera in the pushed picture, is heard with it, and leaves it")
    func mix() async throws {
      try await withServer { server in
        let sink = try RTMPSink()
        let (host, guest) = (
          try await Participant.join(server, as: "host"), try await Participant.join(server, as: "guest")
        )
        try await guest.publish(video: .h264, tone: 880, colour: 1)
        try await eventually("the host receives the guest") { host.remoteTracks(of: "guest").count == 2 }
        let tracks = host.remoteTracks(of: "guest")
        let feed = try session()
        var mix = StreamingMix(width: 320, height: 180, camera: .init(x: 0, y: 45, width: 160, height: 90))
        try feed.session.setMix(mix)
        try await start(feed, sink.url)
        try await eventually("the camera is alone on the canvas", within: .seconds(60)) {
          try sink.shows("blue|none", for: 0.3)
        }
        mix.pictures = tracks.filter { $0.kind == .video }.map { .init($0, in: .init(x: 160, y: 45, width: 160, height: 90)) }
        mix.sounds = tracks.filter { $0.kind == .audio }
        try feed.session.setMix(mix)
        try await eventually("the guest is beside the camera", within: .seconds(60)) { try sink.shows("blue|red", for: 1) }
        try feed.session.setMix(nil)
        try await eventually("the camera is full again", within: .seconds(60)) { try sink.shows("blue", for: 0.3) }
        await feed.session.stop()
        let recording = try await sink.received()
        #expect(recording.steps("audio").allSatisfy { $0 > 0.020 && $0 < 0.026 })
        try expectDecodes(sink.file)
        let heard = try Tones(sink.file)
        // A machine that stalls for a second leaves gaps in the sound of the microphone.
        #expect(heard.share(of: 440) > 0.6, "\(heard.share(of: 440))")
        #expect((0.05...0.95).contains(heard.share(of: 880)), "\(heard.share(of: 880))")
        for participant in [host, guest] { await participant.leave() }
      }
    }
  }
}

/// A path of 2.5 Mbit/s whose rate can fall: over TCP, or over UDP with a queue of 500 ms and a round trip of 20 ms.
private struct SlowPath {
  let port: UInt16
  private var pipe: SlowPipe?
  private var link: LossyLink?

  init(to server: UInt16, overSRT: Bool) throws {
    if overSRT {
      let new = try LossyLink(
        to: server, toTarget: Self.conditions(312_500), toClient: LinkConditions(delay: 10_000), seed: 20)
      (link, port) = (new, new.port)
    } else {
      let new = try SlowPipe(to: server, rate: 312_500)
      (pipe, port) = (new, new.port)
    }
  }

  private static func conditions(_ rate: Int) -> LinkConditions {
    var conditions = LinkConditions(delay: 10_000)
    conditions.limit(rate: Int64(rate) * 8, queueing: 500)
    return conditions
  }

  /// Changes the rate, in bytes per second.
  func limit(_ rate: Int) {
    pipe?.limit(rate)
    link?.set(.toTarget, to: Self.conditions(rate))
  }

  func stop() {
    pipe?.stop()
    link?.stop()
  }
}

/// The sound of a recording, in blocks of 100 ms.
private struct Tones {
  private let blocks: [[Int16]]

  init(_ file: String) throws {
    let bytes = [UInt8](
      try run(["ffmpeg", "-v", "error", "-i", file, "-vn", "-ac", "1", "-ar", "16000", "-f", "s16le", "-"]))
    let samples = stride(from: 0, to: bytes.count - 1, by: 2).map {
      Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)
    }
    blocks = stride(from: 0, to: samples.count - 1600, by: 1600).map { Array(samples[$0..<$0 + 1600]) }
  }

  /// Returns the share of blocks in which a tone is heard, 0…1.
  func share(of frequency: Double) -> Double {
    let heard = blocks.count { ToneDetector.amplitude(of: frequency, in: $0, sampleRate: 16_000) > 0.03 }
    return Double(heard) / Double(max(1, blocks.count))
  }
}
