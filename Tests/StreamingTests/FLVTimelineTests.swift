import RoomCodecs
import RoomRTMP
import RoomRTP
import Testing

@testable import RoomStreaming

@Suite("Streaming: one timeline for pictures and sound")
struct FLVTimelineTests {
  private let video = VideoEncoderSettings(width: 320, height: 180, fps: 25, bitrate: 300_000)
  private let audio = (settings: AACEncoderSettings(), configuration: [UInt8]([0x12, 0x10]))

  /// Returns encoded pictures, 40 ms apart from a time in ms on.
  private func pictures(_ count: Int, from start: Int64) throws -> [EncodedPicture] {
    let encoder = try H264Encoder(video)
    let pattern = try TestPattern(width: 320, height: 180)
    return try (0..<count).compactMap { number in
      let time = MediaTime(microseconds: (start + Int64(number) * 40) * 1000)
      return try encoder.encode(try pattern.frame(number: number, milliseconds: 0, timestamp: time), forceKeyFrame: false)
    }
  }

  private func sent(_ timeline: inout FLVTimeline, _ pictures: [EncodedPicture], soundsFrom start: Int64) -> [MediaMessage] {
    var messages: [MediaMessage] = []
    for (index, picture) in pictures.enumerated() {
      let now = Instant(microseconds: picture.timestamp.microseconds)
      messages += timeline.take(picture, now: now)
      for step in 0..<2 {
        let time = MediaTime(microseconds: (start + Int64(index) * 40 + Int64(step) * 20) * 1000)
        messages += timeline.take(sound: [1, 2, 3], at: time, now: now)
      }
    }
    return messages
  }

  @Test("messages are in order, from 0 on, and the first picture follows its sequence header")
  func order() throws {
    var timeline = FLVTimeline(video: video, audio: audio)
    let messages = sent(&timeline, try pictures(25, from: 7_000_000), soundsFrom: 7_000_010)
    #expect(messages.first?.timestamp == 0)
    #expect(zip(messages, messages.dropFirst()).allSatisfy { $0.timestamp <= $1.timestamp })
    let tags = messages.filter { $0.kind == .video }.compactMap { $0.payload.withUnsafeBytes { VideoTag(parsing: $0) } }
    #expect(tags.first?.isSequenceHeader == true && tags.dropFirst().first?.isKeyFrame == true)
    #expect(tags.count { $0.isSequenceHeader } == 1)
    #expect(messages.last.map { $0.timestamp > 900 } == true)
  }

  @Test("a new connection starts with metadata and both sequence headers")
  func preamble() throws {
    var timeline = FLVTimeline(video: video, audio: audio)
    #expect(timeline.preamble.map(\.kind) == [.data, .audio])
    _ = sent(&timeline, try pictures(3, from: 0), soundsFrom: 0)
    #expect(timeline.preamble.map(\.kind) == [.data, .video, .audio])
    let metadata = StreamMetadata(timeline.preamble[0])
    #expect(metadata?.width == 320 && metadata?.frameRate == 25 && metadata?.sampleRate == 44_100)
    let smaller = VideoEncoderSettings(width: 256, height: 144, fps: 15, bitrate: 100_000)
    #expect(timeline.describe(smaller).compactMap { StreamMetadata($0)?.width } == [256])
  }

  @Test("audio goes on alone if there are no pictures, after half a second")
  func alone() {
    var timeline = FLVTimeline(video: video, audio: audio)
    var messages: [MediaMessage] = []
    for step in 0..<50 {
      let time = Int64(step) * 20_000
      messages += timeline.take(
        sound: [1], at: MediaTime(microseconds: time), now: Instant(microseconds: time))
    }
    #expect((20...26).contains(messages.count))
  }

  @Test("a source's clock is followed; one that jumps, or was paused, begins anew at the time of the push")
  func clock() {
    var clock = SourceClock()
    func time(_ stamp: Int64, _ arrival: Int64) -> Int64 {
      clock.time(of: MediaTime(microseconds: stamp * 1000), arrival: Instant(microseconds: arrival * 1000)).microseconds / 1000
    }
    #expect(time(0, 5000) == 5000)
    #expect(time(40, 5090) == 5040, "jitter of the arrival does not matter")
    #expect(time(80, 5081) == 5080)
    #expect(time(120, 9000) == 9000)
    #expect(time(1_000_000, 9040) == 9040)
    #expect(time(1_000_040, 9100) == 9080)
    #expect(time(.max / 1000, 9200) == 9200)
  }
}

@Suite("Streaming: URLs and answers")
struct StreamingAddressTests {
  @Test("a URL selects the protocol")
  func protocols() throws {
    guard case .rtmp(let plain) = try StreamingAddress("rtmp://push.example.com/live/a?key=1"),
      case .rtmp(let secure) = try StreamingAddress("RTMPS://push.example.com/live/a"),
      case .whip(let url) = try StreamingAddress("https://push.example.com:8443/whip/a?x=1")
    else {
      Issue.record("a URL has another protocol")
      return
    }
    #expect(!plain.isSecure && secure.isSecure && url.port == 8443)
  }

  @Test(
    "other URLs are refused, without the query, which may be a key",
    arguments: ["", "rtmp://host", "rtsp://host:1?key=secret", "https://", "live/a", "http://a b/", "ftp://x/y?secret"])
  func invalid(text: String) {
    do throws(StreamingFailure) {
      let address = try StreamingAddress(text)
      Issue.record("\(address)")
    } catch {
      #expect(!error.description.contains("secret"))
      guard case .invalidURL = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test("an answer that says so is an expired URL; others are told apart by the status")
  func answers() {
    #expect(StreamingFailure(.rejected(code: "NetStream.Publish.BadName", reason: "URL Expired")).isFinal)
    #expect(!StreamingFailure(.rejected(code: "NetStream.Publish.BadName", reason: "in use")).isFinal)
    #expect(
      StreamingFailure(status: 401, body: #"{"code":401003,"message":"the token has expired"}"#)
        == .expired("401 the token has expired"))
    #expect(StreamingFailure(status: 403, body: "no") == .unauthorized("403 no"))
    #expect(StreamingFailure(status: 404, body: "no room") == .rejected("404 no room"))
  }

  @Test("the app's resolver is asked, and one without an answer fails")
  func resolver() async throws {
    let good = StreamingResolver { $0 == "live.example" ? ["192.0.2.7", "no address", "2001:db8::1"] : [] }
    let addresses = try await good.addresses(of: "live.example", port: 1935)
    #expect(addresses.map(\.ipAddress) == ["192.0.2.7", "2001:db8::1"] && addresses.allSatisfy { $0.port == 1935 })
    await #expect(throws: StreamingFailure.nameNotFound("other")) { try await good.addresses(of: "other", port: 1) }
    struct Down: Error {}
    let down = StreamingResolver { _ in throw Down() }
    await #expect(throws: StreamingFailure.nameNotFound("x")) { try await down.addresses(of: "x", port: 1) }
  }
}
