import RoomCodecs
import Foundation
import RoomClient
import RoomTestSupport
import Testing
import RoomProtocol

extension RealMedia {
  /// Tests WHIP and WHEP with third-party clients.
  @Suite struct WHIPTests {
    private typealias Line = HTTPPeer.Line

    /// The chroma of the video that `aiortc_peer.py` publishes, by codec. Its luma moves.
    private static let chroma = ["vp8": [60, 190], "h264": [200, 80]]

    private static func shows(_ codec: String, _ line: Line) -> Bool {
      guard let colour = line.colour, let wanted = chroma[codec] else { return false }
      return zip(colour.dropFirst(), wanted).allSatisfy { abs($0 - $1) < 15 }
    }

    private static func publisher(
      _ server: TestServer, as user: UserID = "camera", video: String, tone: Double = 440
    ) async throws -> HTTPPeer {
      try HTTPPeer.aiortc(
        "publish", server.http("/whip/demo"), try await server.token(user: user, grants: .publish), "--video", video, "--audio",
        "\(tone)")
    }

    private static func player(_ server: TestServer, _ path: String) async throws -> HTTPPeer {
      try HTTPPeer.aiortc("play", server.http(path), try await server.token(user: "wall", grants: .subscribe))
    }

    @Test(
      "aiortc publishes over WHIP; another plays it over WHEP, and a client in the room receives its join and leave",
      arguments: ["vp8", "h264"])
    func aiortc(codec: String) async throws {
      try await withServer { server in
        let swift = try await Participant.join(server, as: "swift")
        let publisher = try await Self.publisher(server, video: codec)
        try await eventually("the publisher is in the room", within: .seconds(60)) {
          swift.room.participants.map(\.userId) == ["camera"]
        }
        let player = try await Self.player(server, "/whep/demo/camera")
        try await player.decodes("video and audio") { seen in
          (seen.frames ?? 0) >= 45 && (seen.changes ?? 0) >= 30 && seen.size == [320, 180] && Self.shows(codec, seen)
            && (seen.energy ?? 0) > 0.05 && abs((seen.frequency ?? 0) - 440) < 15
        }
        try await eventually("the room's client hears it") { swift.sound(of: "camera").hears(440) }
        #expect(swift.codecs(of: "camera") == [codec, "opus"])
        #expect(swift.room.participants.map(\.userId) == ["camera"], "a viewer is not announced")
        #expect(try await server.metric("roomserver_viewers") == 2, "the player, and the client that only receives")

        #expect(try await player.end() == 200)
        #expect(try await server.metric("roomserver_viewers") == 1, "the client")
        #expect(try await publisher.end() == 200)
        try await eventually("the publisher has left") { swift.room.participants.isEmpty }
        await swift.leave()
        try await eventually("nothing is left") { try await server.isEmpty() }
      }
    }

    @Test("GStreamer's webrtcbin plays over WHEP with AES128_CM_HMAC_SHA1_80")
    func gstreamer() async throws {
      try await withServer { server in
        let publisher = try await Self.publisher(server, video: "vp8")
        let viewer = try HTTPPeer.gstreamer(
          server.http("/whep/demo/camera"), try await server.token(user: "wall", grants: .subscribe))
        try await viewer.decodes("video and audio") { seen in
          (seen.frames ?? 0) >= 45 && (seen.samples ?? 0) >= 100 && seen.size == [320, 180]
        }
        // GST_DTLS_SRTP_CIPHER_AES_128_ICM and GST_DTLS_SRTP_AUTH_HMAC_SHA1_80.
        #expect(viewer.decoded.ciphers == [[1, 2]])
        #expect(try await viewer.end() == 200)
        #expect(try await publisher.end() == 200)
      }
    }

    @Test("ffmpeg's H.264 without B-frames passes WHIP unchanged and is decoded by a WHEP player")
    func ffmpeg() async throws {
      let file = FileManager.default.temporaryDirectory.appending(path: "interop-\(UUID().uuidString).ts")
      defer { try? FileManager.default.removeItem(at: file) }
      let ffmpeg = Process()
      ffmpeg.executableURL = URL(filePath: "/usr/bin/env")
      ffmpeg.arguments =
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=15", "-t", "60", "-c:v", "libx264"]
        + [
          "-profile:v", "main", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-bf", "0", "-g", "15", "-f", "mpegts", file.path,
        ]
      ffmpeg.standardInput = FileHandle.nullDevice
      try ffmpeg.run()
      try await eventually("ffmpeg has encoded", within: .seconds(60)) { !ffmpeg.isRunning }
      #expect(ffmpeg.terminationStatus == 0)

      try await withServer { server in
        let publisher = try HTTPPeer.aiortc(
          "publish", server.http("/whip/demo"), try await server.token(user: "ffmpeg", grants: .publish), "--file", file.path,
          "--passive")
        let player = try await Self.player(server, "/whep/demo")
        try await player.decodes("pictures") { seen in
          (seen.frames ?? 0) >= 45 && (seen.changes ?? 0) >= 5 && seen.size == [320, 180]
        }
        #expect(try await player.end() == 200)
        #expect(try await publisher.end() == 200)
      }
    }

