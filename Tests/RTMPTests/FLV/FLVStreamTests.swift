import RoomRTMP
import RoomRTP
import RoomTestSupport
import Testing

@Suite struct FLVStreamTests {
  private let messages = [
    MediaMessage(.data, timestamp: 0, payload: [2, 0, 1, 0x61]), videoMessage(0, isKeyFrame: true, bytes: 1000),
    audioMessage(10),
    videoMessage(0x0123_4567), audioMessage(.max),
  ]

  private var stream: [UInt8] {
    messages.reduce(FLVStream.header(hasAudio: true, hasVideo: true)) { $0 + FLVStream.tag($1) }
  }

  @Test("a written stream is read back, in pieces of any size", arguments: [1, 5, 100, Int.max])
  func roundTrip(step: Int) throws {
    var demuxer = FLVDemuxer()
    #expect(try demuxer.messages(stream, step: step) == messages)
    #expect(demuxer.announcesAudio == true && demuxer.announcesVideo == true)
  }

  @Test("the bytes are those of the specification")
  func bytes() {
    #expect(FLVStream.header(hasAudio: false, hasVideo: true) == [0x46, 0x4c, 0x56, 1, 1, 0, 0, 0, 9, 0, 0, 0, 0])
    #expect(
      FLVStream.tag(MediaMessage(.audio, timestamp: 0x0102_0304, payload: [0xaf, 1]))
        == [8, 0, 0, 2, 2, 3, 4, 1, 0, 0, 0, 0xaf, 1, 0, 0, 0, 13])
  }

  @Test("bytes that are not FLV are refused permanently")
  func refused() {
    var demuxer = FLVDemuxer()
    #expect(throws: FLVError.notFLV) { try demuxer.messages(Array("<html>...".utf8)) }
    #expect(throws: FLVError.notFLV) { try demuxer.messages(stream) }
    var other = FLVDemuxer()
    #expect(throws: FLVError.headerLength(8)) { try other.messages([0x46, 0x4c, 0x56, 1, 5, 0, 0, 0, 8]) }
    var short = FLVDemuxer(longestTag: 100)
    #expect(throws: FLVError.tagTooLong(1005)) { try short.messages(stream) }
  }

  @Test("tags of unknown or encrypted content are skipped")
  func passedOver() throws {
    let odd: [UInt8] =
      [7, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 12] + [0x29, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 12]
    var demuxer = FLVDemuxer()
    let bytes = FLVStream.header(hasAudio: true, hasVideo: true) + odd + FLVStream.tag(audioMessage(5))
    #expect(try demuxer.messages(bytes) == [audioMessage(5)])
  }

  @Test("damaged streams are read or refused, nothing else")
  func fuzz() {
    var random = SeededGenerator(seed: 41)
    for _ in 0..<2000 {
      var demuxer = FLVDemuxer(longestTag: 5000)
      _ = try? demuxer.messages(random.mutate(stream), step: Int.random(in: 1...400, using: &random))
    }
  }
}
