import RoomRTMP
import RoomTestSupport
import Testing

@Suite("The live origin over HTTP-FLV")
struct FLVTests {
  @Test("a viewer gets an FLV stream from the last key frame to the stream's end")
  func play() async throws {
    try await TestServer.with {
      $0.origin.publishesOpenly = true
      $0.origin.linger = .milliseconds(200)
    } _: { server in
      let publisher = try await RTMPPeer.start(.publish, server)
      publisher.sendBeginning()
      try await eventually("the stream is there") { try await server.streams().contains("h264") }
      let wire = try await Wire.connect(port: server.server.port)
      wire.send("GET /live/studio.flv HTTP/1.0\r\n\r\n")
      let response = try await wire.response()
      #expect(response.status == 200)
      #expect(response.headers["content-type"] == "video/x-flv")
      #expect(response.headers["access-control-allow-origin"] == "*")
      let start = try await wire.tags(4)
      #expect(start.map(\.kind) == [.data, .video, .audio, .video])
      publisher.send(LiveSample.video(66, bytes: 300_000), LiveSample.audio(70))
      let more = try await wire.tags(2)
      #expect(more.map(\.timestamp) == [66, 70] && more.first?.payload.count == 300_005)
      #expect(try await server.metric("roomserver_origin_viewers{protocol=\"flv\"}") == 1)
      publisher.end()
      try await eventually("the response ends with the stream") { wire.isClosed }
      try await eventually("no viewers") { try await server.metric("roomserver_origin_viewers{protocol=\"flv\"}") == 0 }
      #expect(try await server.request("GET", "/live/studio.flv").status == 404)
    }
  }

  @Test("the header and the metadata state the kinds of media that a stream has", arguments: [true, false])
  func kinds(isVideo: Bool) async throws {
    try await TestServer.with {
      $0.origin.publishesOpenly = true
    } _: { server in
      let publisher = try await RTMPPeer.start(.publish, server)
      var metadata = StreamMetadata()
      (metadata.videoCodec, metadata.audioCodec) = isVideo ? (7, nil) : (nil, 10)
      publisher.send(metadata.message())
      let wire = try await Wire.connect(port: server.server.port)
      if isVideo {
        publisher.send(LiveSample.videoHeader, LiveSample.video(0, isKeyFrame: true))
      } else {
        publisher.send(LiveSample.audioHeader, LiveSample.audio(0))
      }
      try await eventually("the stream is there") { try await server.streams().contains(isVideo ? "h264" : "aac") }
      wire.send("GET /live/studio.flv HTTP/1.0\r\n\r\n")
      #expect(try await wire.response().status == 200)
      let flags = try await wire.next { bytes in bytes.count >= 9 ? bytes[bytes.startIndex + 4] : nil }
      #expect(flags == (isVideo ? 0x01 : 0x04))
      let first = try #require(try await wire.tags(1).first)
      let values = try first.payload.withUnsafeBytes { try AMF0Reader.values(of: $0) }
      #expect(values.last?.properties?["hasVideo"] == .boolean(isVideo))
      #expect(values.last?.properties?["hasAudio"] == .boolean(!isVideo))
      // A kind that begins later follows on the same connection.
      if isVideo {
        publisher.send(LiveSample.audioHeader, LiveSample.audio(40))
      } else {
        publisher.send(LiveSample.videoHeader, LiveSample.video(40, isKeyFrame: true))
      }
      let later = try await wire.tags(4)
      #expect(later.suffix(2).allSatisfy { $0.kind == (isVideo ? .audio : .video) })
    }
  }

  @Test("streams do not hide paths of the server, and invalid stream names are not found")
  func paths() async throws {
    try await TestServer.with { server async throws in
      #expect(try await server.api("GET", "/v1/rooms").status == 200)
      #expect(try await server.request("GET", "/console/index.html").status == 200)
      for path in ["/live/none.flv", "/live/.flv", "/live/a%2Fb.flv", "/live/%00.flv", "/live/studio", "/a/b/c.flv"] {
        #expect(try await server.request("GET", path).status == 404, "\(path)")
      }
      #expect(try await server.request("POST", "/live/studio.flv", json: "{}").status == 405)
    }
  }

