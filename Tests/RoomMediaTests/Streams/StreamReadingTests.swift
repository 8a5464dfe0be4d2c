import RoomClient
import RoomProtocol
import RoomRTMP
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomMedia

@Suite("Reading a live stream")
struct StreamReadingTests {
  private static let header = MediaMessage(
    .video, timestamp: 0, payload: VideoTag.avcHeader(.sequenceStart, isKeyFrame: true) + [1, 2, 3])
  private static let config = AudioSpecificConfig(sampleRate: 44_100, channels: 2)

  private static func picture(_ timestamp: UInt32, isKeyFrame: Bool = false, composition: Int32 = 0) -> MediaMessage {
    MediaMessage(
      .video, timestamp: timestamp,
      payload: VideoTag.avcHeader(.codedFrames, isKeyFrame: isKeyFrame, compositionTime: composition) + [9, 9])
  }

  private static func sound(_ timestamp: UInt32) -> MediaMessage {
    MediaMessage(.audio, timestamp: timestamp, payload: AudioTag.aacHeader(.codedFrames) + [7])
  }

  @Test("samples have the configuration before them, and times from the timestamps")
  func samples() throws {
    var samples = StreamSamples()
    #expect(try samples.read(Self.picture(0, isKeyFrame: true)) == nil, "without a configuration nothing can be decoded")
    #expect(try samples.read(Self.header) == nil)
    #expect(
      try samples.read(MediaMessage(.audio, timestamp: 0, payload: Self.config.sequenceHeader)) == nil)
    let first = try #require(try samples.read(Self.picture(1000, isKeyFrame: true, composition: 80)))
    #expect(first.codec == .h264 && first.configuration == [1, 2, 3] && first.data == [9, 9] && first.isKeyFrame)
    #expect(first.time.milliseconds(since: first.decodingTime) == 80)
    let second = try #require(try samples.read(Self.sound(1023)))
    #expect(second.codec == .aac && second.configuration == Self.config.encoded)
    #expect(second.time.milliseconds(since: first.decodingTime) == 23)
  }

  @Test("times continue over the end of 32 bits, and where the source's clock jumps")
  func timeline() {
    var timeline = StreamTimeline()
    let times = [UInt32.max - 10, 9, 29, 3_000_000, 3_000_020, 0, 40].map { timeline.time($0).milliseconds }
    #expect(times == [0, 20, 40, 60, 80, 100, 140])
  }

  @Test("enhanced headers select HEVC, AV1, VP8, VP9 and Opus; another codec is an error with its name")
  func codecs() throws {
    var samples = StreamSamples()
    for (code, codec) in [(FourCC.vp8, StreamSample.Codec.vp8), (.vp9, .vp9)] {
      let payload = VideoTag.enhancedHeader(code, .codedFramesX, isKeyFrame: true) + [1]
      #expect(try samples.read(MediaMessage(.video, timestamp: 0, payload: payload))?.codec == codec)
    }
    for (code, codec) in [(FourCC.hevc, StreamSample.Codec.hevc), (.av1, .av1)] {
      let header = VideoTag.enhancedHeader(code, .sequenceStart, isKeyFrame: true) + [4]
      _ = try samples.read(MediaMessage(.video, timestamp: 0, payload: header))
      let payload = VideoTag.enhancedHeader(code, .codedFramesX, isKeyFrame: true) + [1]
      let sample = try samples.read(MediaMessage(.video, timestamp: 0, payload: payload))
      #expect(sample?.codec == codec && sample?.configuration == [4])
    }
    let opus = AudioTag.enhancedHeader(.opus, .codedFrames) + [1]
    #expect(try samples.read(MediaMessage(.audio, timestamp: 0, payload: opus))?.codec == .opus)
    #expect(throws: StreamFailure.unsupportedCodec("number 2 of FLV sound")) {
      try samples.read(MediaMessage(.audio, timestamp: 0, payload: [0x2f, 1, 2]))
    }
    #expect(throws: StreamFailure.unsupportedCodec("vvc1")) {
      try samples.read(
        MediaMessage(.video, timestamp: 0, payload: VideoTag.enhancedHeader(.vvc, .codedFramesX, isKeyFrame: true) + [1]))
    }
  }

  @Test("which URLs are played, and where redirects lead")
  func addresses() throws {
    for url in ["rtmp://h/live/a?x=1", "rtmps://h:5/live/a", "http://h/live/a.flv", "https://[::1]:8/a.flv?k=v"] {
      let address = try StreamAddress(url)
      #expect(address.isSecure == url.hasPrefix("rtmps") || address.isSecure == url.hasPrefix("https"))
    }
    for url in [
      "", "rtmp://h", "http://h/live/a.m3u8?x", "ftp://h/a.flv", "http://h/a b.flv", "http://h:99999/a.flv", "file:///a.flv",
    ] {
      #expect(throws: StreamFailure.self) { try StreamAddress(url) }
    }
    #expect(throws: StreamFailure.invalidURL("webrtc://h/a")) { try StreamAddress("webrtc://h/a?secret=1") }
    let address = try StreamAddress("https://a/live/x.flv")
    #expect(address.redirected(to: "https://b/x.flv?t=1") == (try StreamAddress("https://b/x.flv?t=1")))
    #expect(address.redirected(to: "/y.flv") == (try StreamAddress("https://a/y.flv")))
    #expect(address.redirected(to: "http://b/x.flv") == nil, "less secure")
  }

  @Test("the server's answers become failures with stable codes")
  func answers() throws {
    func failure(_ status: Int) throws -> StreamSession.Event? {
      var session = StreamSession(try StreamAddress("http://h/a.flv"), now: Instant(microseconds: 0))
      session.respond(status: status, location: status == 302 ? "/b.flv" : nil, isDelimited: true)
      return session.nextEvent()
    }
    #expect(try failure(200) == nil)
    #expect(try failure(404) == .failed(.notFound("HTTP 404")))
    #expect(try failure(403) == .failed(.forbidden("HTTP 403")))
    #expect(try failure(503) == .failed(.refused("HTTP 503")))
    #expect(try failure(302) == .redirected(to: "/b.flv"))
    #expect(StreamFailure.notFound("").code == .cdnSubscribeFailed && StreamFailure.notFound("").code.rawValue == 80203)
    #expect(StreamFailure.invalidURL("").code == .cdnParameters && StreamFailure.noURL("").code.rawValue == 80204)
  }

  @Test("a response whose end is marked ends the stream; any other was cut")
  func ends() throws {
    for isDelimited in [true, false] {
      var session = StreamSession(try StreamAddress("http://h/a.flv"), now: Instant(microseconds: 0))
      session.respond(status: 200, location: nil, isDelimited: isDelimited)
      session.end()
      let event = session.nextEvent()
      #expect(isDelimited == (event == .ended))
      #expect(session.nextEvent() == nil)
    }
  }

  @Test("three tries after growing waits; a refusal is final at first, and a stream that ended is awaited")
  func retries() {
    var random = SeededGenerator(seed: 1)
    func outcomes(_ failures: [StreamFailure?], played: Duration? = nil) -> [StreamRetries.Next] {
      var retries = StreamRetries(.default)
      return failures.enumerated().map { index, failure in
        retries.lost(failure, played: index == 0 ? played : nil, using: &random)
      }
    }
    let lost = StreamFailure.connectionLost("x")
    let refused = StreamFailure.notFound("404")
    let waits = outcomes([lost, lost, lost, lost])
    for (index, next) in waits.prefix(3).enumerated() {
      guard case .wait(let wait, index + 1) = next else {
        Issue.record("\(next)")
        continue
      }
      #expect(wait >= .seconds(2 * index) && wait <= .seconds(2 * index + 2))
    }
    #expect(waits.last == .failed(lost))
    #expect(outcomes([refused]) == [.failed(refused)])
    #expect(outcomes([lost, refused], played: .seconds(1)).last != .failed(refused), "the server may only have restarted")
    #expect(outcomes([nil, refused, refused, refused], played: .seconds(60)).last == .ended)
    #expect(outcomes([.unsupportedCodec("x")], played: .seconds(60)).last == .failed(.unsupportedCodec("x")))
  }

  @Test("bytes from a hostile server never crash, and never make more than they contain", arguments: 0..<400)
  func hostile(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var bytes = FLVStream.header(hasAudio: true, hasVideo: true)
    var messages = [Self.header, MediaMessage(.audio, timestamp: 0, payload: Self.config.sequenceHeader)]
    for number in UInt32(0)..<40 {
      messages += [
        Self.picture(number * 40, isKeyFrame: number % 10 == 0, composition: Int32(number) * 7), Self.sound(number * 40),
      ]
    }
    for message in messages { bytes += FLVStream.tag(message) }
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let place = Int.random(in: 13..<bytes.count, using: &random)
      bytes[place] = UInt8.random(in: 0...255, using: &random)
    }
    if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 1..<bytes.count / 2, using: &random)) }
    for url in ["http://h/a.flv", "rtmp://h/live/a"] {
      var session = StreamSession(try StreamAddress(url), now: Instant(microseconds: 0))
      session.respond(status: 200, location: nil, isDelimited: false)
      var samples = StreamSamples()
      var playout = Playout()
      let decoders = StreamDecoders()
      var now = Instant(microseconds: 0)
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = Array(rest.prefix(Int.random(in: 1...300, using: &random)))
        rest = rest.dropFirst(piece.count)
        piece.withUnsafeBytes { session.receive($0, now: now) }
        while let event = session.nextEvent() {
          guard case .media(let message) = event, let sample = try? samples.read(message) else { continue }
          #expect(sample.data.count <= bytes.count)
          playout.add(sample, now: now)
        }
        now = now.advanced(milliseconds: 40)
        while let step = playout.next(now: now) {
          if step.sample.codec.isVideo {
            _ = try? decoders.pictures(step.sample)
          } else {
            _ = try? decoders.samples(step.sample)
          }
        }
      }
    }
  }
}
