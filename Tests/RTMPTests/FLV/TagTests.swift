import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomRTMP

@Suite struct TagTests {
  private func video(_ bytes: [UInt8]) -> VideoTag? { bytes.withUnsafeBytes { VideoTag(parsing: $0) } }
  private func audio(_ bytes: [UInt8]) -> AudioTag? { bytes.withUnsafeBytes { AudioTag(parsing: $0) } }

  @Test("H.264 and AAC in their old headers")
  func plain() throws {
    let key = try #require(video([0x17, 1, 0xff, 0xff, 0xfe, 9, 9]))
    #expect(key.isKeyFrame && key.track.codec.isAVC && key.track.compositionTime == -2 && key.track.body == 5..<7)
    let header = try #require(video(VideoTag.avcHeader(.sequenceStart, isKeyFrame: true) + [1]))
    #expect(header.isSequenceHeader && !header.isKeyFrame && header.track.body == 5..<6)
    let inter = try #require(video(VideoTag.avcHeader(.codedFrames, isKeyFrame: false, compositionTime: 66)))
    #expect(!inter.isKeyFrame && inter.track.compositionTime == 66 && inter.track.body.isEmpty)
    #expect(try #require(video([0x22, 5])).track.codec == .other(2))
    #expect(try #require(video([0x1c, 1, 0, 0, 0, 5])).track.codec == .other(12))
    let sound = try #require(audio([0xaf, 0, 0x12, 0x10]))
    #expect(sound.isSequenceHeader && sound.track.codec.isAAC && sound.track.body == 2..<4)
    #expect(try #require(audio([0x2f, 1])).track == AudioTag.Track(id: 0, codec: .other(2), body: 1..<2))
    for cut in [[], [0x17], [0x17, 1, 0], [0x17, 3, 0, 0, 0], [0x07, 1, 0, 0, 0], [0x67, 1, 0, 0, 0]] as [[UInt8]] {
      #expect(video(cut) == nil)
    }
    #expect(audio([]) == nil && audio([0xaf]) == nil && audio([0xaf, 2]) == nil)
  }

