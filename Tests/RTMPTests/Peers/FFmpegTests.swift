import Foundation
import RoomPeers
import RoomRTMP
import RoomRTP
import RoomTestSupport
import Testing

/// `ServerSession` against ffmpeg, ffprobe and librtmp.
@Suite struct FFmpegTests {
  @Test("ffmpeg publishes: metadata, both sequence headers, then frames with increasing times", .needs("ffmpeg"))
  func ffmpegPublishes() async throws {
    let origin = try LoopbackOrigin()
    defer { origin.stop() }
    let ffmpeg = try Program("ffmpeg", testSource(seconds: 3, realTime: false, ["-f", "flv", origin.url("studio?token=abc")]))
    let status = try await ffmpeg.finish()
    #expect(status == 0, "\(ffmpeg.text)")
    try await eventually("the publish ends") { !origin.snapshot.failures.isEmpty }
    let log = origin.snapshot
    #expect(log.connects.first?.appName == "live")
    #expect(log.publishes.first?.name == StreamName("studio?token=abc"))
    let metadata = try #require(log.published.lazy.compactMap(StreamMetadata.init).first)
    #expect(metadata.width == 320 && metadata.height == 180 && metadata.frameRate == 15 && metadata.sampleRate == 44_100)

    let video = log.published.filter { $0.kind == .video }
    let configuration = try #require(video.first.flatMap(configuration))
    let parameters = try #require(configuration.sequenceParameters.first.flatMap(SequenceParameters.init))
    #expect(parameters.width == 320 && parameters.height == 180)
    #expect(configuration.encoded == video.first?.payload.dropFirst(5).map { $0 })
    let tags = video.compactMap { message in message.payload.withUnsafeBytes { VideoTag(parsing: $0) } }
    #expect(tags.filter(\.isKeyFrame).count == 3)
    #expect(tags.filter { $0.packetType == .codedFrames }.count == 45)
    #expect(zip(video, video.dropFirst()).allSatisfy { $0.timestamp <= $1.timestamp })

    let audio = log.published.filter { $0.kind == .audio }
    let header = try #require(audio.first)
    let sound = try #require(header.payload.dropFirst(2).map { $0 }.withUnsafeBytes { AudioSpecificConfig(parsing: $0) })
    #expect(sound.objectType == 2 && sound.sampleRate == 44_100 && sound.channels == 2)
    #expect(audio.count > 120)
    #expect(zip(audio, audio.dropFirst()).allSatisfy { $0.timestamp <= $1.timestamp })
  }

  private func configuration(_ message: MediaMessage) -> AVCConfiguration? {
    message.payload.withUnsafeBytes { bytes in
      guard let tag = VideoTag(parsing: bytes), tag.isSequenceHeader, tag.track.codec == .avc else { return nil }
      return AVCConfiguration(parsing: UnsafeRawBufferPointer(rebasing: bytes[tag.track.body]))
    }
  }

  @Test("ffmpeg prints the reason why it may not publish", .needs("ffmpeg"))
  func ffmpegIsRefused() async throws {
    let origin = try LoopbackOrigin(refusing: "The token has expired.")
    defer { origin.stop() }
    let ffmpeg = try Program("ffmpeg", testSource(seconds: 3, ["-f", "flv", origin.url()]))
    let status = try await ffmpeg.finish()
    #expect(status != 0)
    #expect(ffmpeg.text.contains("The token has expired."), "\(ffmpeg.text)")
  }

  @Test("ffprobe plays a stream that ffmpeg publishes", .needs("ffmpeg", "ffprobe"))
  func ffprobePlays() async throws {
    let origin = try LoopbackOrigin()
    defer { origin.stop() }
    let ffmpeg = try Program("ffmpeg", testSource(seconds: 60, ["-f", "flv", origin.url()]))
    try await eventually("media arrives") { origin.snapshot.published.count > 20 }
    let probe = try Program(
      "ffprobe",
      [
        "-v", "error", "-show_entries", "stream=codec_name,width,height,sample_rate", "-show_entries",
        "packet=codec_type,dts_time",
        "-read_intervals", "%+#120", "-of", "compact", origin.url(),
      ])
    let status = try await probe.finish()
    #expect(status == 0)
    let text = probe.text
    #expect(
      text.contains("codec_name=h264|width=320|height=180") && text.contains("codec_name=aac|sample_rate=44100"), "\(text)")
    #expect(!text.contains("unknown"), "players treat some data messages as a separate stream")
    #expect(text.components(separatedBy: "codec_type=video").count > 15, "\(text)")
    ffmpeg.stop()
  }

  @Test("librtmp plays a stream that ffmpeg publishes, and is notified of its end", .needs("ffmpeg", "rtmpdump"))
  func librtmpPlays() async throws {
    let origin = try LoopbackOrigin()
    defer { origin.stop() }
    let ffmpeg = try Program("ffmpeg", testSource(seconds: 10, ["-f", "flv", origin.url()]))
    try await eventually("media arrives") { origin.snapshot.published.count > 20 }
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).flv")
    defer { try? FileManager.default.removeItem(at: file) }
    let dump = try Program("rtmpdump", ["-r", origin.url(), "--live", "-o", file.path])
    let published = try await ffmpeg.finish()
    #expect(published == 0, "\(ffmpeg.text)")
    _ = try await dump.finish()
    var demuxer = FLVDemuxer()
    let dumped = try demuxer.messages([UInt8](Data(contentsOf: file)))
    #expect(dumped.filter { $0.kind == .video }.count > 40, "\(dump.text)")
    #expect(dumped.filter { $0.kind == .audio }.count > 100)
  }

  @Test("GStreamer publishes and plays", .needs("gst-launch-1.0", "ffmpeg"))
  func gstreamer() async throws {
    let origin = try LoopbackOrigin()
    defer { origin.stop() }
    // The second half of the pipeline needs no more plugins than the first, because it only inspects the bytes.
    let publisher = try Program(
      "gst-launch-1.0",
      [
        "-q", "videotestsrc", "is-live=true", "num-buffers=300", "!", "video/x-raw,width=320,height=180,framerate=15/1", "!",
        "openh264enc", "gop-size=15", "!", "h264parse", "!", "flvmux", "streamable=true", "!", "rtmp2sink",
        "location=\(origin.url())",
      ])
    try await eventually("media arrives, or GStreamer lacks a plugin") {
      origin.snapshot.published.count > 20 || !publisher.isRunning
    }
    try #require(publisher.isRunning || publisher.text.contains("no element"), "\(publisher.text)")
    guard publisher.isRunning else { return }
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).flv")
    defer { try? FileManager.default.removeItem(at: file) }
    let player = try Program(
      "gst-launch-1.0",
      ["-q", "rtmp2src", "location=\(origin.url())", "num-buffers=60", "!", "filesink", "location=\(file.path)"])
    let status = try await player.finish()
    #expect(status == 0, "\(player.text)")
    publisher.stop()
    var demuxer = FLVDemuxer()
    let played = try demuxer.messages([UInt8](Data(contentsOf: file)))
    let tags = played.filter { $0.kind == .video }.compactMap { $0.payload.withUnsafeBytes { VideoTag(parsing: $0) } }
    #expect(tags.first?.isSequenceHeader == true && tags.contains(where: \.isKeyFrame) && tags.count > 20, "\(tags.count)")
  }
}
