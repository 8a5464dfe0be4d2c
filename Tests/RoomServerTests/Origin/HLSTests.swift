import Foundation
import RoomLiveOrigin
import RoomRTMP
import RoomServer
import RoomTestSupport
import Testing

@Suite("The live origin over HLS")
struct HLSTests {
  private static func cutting(_ configuration: inout ServerConfiguration) { HLSSample.cut(&configuration, window: 4) }

  private func publish(_ server: TestServer, until end: UInt32 = 5000) async throws -> RTMPPeer {
    try await HLSSample.publish(server, until: end)
  }

  /// Returns the addresses of a playlist, relative to "/live/".
  private func addresses(_ response: TestResponse) -> [String] {
    String(decoding: response.body, as: UTF8.self).split(separator: "\n").compactMap { line in
      if !line.hasPrefix("#") { return String(line) }
      guard let start = line.firstRange(of: "URI=\"")?.upperBound, !line.contains("HINT") else { return nil }
      return String(line[start...].prefix { $0 != "\"" })
    }
  }

  @Test("the first request finds what the origin has; everything in the playlist can be loaded")
  func first() async throws {
    try await TestServer.with(Self.cutting) { server in
      let publisher = try await publish(server)
      let playlist = try await server.request("GET", "/live/studio.m3u8")
      #expect(playlist.status == 200 && playlist.headers["content-type"] == "application/vnd.apple.mpegurl")
      #expect(playlist.headers["access-control-allow-origin"] == "*" && playlist.headers["cache-control"] == "no-cache")
      let names = addresses(playlist)
      #expect(names.count > 8 && names.contains { $0.contains("/init-") } && names.contains { $0.contains("/part-") })
      for name in names {
        let file = try await server.request("GET", "/live/\(name)")
        #expect(file.status == 200 && file.body.count > 100 && file.headers["content-type"] == "video/mp4", "\(name)")
        let box = name.contains("init") ? "ftyp" : "moof"
        #expect(file.body[4..<8].elementsEqual(box.utf8), "\(name)")
      }
      #expect(try await server.metric("roomserver_origin_viewers{protocol=\"hls\"}") == 1)
      #expect(try await server.metric("roomserver_origin_hls_streams") == 1)
      #expect(try await server.metric("roomserver_origin_bytes_sent_total{protocol=\"hls\"}") > 1000)
      publisher.end()
    }
  }

  @Test("a reload waits for the requested part")
  func reload() async throws {
    try await TestServer.with(Self.cutting) { server in
      let publisher = try await publish(server, until: 4100)
      let first = addresses(try await server.request("GET", "/live/studio.m3u8"))
      let last = try #require(first.last { $0.contains("/seg-") }?.firstMatch(of: /seg-([0-9]+)/).flatMap { Int($0.1) })
      let asked = ContinuousClock.now
      async let answer = server.request("GET", "/live/studio.m3u8?_HLS_msn=\(last + 1)&_HLS_part=2")
      async let part = server.request("GET", "/live/studio/part-\(last + 1).0.m4s")
      HLSSample.send(4100..<4900, publisher)
      let names = addresses(try await answer)
      #expect(names.contains("studio/part-\(last + 1).2.m4s") && !names.contains("studio/seg-\(last + 1).m4s"))
      #expect(try await part.status == 200)
      async let whole = server.request("GET", "/live/studio.m3u8?_HLS_msn=\(last + 1)")
      HLSSample.send(4900..<5100, publisher)
      #expect(addresses(try await whole).contains("studio/seg-\(last + 1).m4s"))
      #expect(ContinuousClock.now - asked < .seconds(8))
      for query in ["_HLS_msn=\(last + 4)", "_HLS_msn=x", "_HLS_part=1", "_HLS_msn=\(last)&_HLS_msn=\(last)"] {
        #expect(try await server.request("GET", "/live/studio.m3u8?\(query)").status == 400, "\(query)")
      }
      publisher.end()
    }
  }

