import Foundation
import RoomLiveOrigin
import RoomServer
import RoomTestSupport
import Testing

@Suite("Low-latency HLS of the live origin")
struct LowLatencyHLSTests {
  private static func cutting(_ configuration: inout ServerConfiguration) { HLSSample.cut(&configuration, window: 8) }

  private func publish(_ server: TestServer, until end: UInt32 = 4100) async throws -> RTMPPeer {
    try await HLSSample.publish(server, until: end)
  }

  private func playlist(_ server: TestServer, _ query: String = "", of stream: String = "studio") async throws -> HLSRules {
    let response = try await server.request("GET", "/live/\(stream).m3u8\(query)")
    #expect(response.status == 200)
    let rules = HLSRules(String(decoding: response.body, as: UTF8.self))
    #expect(rules.violations.isEmpty, "\(rules.violations)")
    return rules
  }

  /// Returns the number of the growing segment.
  private func growing(_ rules: HLSRules) -> Int { rules.sequence + rules.segments.count { $0.uri != nil } }

  @Test("a player that follows the hints gets each part as it is cut, and all parts of a segment are the segment")
  func hints() async throws {
    try await TestServer.with(Self.cutting) { server in
      let publisher = try await publish(server)
      let first = try await playlist(server)
      let number = growing(first)
      let hint = try #require(first.hint)
      #expect(hint == "studio/part-\(number).0.m4s")
      var bytes: [UInt8] = []
      for part in 0..<5 {
        async let waiting = server.request("GET", "/live/studio/part-\(number).\(part).m4s")
        async let reload = playlist(server, "?_HLS_msn=\(number)&_HLS_part=\(part)")
        let begin = UInt32(4100 + part * 200)
        HLSSample.send(begin..<(begin + 200), publisher)
        let response = try await waiting
        #expect(response.status == 200 && response.body[4..<8].elementsEqual("moof".utf8))
        bytes += response.body
        #expect(try await reload.uris.contains("studio/part-\(number).\(part).m4s"))
      }
      let segment = try await server.request("GET", "/live/studio/seg-\(number).m4s")
      #expect(segment.status == 200 && Array(segment.body) == bytes)
      publisher.end()
    }
  }

  @Test("a delta update replaces old segments, also for a reload that waits")
  func delta() async throws {
    try await TestServer.with(Self.cutting) { server in
      let publisher = try await publish(server, until: 7100)
      let whole = try await playlist(server)
      async let reload = playlist(server, "?_HLS_skip=YES&_HLS_msn=\(growing(whole))&_HLS_part=1")
      HLSSample.send(7100..<7500, publisher)
      let delta = try await reload
      #expect(delta.skipped == 1 && delta.segments.count == whole.segments.count)
      #expect(delta.merged(into: whole.segments, from: whole.sequence)?.first?.uri == whole.segments.first?.uri)
      #expect(try await playlist(server, "?_HLS_skip=v2").skipped == 1)
      let unmarked = try await server.raw(
        "GET /live/studio.m3u8?_HLS_skip=YES HTTP/1.1\r\nHost: test\r\nConnection: close\r\nUser-Agent: VLC LibVLC/3\r\n\r\n")
      #expect(HLSRules(String(decoding: unmarked.body, as: UTF8.self)).skipped == 0)
      publisher.end()
    }
  }

  @Test("directives that are invalid or too far ahead are 400, on every input of a walk over them")
  func refused() async throws {
    try await TestServer.with(Self.cutting) { server in
      let publisher = try await publish(server)
      let number = growing(try await playlist(server))
      for query in [
        "_HLS_msn=\(number + 2)", "_HLS_msn=\(number)&_HLS_part=15", "_HLS_msn=\(number + 1)&_HLS_part=15", "_HLS_skip=NO",
        "_HLS_msn=\(number)&_HLS_part=x", "_HLS_skip=YES&_HLS_part=1", "_HLS_skip=YES&_HLS_skip=YES",
        "_HLS_msn=\(UInt64.max)", "_HLS_msn=9999999999999999", "_HLS_msn=\(number)&_HLS_part=9999999999999999",
      ] {
        #expect(try await server.request("GET", "/live/studio.m3u8?\(query)").status == 400, "\(query)")
      }
      // Whatever the directives contain, an answer comes at once, and it is a whole playlist or a refusal.
      for segment in ["", "_HLS_msn", "_HLS_msn=", "_HLS_msn=0", "_HLS_msn=%0A", "_HLS_msn=\(number - 1)", "_HLS_msn=-1"] {
        for part in ["", "&_HLS_part=0", "&_HLS_part=99", "&_HLS_part=%22", "&_HLS_part=0&_HLS_part=0", "&_HLS_part"] {
          for skip in ["", "&_HLS_skip=YES", "&_HLS_skip=", "&_HLS_skip=v2%22%0A#EXT-X-ENDLIST", "&_HLS_x=%22"] {
            let answer = try await server.request("GET", "/live/studio.m3u8?\(segment)\(part)\(skip)")
            #expect([200, 400].contains(answer.status), "\(segment)\(part)\(skip)")
            guard answer.status == 200 else { continue }
            let rules = HLSRules(String(decoding: answer.body, as: UTF8.self))
            #expect(rules.violations.isEmpty && !rules.hasEnded, "\(segment)\(part)\(skip): \(rules.violations)")
          }
        }
      }
      publisher.end()
    }
  }

