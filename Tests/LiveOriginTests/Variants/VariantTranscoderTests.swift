import RoomCodecs
import RoomRTMP
import RoomRTP
import Testing

@testable import RoomLiveOrigin

@Suite struct VariantTranscoderTests {
  private func transcoded(_ name: String, _ messages: [LiveMedia]) throws -> (VariantTranscoder, [MediaMessage]) {
    let transcoder = try VariantTranscoder(try #require(StreamVariant(name)))
    return (transcoder, messages.flatMap { transcoder.take($0) })
  }

  private func tags(_ messages: [MediaMessage]) -> [(time: UInt32, tag: VideoTag, message: MediaMessage)] {
    messages.filter { $0.kind == .video }.compactMap { message in
      message.payload.withUnsafeBytes { VideoTag(parsing: $0) }.map { (message.timestamp, $0, message) }
    }
  }

  @Test("a variant has its own size, rate and key frames, and the stream's times and audio")
  func variant() throws {
    let source = try EncodedStream(.init(fps: 30, keyFrames: 100, start: 4000)).messages(until: 9000)
    let (transcoder, made) = try transcoded("studio_240_240_15", source)
    let all = tags(made)
    let header = try #require(all.first?.tag.isSequenceHeader == true ? all.first : nil)
    let configuration = try #require(
      Array(header.message.payload[header.tag.track.body]).withUnsafeBytes { AVCConfiguration(parsing: $0) })
    let size = try #require(SequenceParameters(parsing: configuration.sequenceParameters[0]))
    #expect(size.width == 240 && size.height == 240)
    let pictures = all.filter { !$0.tag.isSequenceHeader }
    #expect(all.count == pictures.count + 1, "one header, because it never changes")
    #expect(pictures.count == 75 && pictures.first?.time == 4000)
    #expect(zip(pictures.dropFirst(), pictures).allSatisfy { (66...68).contains($0.time - $1.time) })
    #expect(pictures.filter(\.tag.isKeyFrame).map(\.time) == [4000, 6000, 8000])
    #expect(made.filter { $0.kind == .audio } == source.map(\.media).filter { $0.kind == .audio })
    #expect(transcoder.counters.decoded == 150 && transcoder.counters.failed == 0)

    // 320x180 in a square: bars above and below, with the picture's colour in between.
    let decoder = try ConfiguredVideoDecoder(.h264, configuration: Array(header.message.payload[header.tag.track.body]))
    let key = try #require(pictures.first)
    let frame = try #require(try decoder.decode(key.message.payload[key.tag.track.body], timestamp: .zero).first)
    let (top, middle) = frame.withPlanes { planes in
      (planes.y[20 * planes.yStride + 120], planes.y[120 * planes.yStride + 120])
    }
    #expect(top < 24 && middle > 40, "\(top) \(middle)")
  }

  @Test("audio that arrives first waits for a picture for a limited time, so that players detect both tracks")
  func soundFirst() throws {
    let source = try EncodedStream(.init(fps: 30, keyFrames: 100, start: 4000)).messages(until: 6000)
    let first = try #require(source.firstIndex { $0.isKeyFrame })
    let sound = source[first...].filter { $0.media.kind == .audio }
    let early = Array(source[..<first]) + sound.prefix(20) + source[first...].filter { $0.media.kind == .video }
    let (_, made) = try transcoded("studio_240_240_15", early)
    let kinds = made.filter { $0.kind != .data }.map(\.kind)
    #expect(kinds.prefix(3) == [.video, .audio, .video])
    #expect(kinds.count { $0 == .audio } == source[..<first].count { $0.media.kind == .audio } + 20)

    let endless = (0..<400).compactMap { sound.isEmpty ? nil : sound[$0 % sound.count] }
    let (_, alone) = try transcoded("studio_240_240_15", Array(source[..<first]) + endless)
    #expect(alone.count { $0.kind == .audio } == source[..<first].count { $0.media.kind == .audio } + endless.count)
  }

  @Test("frame rates are even, whatever the stream's rate")
  func rates() {
    func kept(_ source: Int, _ rate: Int) -> [Int64] {
      var thinning = FrameThinning(rate: rate)
      return (0..<(source * 4)).map { Int64($0 * 1000 / source) }.filter { thinning.keeps(MediaTime(milliseconds: $0)) }
    }
    #expect(kept(30, 15).count == 60 && zip(kept(30, 15).dropFirst(), kept(30, 15)).allSatisfy { (66...67).contains($0 - $1) })
    #expect(kept(15, 15).count == 60 && kept(15, 30).count == 60 && kept(24, 24).count == 96)
    #expect((95...97).contains(kept(25, 24).count) && (95...97).contains(kept(30, 24).count))
    #expect((39...41).contains(kept(15, 10).count) && (39...41).contains(kept(60, 10).count))
  }

  @Test("a stream that changes size continues in the variant's size")
  func sizeChange() throws {
    let first = try EncodedStream(.init(hasAudio: false)).messages(until: 1000)
    let second = try EncodedStream(.init(width: 240, height: 320, hasAudio: false, start: 1000)).messages(until: 2000)
    let (transcoder, made) = try transcoded("studio_320_180_15", first + second)
    #expect(tags(made).filter(\.tag.isSequenceHeader).count == 1 && tags(made).count == 31)
    #expect(transcoder.counters.failed == 0)
  }

  @Test("reordered pictures are output in presentation order")
  func reordered() throws {
    let source = try FFmpegStream.make(seconds: 3, ["-bf", "3", "-g", "30"])
    let composed = tags(source.map(\.media)).filter { $0.tag.track.compositionTime > 0 }
    #expect(composed.count > 20, "ffmpeg reorders")
    let (transcoder, made) = try transcoded("studio_176_144_15", source)
    let times = tags(made).filter { !$0.tag.isSequenceHeader }.map(\.time)
    // The last pictures stay in the decoder.
    #expect(times.count > 38 && zip(times.dropFirst(), times).allSatisfy { (66...68).contains($0 - $1) }, "\(times)")
    #expect(transcoder.counters.failed == 0)
  }

  @Test("pictures that cannot be decoded are skipped up to the next key frame")
  func broken() throws {
    let messages = try EncodedStream(.init(keyFrames: 15, hasAudio: false)).messages(until: 3000)
    let damaged = messages.enumerated().map { index, message -> LiveMedia in
      guard index == 20 else { return message }
      let payload = Array(message.media.payload.prefix(5)) + [0xff, 0xff, 0xff, 0xff, 0x41, 1, 2, 3]
      return LiveMedia(
        MediaMessage(.video, timestamp: message.media.timestamp, payload: payload), time: message.time, isKeyFrame: false)
    }
    let (transcoder, made) = try transcoded("studio_176_144_15", damaged)
    #expect(transcoder.counters.failed == 1 && tags(made).count == 1 + 45 - 11)
  }

  @Test("metadata contains the variant's size")
  func metadata() throws {
    var told = StreamMetadata()
    told.width = 1280
    told.frameRate = 25
    told.audioCodec = 10
    let message = LiveMedia(told.message(), time: .zero, isKeyFrame: false)
    let (_, made) = try transcoded("studio_320_180_30", [message])
    let metadata = try #require(made.first.flatMap { StreamMetadata($0) })
    #expect(metadata.width == 320 && metadata.height == 180 && metadata.frameRate == 25 && metadata.audioCodec == 10)
  }
}
