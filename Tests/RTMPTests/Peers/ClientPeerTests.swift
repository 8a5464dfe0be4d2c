import Foundation
import RoomPeers
import RoomRTMP
import RoomTestSupport
import Testing

/// `ClientSession` against nginx-rtmp and ffmpeg.
@Suite struct ClientPeerTests {
  @Test(
    "H.264 and AAC are published to nginx-rtmp, and ffprobe reads them there", .needs("ffmpeg", "ffprobe"), .needsNginxRTMP,
    arguments: [true, false])
  func publishToNginx(withDigest: Bool) async throws {
    let nginx = try await NginxRTMP()
    let messages = try await ElementaryStreams.make(seconds: 30).messages()
    let client = try LoopbackClient(.publish, port: nginx.port, options: .init(handshakeDigest: withDigest))
    client.start()
    try #require(client.session.isActive, "\(client.events) \(nginx.log)")
    let probe = try Program(
      "ffprobe",
      [
        "-v", "error", "-show_entries", "stream=codec_name,width,height,sample_rate,channels", "-show_entries",
        "packet=codec_type,dts_time", "-read_intervals", "%+#200", "-of", "compact", nginx.url(),
      ])
    await Task.detached { [parts = Unshared((client, probe))] in
      parts.value.0.publish(messages) { parts.value.1.isRunning }
    }.value
    client.end()
    _ = try await probe.finish()
    let text = probe.text
    #expect(client.failure == .ended, "\(nginx.log)")
    #expect(text.contains("codec_name=h264|width=320|height=180"), "\(text)")
    #expect(text.contains("codec_name=aac|sample_rate=44100|channels=2"), "\(text)")
    for kind in ["video", "audio"] {
      let times = decodingTimes(kind, in: text)
      #expect(times.count > 40, "\(kind): \(times.count) packets")
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 && $1 - $0 < 0.1 }, "\(kind): \(times)")
    }
  }

  private func decodingTimes(_ kind: String, in text: String) -> [Double] {
    text.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("packet|codec_type=\(kind)|dts_time=") else { return nil }
      return Double(line.split(separator: "=").last ?? "")
    }
  }

  @Test("a stream that ffmpeg publishes to nginx-rtmp is played from there", .needs("ffmpeg"), .needsNginxRTMP)
  func playFromNginx() async throws {
    let nginx = try await NginxRTMP()
    let ffmpeg = try Program("ffmpeg", testSource(seconds: 6, ["-f", "flv", nginx.url()]))
    let client = try LoopbackClient(.play, port: nginx.port)
    let deadline = ContinuousClock.now + .seconds(60)
    while !client.session.isClosed, ContinuousClock.now < deadline, !client.events.contains(.ended) { client.turn() }
    let played = client.played
    #expect(played.contains { StreamMetadata($0)?.width == 320 }, "\(client.events.prefix(5)) \(nginx.log)")
    let tags = played.filter { $0.kind == .video }.compactMap { $0.payload.withUnsafeBytes { VideoTag(parsing: $0) } }
    #expect(tags.first?.isSequenceHeader == true)
    #expect(tags.filter(\.isKeyFrame).count >= 4)
    #expect(client.events.contains(.ended))
    _ = try await ffmpeg.finish()
  }

  @Test("a connection that nginx-rtmp closes ends the session", .needsNginxRTMP, arguments: ["guarded", "nothing"])
  func refusedByNginx(app: String) async throws {
    let nginx = try await NginxRTMP()
    let client = try LoopbackClient(.publish, port: nginx.port, app: app)
    let deadline = ContinuousClock.now + .seconds(60)
    while !client.session.isClosed, ContinuousClock.now < deadline { client.turn() }
    // nginx refuses by closing, without a status.
    #expect(client.failure == .closedByPeer, "\(client.events)")
  }

  @Test("ffmpeg as a server receives a published stream", .needs("ffmpeg", "ffprobe"))
  func publishToFFmpeg() async throws {
    let port = try LoopbackSocket.freePort()
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).flv")
    defer { try? FileManager.default.removeItem(at: file) }
    let sink = try Program(
      "ffmpeg",
      [
        "-hide_banner", "-loglevel", "warning", "-y", "-listen", "1", "-i", "rtmp://127.0.0.1:\(port)/live/studio", "-c",
        "copy", file.path,
      ])
    let messages = try await ElementaryStreams.make(seconds: 3).messages()
    var made: LoopbackClient?
    try await eventually("ffmpeg listens") {
      made = try? LoopbackClient(.publish, port: port)
      return made != nil
    }
    let client = try #require(made)
    client.start()
    try #require(client.session.isActive, "\(client.events) \(sink.text)")
    await Task.detached { [client = Unshared(client)] in client.value.publish(messages) }.value
    client.end()
    made = nil
    _ = try await sink.finish()
    var demuxer = FLVDemuxer()
    let received = try demuxer.messages([UInt8](Data(contentsOf: file)))
    #expect(received.filter { $0.kind == .video }.count >= 40, "\(sink.text)")
    #expect(received.filter { $0.kind == .audio }.count >= 100, "\(sink.text)")
  }

  /// Passes a value to another thread and back. Only one thread uses it at a time, because the test waits for the other.
  private struct Unshared<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
  }
}