  @Test("the enhanced header of one track: FourCC, composition time if the codec has one, nanoseconds")
  func enhanced() throws {
    let hevc = try #require(video([0x91] + Array("hvc1".utf8) + [0, 0, 40, 7, 7]))
    #expect(hevc.isEnhanced && hevc.isKeyFrame && hevc.track.codec == .fourCC(.hevc))
    #expect(hevc.track.compositionTime == 40 && hevc.track.body == 8..<10)
    let without = try #require(video([0xa3] + Array("hvc1".utf8) + [7, 7]))
    #expect(without.packetType == .codedFramesX && without.track.compositionTime == 0 && without.track.body == 5..<7)
    let av1 = try #require(video([0x91] + Array("av01".utf8) + [0, 0, 40]))
    #expect(av1.track.codec == .fourCC(.av1) && av1.track.body == 5..<8)
    #expect(try #require(video([0x90] + Array("vp09".utf8) + [1])).isSequenceHeader)
    let opus = try #require(audio([0x91] + Array("Opus".utf8) + [7, 7, 7]))
    #expect(opus.packetType == .codedFrames && opus.track.codec == .fourCC(.opus) && opus.track.body == 5..<8)
    #expect(try #require(audio([0x94] + Array("mp4a".utf8))).packetType == .multichannelConfig)
    // ModEx: 3 bytes of 500,000 ns before coded frames.
    let fine = try #require(video([0x97, 2, 0x07, 0xa1, 0x20, 0x03] + Array("avc1".utf8) + [5]))
    #expect(
      fine.nanoseconds == 500_000 && fine.packetType == .codedFramesX && fine.track.codec.isAVC && fine.track.body == 10..<11)
    // An unknown modifier of 300 bytes, in the long form, before another.
    let long: [UInt8] = [0x97, 0xff, 0x01, 0x2b] + [UInt8](repeating: 1, count: 300) + [0x17, 2, 0, 0, 9, 0x01]
    let skipped = try #require(audio(long + Array("Opus".utf8) + [3]))
    #expect(skipped.nanoseconds == 9 && skipped.track.body.count == 1)
    #expect(try #require(video([0xd1, 0])).frameType == .command)
  }

  @Test("what is written is read again")
  func written() throws {
    for nanoseconds in [0, 123_456] as [UInt32] {
      for type in [VideoTag.PacketType.sequenceStart, .codedFrames, .codedFramesX, .sequenceEnd] {
        let bytes =
          VideoTag.enhancedHeader(.hevc, type, isKeyFrame: true, compositionTime: -7, nanoseconds: nanoseconds) + [1, 2, 3]
        let tag = try #require(video(bytes))
        #expect(tag.packetType == type && tag.nanoseconds == nanoseconds && tag.track.body.count == 3 && tag.frameType == .key)
        #expect(tag.track.compositionTime == (type == .codedFrames ? -7 : 0))
      }
      let sound = try #require(audio(AudioTag.enhancedHeader(.flac, .codedFrames, nanoseconds: nanoseconds) + [1]))
      #expect(sound.track.codec == .fourCC(.flac) && sound.nanoseconds == nanoseconds && sound.track.body.count == 1)
    }
  }

  @Test("several tracks in one message, of one codec and of several")
  func multitrack() throws {
    let one = try #require(video([0x96, 0x03] + Array("avc1".utf8) + [5, 7, 7]))
    #expect(
      one.multitrack == .oneTrack && one.track == VideoTag.Track(id: 5, codec: .fourCC(.avc), compositionTime: 0, body: 7..<9))
    let many = try #require(
      video([0x96, 0x11] + Array("hvc1".utf8) + [0, 0, 0, 4, 0, 0, 10, 9] + [1, 0, 0, 5, 0, 0, 20, 8, 8]))
    #expect(
      many.multitrack == .manyTracks && many.track.id == 0 && many.track.compositionTime == 10 && many.track.body.count == 1)
    #expect(many.furtherTracks.map(\.id) == [1] && many.furtherTracks[0].compositionTime == 20)
    let codecs = try #require(
      audio([0x95, 0x21] + Array("Opus".utf8) + [0, 0, 0, 1, 9] + Array("mp4a".utf8) + [1, 0, 0, 2, 8, 8]))
    #expect(codecs.multitrack == .manyTracksManyCodecs && codecs.packetType == .codedFrames)
    #expect(
      [codecs.track] + codecs.furtherTracks == [
        AudioTag.Track(id: 0, codec: .fourCC(.opus), body: 10..<11), AudioTag.Track(id: 1, codec: .fourCC(.aac), body: 19..<21),
      ])
    // A length beyond the end, a multitrack within a multitrack, an unknown multitrack type.
    #expect(audio([0x95, 0x11] + Array("Opus".utf8) + [0, 0, 0, 9, 9]) == nil)
    #expect(audio([0x95, 0x15] + Array("Opus".utf8) + [0, 0, 0, 1, 9]) == nil)
    #expect(video([0x96, 0x31] + Array("avc1".utf8) + [0, 0, 0, 1, 9]) == nil)
  }

  @Test("bodies lie within the payload, whatever the header says")
  func fuzz() {
    var random = SeededGenerator(seed: 31)
    let seeds: [[UInt8]] = [
      [0x97, 2, 0x07, 0xa1, 0x20, 0x03] + Array("avc1".utf8) + [5],
      [0x96, 0x11] + Array("hvc1".utf8) + [0, 0, 0, 4, 0, 0, 10, 9] + [1, 0, 0, 5, 0, 0, 20, 8, 8],
      [0x95, 0x21] + Array("Opus".utf8) + [0, 0, 0, 1, 9] + Array("mp4a".utf8) + [1, 0, 0, 2, 8, 8],
    ]
    for round in 0..<20_000 {
      let bytes = round % 5 == 0 ? random.bytes(40) : random.mutate(seeds[round % 3])
      if let tag = video(bytes) {
        for track in [tag.track] + tag.furtherTracks { #expect(track.body.upperBound <= bytes.count) }
      }
      if let tag = audio(bytes) {
        for track in [tag.track] + tag.furtherTracks { #expect(track.body.upperBound <= bytes.count) }
      }
    }
  }
}
