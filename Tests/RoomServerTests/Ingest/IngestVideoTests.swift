import RoomCodecs
import RoomMediaTimeLiterals
import RoomRTMP
import RoomRTP
import RoomRelay
import Testing
import RoomWebRTC

@testable import RoomServer

@Suite("Ingest of H.264")
struct IngestVideoTests {
  /// Converts all messages; returns the format and the pictures.
  private func run(
    _ messages: [MediaMessage], _ video: inout IngestVideo
  ) throws -> (
    codec: RTPCodec?, size: [Int?], pictures: [(payloads: [[UInt8]], time: MediaTime)], transcoded: [VideoTranscoder.Sample]
  ) {
    var transcoded: [VideoTranscoder.Sample] = []
    var codec: RTPCodec?
    var size: [Int?] = []
    var pictures: [(payloads: [[UInt8]], time: MediaTime)] = []
    for message in messages {
      switch try video.take(message.payload, at: MediaTime(milliseconds: Int64(message.timestamp))) {
      case .nothing: break
      case .format(let found, let width, let height):
        #expect(codec == nil)
        codec = found
        size = [width, height]
      case .picture(let payloads, let time): pictures.append((payloads, time))
      case .transcode(let samples): transcoded += samples
      }
    }
    return (codec, size, pictures, transcoded)
  }

  @Test("pictures pass unchanged, with parameter sets before each key frame", arguments: ["baseline", "main", "high"])
  func untouched(profile: String) throws {
    let messages = try EncodedStream.video("-profile:v", profile, "-bf", "0")
    var video = IngestVideo()
    let (codec, size, pictures, _) = try run(messages, &video)
    let expected: [String: H264Profile] = ["baseline": .constrainedBaseline, "main": .main, "high": .high]
    #expect(codec?.h264Profile == expected[profile])
    #expect(codec?.parameters["profile-level-id"]?.count == 6)
    #expect(size == [320, 180])
    #expect(pictures.count == 30)
    #expect(pictures.allSatisfy { $0.payloads.allSatisfy { $0.count <= 1100 } })
    let times = pictures.map(\.time)
    #expect(zip(times, times.dropFirst()).allSatisfy { (66_000...67_000).contains($1 - $0) })

    var keyFrames = 0
    let frames = messages.filter { !$0.payload.withUnsafeBytes { VideoTag(parsing: $0)?.isSequenceHeader ?? true } }
    for (picture, message) in zip(pictures, frames) {
      var depacketizer = H264Depacketizer()
      for payload in picture.payloads {
        let taken = payload.withUnsafeBytes { depacketizer.append($0) }
        #expect(taken)
      }
      let joined = depacketizer.take()
      let unit = try #require(joined)
      let types = unit.data.withUnsafeBytes { bytes in AnnexB(bytes).map { bytes[$0.lowerBound] & 0x1f } }
      if unit.isKeyFrame {
        keyFrames += 1
        #expect(types.prefix(2) == [7, 8])
        let first = try #require(picture.payloads.first)
        #expect(first.withUnsafeBytes { PayloadFormat.h264.startsKeyFrame($0) })
      }
      // The slices are the encoder's own bytes.
      let body = try #require(message.payload.withUnsafeBytes { VideoTag(parsing: $0) }).track.body
      let slices = unit.data.withUnsafeBytes { bytes in
        AnnexB(bytes).filter { (1...5).contains(bytes[$0.lowerBound] & 0x1f) }.map { Array(bytes[$0]) }
      }
      let sent = Array(message.payload[body])
      #expect(slices.last.map { Array(sent.suffix($0.count)) == $0 } == true)
    }
    #expect(keyFrames == 3)
  }

  @Test("a stream with B-frames is transcoded from its key frame on, and no picture is shown twice or out of order")
  func reordered() throws {
    let messages = try EncodedStream.video("-profile:v", "main", "-preset", "fast", "-bf", "2")
    var video = IngestVideo()
    let (codec, _, passed, samples) = try run(messages, &video)
    #expect(codec?.h264Profile == .main)
    #expect(video.transcoding?.reason == .reordering)
    #expect(samples.first?.isKeyFrame == true && samples.first?.format?.codec == .h264)
    #expect(samples.count == 30)
    let budget = MixBudget(limit: 2, decoding: DecodingCounters())
    let transcoder = VideoTranscoder(profile: .main, budget: budget, after: video.transcoding?.sent)
    let pictures = try samples.flatMap { try transcoder.take($0) }
    let times = passed.map(\.time) + pictures.map(\.timestamp)
    #expect(times == times.sorted() && Set(times.map(\.microseconds)).count == times.count)
    // The decoder holds the last pictures back, and those between the ones that passed are lost.
    #expect(times.count >= 25)
    #expect(pictures.first?.isKeyFrame == true)
    #expect(transcoder.failed == 0 && budget.snapshot.mixes == 1)
  }

