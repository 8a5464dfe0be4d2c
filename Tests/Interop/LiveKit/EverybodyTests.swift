import Foundation
import RoomClient
import RoomCodecs
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Synchronization
import Testing

extension RealMedia {
  /// Clients of every kind in one room, in PK with another room, on one CDN URL.
  @Suite("Everybody in one room", .enabled(if: LiveKitPeer.isInstalled))
  struct EverybodyTests {
    /// The U and V of each participant's picture.
    private static let colours: [(name: Character, u: Int, v: Int)] = [
      // A RoomClient, WHIP, a browser by this server's signalling, LiveKit's page, RTMP, and the guest of the PK.
      ("R", 100, 200), ("B", 200, 80), ("G", 54, 34), ("Y", 55, 146), ("M", 202, 222), ("C", 160, 20),
    ]

    /// The last look of the CDN's picture, for a failure.
    private static let last = Mutex("")

    /// Returns the participants in the cells of a picture of 480x270, which has two rows of at most three.
    private static func look(of picture: VideoFrame) -> String {
      picture.withPlanes { planes in
        var seen: Set<Character> = []
        for (y, columns) in [(67, [80, 240, 400]), (201, [80, 160, 240, 320, 400])] {
          for x in columns {
            let place = planes.chromaHeight * y / 270 * planes.chromaStride + planes.chromaWidth * x / 480
            let (u, v) = (Int(planes.u[place]), Int(planes.v[place]))
            for colour in colours where abs(colour.u - u) + abs(colour.v - v) < 50 { seen.insert(colour.name) }
          }
        }
        let look = String(seen.sorted())
        last.withLock { $0 = look }
        return look
      }
    }

    @Test(
      "LiveKit's page, a browser, a RoomClient, WHIP and RTMP receive each other, and all are on one CDN connection during a PK too",
      .timeLimit(.minutes(4)))
    func everybody() async throws {
      try await withServer(adjust: Anchors.settings(.separate)) { server in
        func grants(_ host: Bool) -> Grants { host ? [.publish, .subscribe, .relay, .admin] : [.publish, .subscribe] }
        let host = try await Participant.join(server, room: "red", as: "host", grants: grants(true))
        let red = try FlashAndBeep(look: .init(width: 320, height: 180, blue: 100, red: 200, tone: 1000, isSteady: true))
        try await host.room.publish(red.tracks)
        let guest = try await Participant.join(server, room: "blue", as: "guest", grants: grants(true))
        let cyan = try FlashAndBeep(look: .init(width: 320, height: 180, blue: 160, red: 20, tone: 600, isSteady: true))
        try await guest.room.publish(cyan.tracks)
        let whip = try HTTPPeer.aiortc(
          "publish", server.http("/whip/red"), try await server.token(user: "obs", room: "red", grants: .publish), "--video",
          "h264", "--audio", "440")
        let encoder = try Encoder(
          to: try server.rtmp("room/red?token=\(try await server.token(user: "ffmpeg", room: "red", grants: .publish))"),
          video: ["-vf", "drawbox=t=fill:c=0xff00ff", "-profile:v", "main", "-tune", "zerolatency", "-bf", "0", "-g", "15"])
        let browser = try await BrowserClient.open()
        try await browser.join(url: server.url, token: try await server.token(user: "browser", room: "red"))
        _ = try await browser.publish(video: .init(codec: "H264", color: "#00ff00"), audio: .init(frequency: 700))
        let page = try await LiveKitPage(
          server.http("").replacing("http:", with: "ws:"), token: try server.liveKitToken("page", room: "red"))
        try await page.connect()
        try await page.publish(colour: "#d0c020")

        // Everybody is composed, as whoever publishes changes, on one connection to the CDN.
        let cdn = try RTMPSink(lookAt: Self.look)
        let admin = LiveKitAdmin(server: server)
        let egress = try await admin.call(
          "start_room_composite_egress",
          #"""
          {"room_name": "red", "layout": "grid", "stream_outputs": [{"urls": ["\#(cdn.url)"]}],
           "advanced": {"width": 480, "height": 270, "framerate": 15, "video_bitrate": 600, "key_frame_interval": 1}}
          """#)
        let id = try #require(egress["egressId"] as? String, "\(egress)")

        /// Waits until those who receive see all others.
        func seeEachOther(_ users: [UserID]) async throws {
          try await eventually("the RoomClient sees all others") {
            users.filter { $0 != "host" }.allSatisfy { host.pictures(of: $0).decoded > 5 }
          }
          try await eventually("the browser sees all others") {
            let received = try await browser.received().filter { $0.kind == .video && $0.framesDecoded > 5 }.map(\.userId)
            return users.allSatisfy { $0 == "browser" || received.contains($0) }
          }
          try await eventually("LiveKit's page sees all others") {
            let seen = try await page.state()
            return users.allSatisfy { $0 == "page" || seen.frames(of: $0.rawValue) > 5 }
          }
        }
        let room: [UserID] = ["host", "obs", "ffmpeg", "browser", "page"]
        try await seeEachOther(room)
        func cdnShows(_ look: String) async throws {
          do {
            try await eventually("the CDN shows \(look)") { try cdn.shows(look, for: 1) }
          } catch {
            print("The CDN shows \(Self.last.withLock { $0 })")
            throw error
          }
        }
        try await cdnShows("BGMRY")

        try await Anchors.meet(host.room, guest.room)
        try await seeEachOther(room + ["guest@blue"])
        try await eventually("the guest of the PK sees the host") {
          guest.pictures(of: "host@red").decoded > 5
        }
        try await cdnShows("BCGMRY")
        try await guest.room.pk.quit()
        try await eventually("the PK is over") { host.room.pk.current == nil }
        try await cdnShows("BGMRY")
        #expect(try await page.state().state == "connected")
        #expect(try await browser.state().failure == nil)
        try await admin.call("stop_egress", #"{"egress_id": "\#(id)"}"#)
        // It accepts one connection only: all of this is one.
        let recording = try await cdn.received()
        for kind in ["video", "audio"] {
          let steps = recording.steps(kind)
          // Nine people are decoded and mixed here: a busy machine skips pictures.
          let longest = kind == "video" ? 2 : 0.5
          #expect(steps.allSatisfy { $0 > 0 && $0 < longest }, "\(kind): \(steps.min() ?? 0) to \(steps.max() ?? 0) s")
        }
        #expect(recording.video?.width == 480 && recording.times("video").count > 45)
        try await encoder.stop()
        #expect(try await whip.end() == 200)
        try await page.close()
        try await browser.leave()
        try await browser.close()
        for client in [host, guest] { await client.leave() }
      }
    }
  }
}