  @Test("requests that wait occupy no thread: with a hundred of them, others are answered, and one part answers them all")
  func many() async throws {
    try await TestServer.with {
      Self.cutting(&$0)
      $0.httpThreads = 1
    } _: { server in
      let publisher = try await publish(server)
      let number = growing(try await playlist(server))
      func ask() async throws -> Wire {
        let wire = try await Wire.connect(port: server.server.port)
        wire.send("GET /live/studio.m3u8?_HLS_msn=\(number)&_HLS_part=1 HTTP/1.0\r\n\r\n")
        return wire
      }
      var wires: [Wire] = []
      for _ in 0..<100 { wires.append(try await ask()) }
      try await eventually("all wait") {
        // A request waits for the length of three segments. A busy machine may take longer to send all.
        for index in wires.indices where wires[index].isClosed { wires[index] = try await ask() }
        return try await server.metric("roomserver_origin_hls_waiting") == 100
      }
      #expect(try await server.request("GET", "/live/studio.m3u8").status == 200)
      HLSSample.send(4100..<4600, publisher)
      try await eventually("all are answered") { wires.allSatisfy(\.isClosed) }
      #expect(try await server.metric("roomserver_origin_hls_waiting") == 0)
      publisher.end()
    }
  }

  @Test("the number of requests that wait is limited over all streams, and refusals are counted")
  func limit() async throws {
    try await TestServer.with {
      Self.cutting(&$0)
      $0.origin.hls.waitingTotal = 1
    } _: { server in
      let publisher = try await publish(server)
      let number = growing(try await playlist(server))
      async let waiting = playlist(server, "?_HLS_msn=\(number)&_HLS_part=1")
      try await eventually("one waits") { try await server.metric("roomserver_origin_hls_waiting") == 1 }
      let refused = try await server.request("GET", "/live/studio/part-\(number).0.m4s")
      #expect(refused.status == 503 && refused.headers["retry-after"] == "2")
      #expect(try await server.request("GET", "/live/studio.m3u8").status == 200, "what does not wait is served")
      #expect(try await server.metric("roomserver_origin_refused_total{reason=\"hls_waiting\"}") == 1)
      HLSSample.send(4100..<4600, publisher)
      _ = try await waiting
      publisher.end()
    }
  }

  @Test("a request for a hinted part ends with the stream")
  func end() async throws {
    try await TestServer.with {
      Self.cutting(&$0)
      $0.origin.linger = .milliseconds(300)
    } _: { server in
      let publisher = try await publish(server)
      let rules = try await playlist(server)
      let asked = ContinuousClock.now
      // The last pictures become this part; the next one never comes.
      async let last = server.request("GET", "/live/\(try #require(rules.hint))")
      async let never = playlist(server, "?_HLS_msn=\(growing(rules))&_HLS_part=3")
      try await eventually("both wait") { try await server.metric("roomserver_origin_hls_waiting") == 2 }
      publisher.end()
      #expect(try await last.status == 200)
      #expect(try await never.hasEnded)
      #expect(ContinuousClock.now - asked < .seconds(20))
    }
  }

  @Test("the multivariant playlist describes the stream")
  func multivariant() async throws {
    try await TestServer.with(Self.cutting) { server in
      let publisher = try await publish(server)
      let answer = try await server.request("GET", "/live/studio/multivariant.m3u8?a=b&_HLS_msn=1")
      #expect(answer.status == 200 && answer.headers["content-type"] == "application/vnd.apple.mpegurl")
      let text = String(decoding: answer.body, as: UTF8.self)
      #expect(
        text.split(separator: "\n").filter { !$0.hasPrefix("#") } == ["../studio.m3u8?a=b"], "a variant would not be smaller")
      #expect(text.contains("CODECS=\"avc1.42c01e\",RESOLUTION=320x240,FRAME-RATE=25.000\n../studio.m3u8?a=b\n"), "\(text)")
      #expect(try await server.metric("roomserver_origin_variants_total") == 0)
      #expect(try await server.request("GET", "/live/none/multivariant.m3u8").status == 404)
      publisher.end()
    }
  }

  @Test("the signature of a stream opens its multivariant playlist and its variants, and that of a variant only itself")
  func signed() async throws {
    let protection = HotlinkProtection(play: .init(key: "key to play"))
    try await TestServer.with {
      Self.cutting(&$0)
      $0.origin.protection = protection
      $0.origin.hls.firstSegmentTime = .milliseconds(100)
    } _: { server in
      let publisher = try await publish(server)
      func query(_ path: String) throws -> String {
        try #require(protection.query(path: path, for: .play, unixTime: Int64(Date().timeIntervalSince1970)))
      }
      let own = try query("/live/studio.m3u8")
      let variant = try query("/live/studio_176_144_10.m3u8")
      #expect(try await server.request("GET", "/live/studio/multivariant.m3u8").status == 403)
      let list = try await server.request("GET", "/live/studio/multivariant.m3u8?\(own)")
      #expect(list.status == 200 && String(decoding: list.body, as: UTF8.self).contains("../studio.m3u8?\(own)\n"))
      // These pictures cannot be decoded, so a variant that is admitted has no segment.
      for signature in [own, variant] {
        #expect(try await server.request("GET", "/live/studio_176_144_10.m3u8?\(signature)").status == 503)
        #expect(try await server.request("GET", "/live/studio_176_144_10/seg-1.m4s?\(signature)").status == 404)
      }
      #expect(try await server.request("GET", "/live/studio_176_144_10.m3u8").status == 403)
      #expect(try await server.request("GET", "/live/studio.m3u8?\(variant)").status == 403)
      #expect(try await server.request("GET", "/live/studio/multivariant.m3u8?\(variant)").status == 403)
      #expect(try await server.request("GET", "/live/studi_176_144_10.m3u8?\(own)").status == 403)
      publisher.end()
    }
  }
}