  @Test("a reload without new media gets the playlist as it is, and one at the stream's end gets the end")
  func nothingComes() async throws {
    try await TestServer.with {
      Self.cutting(&$0)
      $0.origin.linger = .milliseconds(300)
    } _: { server in
      let publisher = try await publish(server, until: 3100)
      let first = addresses(try await server.request("GET", "/live/studio.m3u8"))
      let last = try #require(first.last { $0.contains("/seg-") }?.firstMatch(of: /seg-([0-9]+)/).flatMap { Int($0.1) })
      let answer = try await server.request("GET", "/live/studio.m3u8?_HLS_msn=\(last + 2)")
      #expect(answer.status == 200 && addresses(answer) == first)
      async let ending = server.request("GET", "/live/studio.m3u8?_HLS_msn=\(last + 2)")
      publisher.end()
      let text = String(decoding: try await ending.body, as: UTF8.self)
      #expect(text.hasSuffix("#EXT-X-ENDLIST\n") && text.contains("seg-\(last + 1).m4s"))
    }
  }

  @Test("while the playlist is short, only players that know all of it wait for the next segment")
  func young() async throws {
    try await TestServer.with {
      Self.cutting(&$0)
      $0.origin.hls.youngLength = 14
    } _: { server in
      @Sendable func segments(of player: String) async throws -> Int {
        let answer = try await server.raw(
          "GET /live/studio.m3u8 HTTP/1.1\r\nHost: test\r\nConnection: close\r\nUser-Agent: \(player)\r\n\r\n")
        return addresses(answer).count { $0.contains("/seg-") }
      }
      let publisher = try await publish(server, until: 3100)
      let first = try await segments(of: "one")
      #expect(try await segments(of: "other") == first)
      async let second = segments(of: "one")
      HLSSample.send(3100..<4200, publisher)
      #expect(try await second == first + 1)
      // It missed the latest segment meanwhile, and gets it now.
      #expect(try await segments(of: "other") == first + 1)
      publisher.end()
    }
  }

  @Test("a stream is segmented only while it is requested")
  func idle() async throws {
    try await TestServer.with {
      Self.cutting(&$0)
      $0.origin.hls.idleTime = .milliseconds(300)
    } _: { server in
      let publisher = try await publish(server)
      #expect(try await server.metric("roomserver_origin_hls_streams") == 0)
      let name = try #require(addresses(try await server.request("GET", "/live/studio.m3u8")).last)
      try await eventually("requests have stopped") { try await server.metric("roomserver_origin_hls_streams") == 0 }
      #expect(try await server.metric("roomserver_origin_viewers{protocol=\"hls\"}") == 0)
      #expect(try await server.request("GET", "/live/\(name)").status == 404)
      #expect(try await server.request("GET", "/live/studio.m3u8").status == 200)
      #expect(try await server.metric("roomserver_origin_hls_streams_total") == 2)
      publisher.end()
    }
  }

  @Test("only the playlist's signature gives access to its segments")
  func signed() async throws {
    let protection = HotlinkProtection(play: .init(key: "key to play"))
    try await TestServer.with {
      Self.cutting(&$0)
      $0.origin.protection = protection
    } _: { server in
      let publisher = try await publish(server)
      func query(_ path: String) throws -> String {
        try #require(protection.query(path: path, for: .play, unixTime: Int64(Date().timeIntervalSince1970)))
      }
      #expect(try await server.request("GET", "/live/studio.m3u8").status == 403)
      let other = try query("/live/studio.flv")
      #expect(try await server.request("GET", "/live/studio.m3u8?\(other)").status == 403)
      let good = try query("/live/studio.m3u8")
      let playlist = try await server.request("GET", "/live/studio.m3u8?\(good)")
      let names = addresses(playlist)
      #expect(playlist.status == 200 && names.allSatisfy { $0.hasSuffix("?\(good)") })
      let name = try #require(names.last)
      #expect(try await server.request("GET", "/live/\(name)").status == 200)
      #expect(try await server.request("GET", "/live/\(name.prefix { $0 != "?" })").status == 403)
      #expect(try await server.request("GET", "/live/\(name.prefix { $0 != "?" })?\(other)").status == 403)
      #expect(try await server.metric("roomserver_origin_refused_total{reason=\"signature\"}") == 4)
      publisher.end()
    }
  }

