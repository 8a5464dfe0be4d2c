import Foundation
import RoomLiveOrigin
import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing

extension RealMedia {
  /// The table of docs/ingest.md: encoder codecs × door × output. All encoders run at once, in small pictures.
  @Suite("Any codec of an encoder, at each door and output")
  struct CodecTableTests {
    private struct Row {
      /// FFmpeg's names of the encoders.
      let video: String
      let audio: String
      let door: EncoderProtocol
      /// FFmpeg's names of what a player of RTMP and HTTP-FLV gets, and of the sound that HLS has.
      let picture: String
      let sound: String
      var hlsSound = "aac"

      var name: String { "\(door.rawValue)-\(video)-\(audio)".replacing("+", with: "-") }
    }

    private static let rows = [
      Row(video: "libx264", audio: "aac", door: .rtmp, picture: "h264", sound: "aac"),
      Row(video: "libx264+b", audio: "libmp3lame", door: .rtmp, picture: "h264", sound: "mp3float"),
      Row(video: "libx265", audio: "aac", door: .rtmp, picture: "hevc", sound: "aac"),
      Row(video: "libsvtav1", audio: "libopus", door: .rtmp, picture: "libdav1d", sound: "opus", hlsSound: "opus"),
      Row(video: "libvpx-vp9", audio: "ac3", door: .rtmp, picture: "vp9", sound: "ac3"),
      Row(video: "libx264", audio: "eac3", door: .rtmp, picture: "h264", sound: "eac3"),
      Row(video: "libx264", audio: "flac", door: .rtmp, picture: "h264", sound: "flac"),
      Row(video: "libx264", audio: "aac", door: .srt, picture: "h264", sound: "aac"),
      Row(video: "libx265", audio: "latm", door: .srt, picture: "hevc", sound: "aac"),
      Row(video: "libx264", audio: "libopus", door: .srt, picture: "h264", sound: "opus", hlsSound: "opus"),
      Row(video: "libx264", audio: "mp2", door: .srt, picture: "h264", sound: "mp2"),
      Row(video: "libx264", audio: "ac3", door: .srt, picture: "h264", sound: "ac3"),
    ]

    private struct Published: Encodable { let video, audio: String, urls: [String] }
    private struct Played: Encodable { let name, url: String, kinds = 2 }
    private struct Result: Decodable {
      let name, video, audio, error: String
      let pictures, samples: Int
    }

    private static let python = URL(filePath: #filePath).appending(path: "../../../../.venv/bin/python").standardized.path
    private static let script = URL(filePath: #filePath).appending(path: "../codec_table.py").standardized.path

    private func run(_ mode: String, _ rows: [some Encodable]) throws -> Peer {
      try Peer([Self.python, Self.script, mode, String(decoding: try JSONEncoder().encode(rows), as: UTF8.self)])
    }

    /// Starts ffmpeg, which sends one transport stream to both URLs.
    private func startSRT(_ row: Row, to urls: [String]) throws -> Peer {
      let flags = row.audio == "latm" ? ":mpegts_flags=latm" : ""
      let sources = "-v error -re -f lavfi -i testsrc2=size=160x96:rate=10 -re -f lavfi -i sine=frequency=440:sample_rate=48000"
      let video = "-c:v \(row.video) -preset ultrafast -tune zerolatency -pix_fmt yuv420p -bf 0 -g 10"
      let quiet = row.video == "libx265" ? "-x265-params bframes=0:log-level=none" : ""
      let audio = "-c:a \(row.audio == "latm" ? "aac" : row.audio) -ac 2 -b:a 96k"
      let arguments = "ffmpeg \(sources) -map 0:v -map 1:a \(video) \(quiet) \(audio) -f tee".split(separator: " ").map(
        String.init)
      return try Peer(arguments + [urls.map { "[f=mpegts\(flags)]\($0)" }.joined(separator: "|")])
    }

    @Test("each cell of the table plays or is transcoded")
    func table() async throws {
      try await withServer(adjust: {
        $0.origin.publishesOpenly = true
        $0.origin.srt.listens = true
      }) { server in
        let viewer = try await Participant.join(server, as: "viewer")
        var encoders: [Peer] = []
        var published: [Published] = []
        for row in Self.rows {
          let token = try await server.token(user: UserID(rawValue: row.name), grants: [.publish])
          let paths = ["live/\(row.name)", "room/demo?token=\(token)"]
          if row.door == .srt {
            encoders.append(try startSRT(row, to: try paths.map { try server.srt($0, "&latency=200000") }))
          } else {
            published.append(Published(video: row.video, audio: row.audio, urls: try paths.map { try server.rtmp($0) }))
          }
        }
        encoders.append(try run("publish", published))
        for row in Self.rows {
          let user = UserID(rawValue: row.name)
          try await eventually("\(row.name): WebRTC has the picture and the tone", within: .seconds(90)) {
            viewer.pictures(of: user).decoded > 5 && viewer.sound(of: user).hears(440)
          }
          #expect(viewer.codecs(of: user) == ["h264", "opus"])
        }
        var played: [Played] = []
        for row in Self.rows {
          played.append(Played(name: "\(row.name) rtmp", url: try server.rtmp("live/\(row.name)")))
          played.append(Played(name: "\(row.name) flv", url: server.http("/live/\(row.name).flv")))
          played.append(Played(name: "\(row.name) hls", url: server.http("/live/\(row.name).m3u8")))
        }
        let player = try run("play", played)
        #expect(try await player.finish(within: .seconds(300)) == 0, "\(player.text.suffix(1000))")
        let results = player.text.split(separator: "\n").compactMap {
          try? JSONDecoder().decode(Result.self, from: Data($0.utf8))
        }
        let byName = Dictionary(results.map { ($0.name, $0) }) { first, _ in first }
        for row in Self.rows {
          for output in ["rtmp", "flv", "hls"] {
            let result = try #require(byName["\(row.name) \(output)"])
            let sound = output == "hls" ? row.hlsSound : row.sound
            #expect(result.video == row.picture && result.audio == sound, "\(row.name) \(output): \(result)")
            #expect(result.pictures >= 8 && result.samples >= 16_000, "\(row.name) \(output): \(result)")
          }
        }
        for encoder in encoders {
          #expect(encoder.isRunning, "\(encoder.text.suffix(500))")
          encoder.stop()
        }
        await viewer.leave()
      }
    }

    @Test("a codec without a decoder or a place in a door's form is refused with its name")
    func refused() async throws {
      try await withServer(adjust: {
        $0.origin.publishesOpenly = true
        $0.origin.srt.listens = true
      }) { server in
        for path in ["live/old", "room/demo?token=\(try await server.token(user: "old", grants: [.publish]))"] {
          let encoder = try Encoder(to: try server.srt(path), video: ["-c:v", "mpeg2video"])
          _ = try await encoder.refusal()
        }
        #expect(try await server.metric("roomserver_srt_malformed_total") == 2)
        // H.263 as Flash encoded it: the origin passes it to players of RTMP, and a room has no decoder for it.
        let token = try await server.token(user: "flash", grants: [.publish])
        let flash = try Encoder(to: try server.rtmp("room/demo?token=\(token)"), video: ["-c:v", "flv"])
        #expect(try await flash.refusal().contains("80201"))
      }
    }
  }
}
