import Foundation
import FoundationNetworking
import RoomClient
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

extension ServerProcess {
  /// Returns the URL of a stream over RTMP.
  fileprivate func rtmp(_ stream: String) async throws -> String {
    struct Server: Decodable { var rtmpPort: UInt16? }
    let answer = try await api("GET", "/v1/server")
    let port = try #require(JSONDecoder().decode(Server.self, from: Data(answer.body.utf8)).rtmpPort)
    return "rtmp://127.0.0.1:\(port)/\(stream)"
  }

  fileprivate func http(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

  /// Waits until a stream of the cluster can be played here.
  fileprivate func plays(_ path: String) async throws {
    let url = try #require(URL(string: http("\(path).m3u8")))
    try await eventually("\(path) is there") {
      (try await URLSession.shared.data(from: url).1 as? HTTPURLResponse)?.statusCode == 200
    }
  }
}

extension RealMedia {
  /// Servers of a cluster in processes, with encoders and players at different ones.
  @Suite("Live streams at any node", .enabled(if: RedisServer.isInstalled))
  struct StreamsAtAnyNodeTests {
    @Test(
      "ffmpeg publishes at one node; RTMP, HTTP-FLV and HLS play at another by one pull, and a variant by a second",
      .timeLimit(.minutes(2)))
    func players() async throws {
      let redis = try await RedisServer()
      let cluster = try await ClusterProcesses(2, on: "redis://127.0.0.1:\(redis.port)")
      let (here, there) = (cluster.servers[0], cluster.servers[1])
      let token = try here.token(user: "studio", room: "studio", grants: [.publish])
      let encoder = try Encoder(to: try await here.rtmp("live/studio?token=\(token)"))
      try await there.plays("live/studio")
      async let rtmp = LiveProbe.read(try await there.rtmp("live/studio"), seconds: 2)
      async let flv = LiveProbe.read(there.http("live/studio.flv"), seconds: 2)
      async let hls = LiveProbe.read(there.http("live/studio.m3u8"), seconds: 2)
      for probe in try await [rtmp, flv, hls] {
        #expect(probe.video?.codec_name == "h264" && probe.audio?.codec_name == "aac" && probe.video?.width == 320)
        let pictures = probe.steps("video")
        #expect(pictures.count > 20 && pictures.allSatisfy { $0 > 0 && $0 < 0.1 }, "\(pictures)")
      }
      #expect(try await there.metric("roomserver_origin_pulls_total") == 1)
      #expect(try await here.metric(#"roomserver_origin_viewers{protocol="flv"}"#) == 1)
      // A variant is made where the stream is published.
      let variant = try await LiveProbe.read(there.http("live/studio_256_144_15.flv"), seconds: 1)
      #expect(variant.video?.width == 256 && variant.video?.height == 144)
      #expect(try await here.metric("roomserver_origin_variants_total") == 1)
      #expect(try await there.metric("roomserver_origin_variants_total") == 0)
      #expect(try await there.metric("roomserver_origin_pulls_total") == 2)
      #expect(encoder.isRunning)
    }

    @Test("the node that publishes a room's job is killed: a viewer at another node stays connected and sees the stream go on")
    func takeover() async throws {
      let redis = try await RedisServer()
      let cluster = try await ClusterProcesses(3, on: "redis://127.0.0.1:\(redis.port)")
      #expect(try await cluster.servers[0].api("POST", "/v1/rooms", json: #"{"name":"room"}"#).status == 201)
      let owner = try #require(try await cluster.owner(of: "room"))
      let other = cluster.others(than: owner)[0]
      let alice = try await Participant.join(other, room: "room", as: "alice")
      try await alice.publish(video: .h264, tone: 440)
      let job = #"{"jobId":"live","userId":"alice","publishUrl":"rtmp://origin/live/room"}"#
      #expect(try await other.api("POST", "/v1/rooms/room/jobs", json: job).status == 201)
      try await other.plays("live/room")
      let watched = WatchedStream(other.http("live/room.flv"))
      try await eventually("the viewer sees alice") { watched.now.pictures.decoded > 20 }
      owner.kill()
      let before = watched.now.pictures.decoded
      try await eventually("the viewer sees more") { watched.now.pictures.decoded > before + 60 }
      let seen = watched.now
      #expect(watched.player.statistics.reconnections == 0 && !seen.states.contains(.ended), "\(seen.states)")
      #expect(zip(seen.pictureTimes.dropFirst(), seen.pictureTimes).allSatisfy { $0 > $1 })
      await alice.leave()
    }

    @Test("ffmpeg publishes by SRT at one node into a room of another: the room's participants see and hear it")
    func ingest() async throws {
      let redis = try await RedisServer()
      let cluster = try await ClusterProcesses(2, on: "redis://127.0.0.1:\(redis.port)", ["--srt"])
      #expect(try await cluster.servers[0].api("POST", "/v1/rooms", json: #"{"name":"room"}"#).status == 201)
      let owner = try #require(try await cluster.owner(of: "room"))
      let other = cluster.others(than: owner)[0]
      let bob = try await Participant.join(owner, room: "room", as: "bob")
      struct Server: Decodable { var srtPort: UInt16? }
      let port = try #require(
        JSONDecoder().decode(Server.self, from: Data(try await other.api("GET", "/v1/server").body.utf8)).srtPort)
      let token = try other.token(user: "camera", room: "room", grants: [.publish])
      let encoder = try Encoder(to: "srt://127.0.0.1:\(port)?streamid=#!::r=room/room,m=publish,u=camera,token=\(token)")
      try await eventually("bob sees and hears the camera") {
        bob.pictures(of: "camera").decoded > 20 && bob.sound(of: "camera").hears(440)
      }
      #expect(try await other.metric("roomserver_ingests_forwarded_total") == 1)
      #expect(try await owner.metric("roomserver_rtmp_connections") == 1 && encoder.errors.isEmpty, "\(encoder.errors)")
      encoder.kill()
      try await eventually("the camera's tracks end") { bob.room.participants.flatMap(\.tracks).isEmpty }
      await bob.leave()
    }
  }
}