  @Test("a stream that does not fit the budget of mixes is refused with the figures")
  func budget() throws {
    let messages = try EncodedStream.video("-bf", "0", format: "yuv444p")
    var video = IngestVideo()
    let samples = try run(messages, &video).transcoded
    let transcoder = VideoTranscoder(profile: .baseline, budget: MixBudget(limit: 0.001, decoding: DecodingCounters()))
    #expect(throws: VideoTranscoder.Failure.self) { for sample in samples { _ = try transcoder.take(sample) } }
  }

  @Test("a delay that is the same for all pictures is not reordering")
  func delayed() throws {
    var messages = try EncodedStream.video("-profile:v", "main", "-bf", "0")
    for index in messages.indices {
      guard let tag = messages[index].payload.withUnsafeBytes({ VideoTag(parsing: $0) }), !tag.isSequenceHeader else {
        continue
      }
      messages[index].payload.replaceSubrange(2..<5, with: [0, 0, 80])
    }
    var video = IngestVideo()
    let pictures = try run(messages, &video).pictures
    #expect(pictures.count == 30)
    #expect(pictures.first?.time == MediaTime(milliseconds: Int64(messages[1].timestamp) + 80))
  }

  @Test("profiles that browsers can't decode are transcoded", arguments: ["yuv444p", "yuv422p", "yuv422p10le", "yuv420p10le"])
  func otherFormats(format: String) throws {
    let wide = try EncodedStream.video("-bf", "0", format: format)
    var video = IngestVideo()
    let (codec, _, pictures, samples) = try run(wide, &video)
    #expect(codec == nil && pictures.isEmpty)
    if case .profile = video.transcoding?.reason {} else { Issue.record("\(String(describing: video.transcoding))") }
    let transcoder = VideoTranscoder(profile: .baseline, budget: MixBudget(limit: 2, decoding: DecodingCounters()))
    let transcoded = try samples.flatMap { try transcoder.take($0) }
    #expect(transcoded.count >= 25)
    let packets = try H264Packetizer().packetize(try #require(transcoded.first).data)
    let size = packets.lazy.compactMap { packet in packet.withUnsafeBytes { H264.pictureSize($0) } }.first
    #expect(size?.width == 320 && size?.height == 180)
  }

  @Test("codecs without a decoder and invalid headers are rejected by name")
  func unknown() throws {
    for (header, error) in [
      (VideoTag.enhancedHeader(.hevc, .sequenceStart, isKeyFrame: true), IngestError.malformedHeader("HEVC")),
      (VideoTag.enhancedHeader(.av1, .sequenceStart, isKeyFrame: true), .malformedHeader("AV1")),
      (VideoTag.enhancedHeader(.vvc, .codedFramesX, isKeyFrame: true), .videoCodec("VVC")),
      ([0x12, 0], .videoCodec("Sorenson H.263")),
    ] {
      var video = IngestVideo()
      #expect(throws: error) { try video.take(header + [0, 0, 0, 0], at: 0) }
    }
  }

  @Test("another size passes, another profile is transcoded; invalid pictures are left out")
  func changes() throws {
    let main = try EncodedStream.video("-profile:v", "main", "-bf", "0")
    let small = try EncodedStream.video("-profile:v", "main", "-bf", "0", "-s", "160x90")
    let high = try EncodedStream.video("-profile:v", "high", "-bf", "0")
    var video = IngestVideo()
    _ = try run(main, &video)
    var step = try video.take(small[0].payload, at: 3_000_000)
    if case .nothing = step {} else { Issue.record("\(step)") }
    step = try video.take(small[1].payload, at: 3_000_000)
    if case .picture = step {} else { Issue.record("\(step)") }
    var broken = small[2].payload
    broken[5] = 0x7f
    step = try video.take(broken, at: 3_066_000)
    if case .nothing = step {} else { Issue.record("\(step)") }
    #expect(video.malformed == 1)
    #expect(throws: IngestError.malformedHeader("H.264")) {
      try video.take(VideoTag.avcHeader(.sequenceStart, isKeyFrame: true) + [9, 9], at: 0)
    }
    _ = try video.take(high[0].payload, at: 4_000_000)
    step = try video.take(high[1].payload, at: 4_000_000)
    if case .transcode = step {} else { Issue.record("\(step)") }
    // Subscribers keep the profile that they negotiated.
    #expect(video.profile == .main)
  }
}