    @Test("Chromium publishes over WHIP and plays over WHEP from another origin with trickle ICE, and restarts ICE on both")
    func chromium() async throws {
      try await withServer { server in
        let camera = try await WHIPPage.open()
        let wall = try await WHIPPage.open()
        try await camera.publish(
          to: server.http("/whip/demo"), token: try await server.token(user: "camera", grants: .publish))
        try await wall.play(
          from: server.http("/whep/demo/camera"), token: try await server.token(user: "wall", grants: .subscribe))
        try await eventually("pictures", within: .seconds(60)) { try await wall.session().framesDecoded >= 30 }
        #expect(try await wall.session().width == 320)
        for browser in [wall, camera] {
          #expect(try await browser.session().statuses["PATCH"] == 204, "candidates were trickled")
          let before = try await browser.session().fragment
          try await browser.restartICE()
          try await eventually("the new credentials are in use") {
            let session = try await browser.session()
            return session.fragment == session.offered && session.fragment != before && session.answers > 0
          }
          let frames = try await wall.session().framesDecoded
          try await eventually("pictures after the restart") { try await wall.session().framesDecoded >= frames + 30 }
          #expect(try await browser.session().connection == "connected")
        }
        #expect(try await server.metric("roomserver_ice_restarts_total") == 2)
        for browser in [wall, camera] { #expect(try await browser.end() == 200) }
      }
    }

    @Test(
      "a browser publishes a simulcast over WHIP, and plays the layers that it selects over WHEP",
      arguments: BrowserKind.installed)
    func simulcast(kind: BrowserKind) async throws {
      try await kind.withServer { server, browser in
        let camera = try await WHIPPage.open(on: browser.open(script: "", ownWindow: true))
        let wall = try await WHIPPage.open(on: browser.open(script: "", ownWindow: true))
        try await camera.publish(
          to: server.http("/whip/demo"), token: try await server.token(user: "camera", grants: .publish),
          layers: ["q", "h", "f"])
        try await wall.play(
          from: server.http("/whep/demo/camera"), token: try await server.token(user: "wall", grants: .subscribe))
        // The largest layer comes last, as the browser's estimate grows.
        try await eventually("all layers are sent", within: .seconds(60)) {
          try await Set(camera.session().sent) == ["q", "h", "f"]
        }
        for (layer, height) in [(nil, 540), ("q", 135), ("h", 270)] {
          try await eventually("the server knows the layer") { try await wall.select(layer) == 204 }
          try await eventually("a height of \(height)", within: .seconds(60)) {
            try await wall.session().height == height
          }
          let frames = try await wall.session().framesDecoded
          try await eventually("pictures continue") { try await wall.session().framesDecoded >= frames + 10 }
        }
        for page in [wall, camera] { #expect(try await page.end() == 200) }
      }
    }

    @Test("a viewer waits for its user, and continues when the user returns with another codec")
    func waits() async throws {
      try await withServer { server in
        let player = try await Self.player(server, "/whep/demo/camera")
        try await eventually("the viewer is connected", within: .seconds(60)) { player.last("state")?.state == "connected" }
        #expect(player.decoded.frames == 0 || player.decoded.frames == nil)

        let first = try await Self.publisher(server, video: "vp8")
        try await player.decodes("the first session's pictures") { ($0.frames ?? 0) >= 30 && Self.shows("vp8", $0) }
        #expect(try await first.end() == 200)
        try await eventually("nothing is sent") { try await server.metric("roomserver_subscriptions") == 0 }
        let before = player.decoded.frames ?? 0

        let second = try await Self.publisher(server, video: "h264", tone: 880)
        try await player.decodes("the second session's pictures") { seen in
          (seen.frames ?? 0) >= before + 30 && Self.shows("h264", seen) && abs((seen.frequency ?? 0) - 880) < 30
        }
        #expect(player.last("state")?.state == "connected")
        #expect(try await player.end() == 200)
        #expect(try await second.end() == 200)
      }
    }

    @Test("a viewer of the room follows the active speaker")
    func stage() async throws {
      try await withServer { server in
        let alice = try await Participant.join(server, as: "alice")
        let bob = try await Participant.join(server, as: "bob")
        try await alice.publish(video: .vp8, tone: 440, colour: 0)
        try await bob.publish(video: .vp8, tone: 880, colour: 3)
        try await bob.mute(true)
        let player = try await Self.player(server, "/whep/demo")
        try await player.decodes("alice") { ($0.frames ?? 0) >= 15 && abs(($0.frequency ?? 0) - 440) < 15 }
        let frames = player.decoded.frames ?? 0

        try await bob.mute(false)
        try await alice.mute(true)
        try await player.decodes("bob") { ($0.frames ?? 0) >= frames + 15 && abs(($0.frequency ?? 0) - 880) < 30 }
        #expect(try await player.end() == 200)
        await alice.leave()
        await bob.leave()
      }
    }
  }
}
