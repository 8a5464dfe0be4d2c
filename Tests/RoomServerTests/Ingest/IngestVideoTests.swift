import RoomMediaTimeLiterals
import RoomRTMP
import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomServer

@Suite("Ingest of H.264")
struct IngestVideoTests {
  /// Converts all messages; returns the format and the pictures.
  private func run(
    _ messages: [MediaMessage], _ video: inout IngestVideo
  ) throws -> (codec: RTPCodec?, size: [Int?], pictures: [(payloads: [[UInt8]], time: MediaTime)]) {
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
      }
    }
    return (codec, size, pictures)
  }

  @Test("pictures pass unchanged, with parameter sets before each key frame", arguments: ["baseline", "main", "high"])
  func untouched(profile: String) throws {
    let messages = try EncodedStream.video("-profile:v", profile, "-bf", "0")
    var video = IngestVideo()
    let (codec, size, pictures) = try run(messages, &video)
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

  @Test("B-frames are rejected with a helpful message")
  func reordered() throws {
    let messages = try EncodedStream.video("-profile:v", "main", "-preset", "fast", "-bf", "2")
    var video = IngestVideo()
    #expect(throws: IngestError.reordered) { try run(messages, &video) }
    #expect("\(IngestError.reordered)".contains("B-frames to 0"))
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

  @Test("profiles that browsers can't decode are rejected by name")
  func otherFormats() throws {
    let wide = try EncodedStream.video("-bf", "0", format: "yuv444p")
    var video = IngestVideo()
    #expect(throws: IngestError.self) { try run(wide, &video) }
    for (header, name) in [
      (VideoTag.enhancedHeader(.hevc, .sequenceStart, isKeyFrame: true), "HEVC"),
      (VideoTag.enhancedHeader(.av1, .codedFramesX, isKeyFrame: true), "AV1"), ([0x12, 0], "Sorenson H.263"),
    ] {
      var video = IngestVideo()
      #expect(throws: IngestError.videoCodec(name)) { try video.take(header + [0, 0, 0, 0], at: 0) }
    }
  }

  @Test("another size is accepted, another profile is not; invalid pictures are left out")
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
    #expect(throws: IngestError.profileChanged) { try video.take(high[0].payload, at: 4_000_000) }
    #expect(throws: IngestError.malformedHeader("H.264")) {
      try video.take(VideoTag.avcHeader(.sequenceStart, isKeyFrame: true) + [9, 9], at: 0)
    }
  }
}