  @Test("a stopping server ends its viewers, waiting ones and those that do not read")
  func stop() async throws {
    let server = try await TestServer.start { $0.origin.publishesOpenly = true }
    let publisher = try await RTMPPeer.start(.publish, server)
    publisher.sendBeginning()
    try await eventually("the stream is there") { try await server.streams().contains("h264") }
    var wires: [Wire] = []
    for number in 0..<20 {
      let wire = try await Wire.connect(port: server.server.port)
      wire.send("GET /live/studio.flv HTTP/1.1\r\nHost: x\r\n\r\n")
      _ = try await wire.response()
      if number % 2 == 0 { try await wire.freeze() }
      wires.append(wire)
    }
    for time in UInt32(1)...100 { publisher.send(LiveSample.video(time * 10, isKeyFrame: time % 10 == 0, bytes: 60_000)) }
    await server.server.stop()
    try await eventually("all that read see the end") {
      wires.enumerated().allSatisfy { $0.offset % 2 == 0 || $0.element.isClosed }
    }
  }

  @Test("viewers use at most half of the HTTP connections, so that other clients are served")
  func connections() async throws {
    try await TestServer.with {
      $0.origin.publishesOpenly = true
      $0.limits.connections = 40
    } _: { server in
      let publisher = try await RTMPPeer.start(.publish, server)
      publisher.sendBeginning()
      try await eventually("the stream is there") { try await server.streams().contains("h264") }
      var wires: [Wire] = []
      for _ in 0..<20 {
        let wire = try await Wire.connect(port: server.server.port)
        wire.send("GET /live/studio.flv HTTP/1.0\r\n\r\n")
        #expect(try await wire.response().status == 200)
        wires.append(wire)
      }
      #expect(try await server.request("GET", "/live/studio.flv").status == 503)
      #expect(try await server.request("GET", "/healthz").status == 200)
      for wire in wires { wire.close() }
    }
  }

  @Test("the number of viewers is limited")
  func limit() async throws {
    try await TestServer.with {
      $0.origin.publishesOpenly = true
      $0.origin.viewers = 1
    } _: { server in
      let publisher = try await RTMPPeer.start(.publish, server)
      publisher.sendBeginning()
      let viewer = try await RTMPPeer.start(.play, server)
      #expect(try await server.request("GET", "/live/studio.flv").status == 503)
      #expect(try await RTMPPeer.refusal(.play, server, "studio").code == .playFailed)
      viewer.end()
      let wire = try await eventually("there is capacity again") {
        let wire = try await Wire.connect(port: server.server.port)
        wire.send("GET /live/studio.flv HTTP/1.0\r\n\r\n")
        return try await wire.response().status == 200 ? wire : nil
      }
      wire.close()
    }
  }
}

extension Wire {
  /// Returns the next tags of an FLV stream, after reading its header.
  func tags(_ count: Int) async throws -> [MediaMessage] {
    try await next { bytes in
      // A demuxer that starts again needs the header again; the length after the last tag is still in the buffer.
      let header = FLVStream.header(hasAudio: true, hasVideo: true).prefix(9)
      let isBeginning = bytes.starts(with: header.prefix(3))
      var demuxer = FLVDemuxer()
      var tags: [MediaMessage] = []
      var taken = 0
      try (isBeginning ? bytes : header + bytes).withUnsafeBytes { memory in
        var view = UnsafeRawBufferPointer(memory)
        while tags.count < count, let tag = try demuxer.read(&view) { tags.append(tag) }
        taken = memory.count - view.count
      }
      guard tags.count == count else { return nil }
      bytes.removeFirst(isBeginning ? taken : taken - header.count)
      return tags
    }
  }
}