  @Test("missing files are not found, whatever their names")
  func notFound() async throws {
    try await TestServer.with(Self.cutting) { server in
      let publisher = try await publish(server)
      #expect(try await server.request("GET", "/live/studio.m3u8").status == 200)
      for path in [
        "/live/none.m3u8", "/live/.m3u8", "/live/a%2Fb.m3u8", "/live/studio/seg-1.m4s", "/live/studio/part-1.0.m4s",
        "/live/studio/init-1.mp4", "/live/studio/x.m4s", "/live/none/seg-1.m4s", "/live/studio/seg-99999999999999999999.m4s",
        "/live/studio_321_180_15.m3u8", "/live/none_320_180_15.m3u8", "/live/studio_320_180_15_176_144_10.m3u8",
      ] { #expect(try await server.request("GET", path).status == 404, "\(path)") }
      #expect(try await server.request("POST", "/live/studio.m3u8", json: "{}").status == 405)
      publisher.end()
    }
  }

  @Test("the numbers of segmented streams and of waiting requests are limited")
  func limits() async throws {
    try await TestServer.with {
      Self.cutting(&$0)
      $0.origin.hls.streams = 1
      $0.origin.hls.waiting = 0
    } _: { server in
      let publisher = try await publish(server)
      let other = try await RTMPPeer.start(.publish, server, "other")
      other.send(HLSSample.header)
      HLSSample.send(0..<3000, other)
      #expect(try await server.request("GET", "/live/studio.m3u8").status == 200)
      try await eventually("the other stream is there") { try await server.metric("roomserver_origin_streams") == 2 }
      #expect(try await server.request("GET", "/live/other.m3u8").status == 503)
      #expect(try await server.metric("roomserver_origin_refused_total{reason=\"hls\"}") == 1)
      let names = addresses(try await server.request("GET", "/live/studio.m3u8"))
      let last = try #require(names.last { $0.contains("/seg-") }?.firstMatch(of: /seg-([0-9]+)/).flatMap { Int($0.1) })
      #expect(try await server.request("GET", "/live/studio.m3u8?_HLS_msn=\(last + 2)").status == 503)
      publisher.end()
      other.end()
    }
  }

  @Test("a stopping server answers waiting requests")
  func stop() async throws {
    let server = try await TestServer.start(Self.cutting)
    let publisher = try await publish(server, until: 3100)
    let names = addresses(try await server.request("GET", "/live/studio.m3u8"))
    let last = try #require(names.last { $0.contains("/seg-") }?.firstMatch(of: /seg-([0-9]+)/).flatMap { Int($0.1) })
    var wires: [Wire] = []
    for _ in 0..<20 {
      let wire = try await Wire.connect(port: server.server.port)
      wire.send("GET /live/studio.m3u8?_HLS_msn=\(last + 2) HTTP/1.0\r\n\r\n")
      wires.append(wire)
    }
    await server.server.stop()
    try await eventually("all are closed") { wires.allSatisfy(\.isClosed) }
    publisher.end()
  }
}

/// Pictures with a readable format, as HLS requires.
enum HLSSample {
  /// Cuts segments of 1 s in parts of 200 ms; playlists are returned at once.
  static func cut(_ configuration: inout ServerConfiguration, window: Int) {
    configuration.origin.publishesOpenly = true
    configuration.origin.hls.cutting = HLSSettings(segmentLength: 1000, partLength: 200, window: window)
    configuration.origin.hls.youngLength = 0
  }

  /// Publishes the sample up to a time in ms, and waits until the origin has received it.
  static func publish(_ server: TestServer, until end: UInt32) async throws -> RTMPPeer {
    let publisher = try await RTMPPeer.start(.publish, server)
    publisher.send(header)
    send(0..<end, publisher)
    try await eventually("the stream is there") {
      try await server.metric("roomserver_origin_bytes_received_total") > Int(end / 40 * 45)
    }
    return publisher
  }

  /// 320x180 in H.264.
  static let header: MediaMessage = {
    let set: [UInt8] = [
      0x67, 0x42, 0xc0, 0x1e, 0xda, 0x05, 0x07, 0xe8, 0x40, 0, 0, 3, 0, 0x40, 0, 0, 7, 0x83, 0xc6, 0x0c, 0xa8,
    ]
    let configuration = AVCConfiguration(sequenceParameters: [set], pictureParameters: [[0x68, 0xce, 0x3c, 0x80]])
    return MediaMessage(.video, timestamp: 0, payload: configuration?.sequenceHeader ?? [])
  }()

  /// Sends 25 pictures per second, with a key frame each second.
  static func send(_ times: Range<UInt32>, _ publisher: RTMPPeer) {
    for time in times where time % 40 == 0 { publisher.send(LiveSample.video(time, isKeyFrame: time % 1000 == 0)) }
  }
}
