import RoomMediaTimeLiterals
import RoomRTP
import Testing

@testable import RoomCodecs

@Suite("H.264")
struct H264Tests {
  /// Returns the NAL units of an access unit in Annex B format.
  private func units(_ data: [UInt8]) -> [[UInt8]] {
    var result: [[UInt8]] = []
    var start: Int?
    var index = 0
    while index + 2 < data.count {
      if data[index] == 0, data[index + 1] == 0, data[index + 2] == 1 {
        if let start { result.append(Array(data[start..<index])) }
        start = index + 3
        index += 3
      } else {
        index += 1
      }
    }
    if let start { result.append(Array(data[start...])) }
    return result
  }

  @Test(
    "key frames contain SPS and PPS of the configured profile, at level 3.1",
    arguments: [(H264Encoder.Profile.baseline, UInt8(66)), (.main, 77), (.high, 100)])
  func parameterSets(profile: H264Encoder.Profile, idc: UInt8) throws {
    let encoder = try H264Encoder(VideoCodecTests.settings, profile: profile, speed: .superfast)
    let pattern = try TestPattern(width: 320, height: 180)
    for number in 0..<6 {
      let frame = try pattern.frame(number: number, milliseconds: 0, timestamp: MediaTime(microseconds: Int64(number) * 66_667))
      let encoded = try #require(try encoder.encode(frame, forceKeyFrame: number == 3))
      let units = units(encoded.data)
      let types = units.compactMap { $0.first.map { $0 & 31 } }
      #expect(types == (number % 3 == 0 ? [7, 8, 5] : [1]))
      if number % 3 == 0 {
        #expect(units[0][1] == idc)
        #expect(units[0][3] == 31)
      }
    }
  }

  @Test("a size beyond level 3.1 announces the required level")
  func level() throws {
    let encoder = try H264Encoder(VideoEncoderSettings(width: 1920, height: 1080, fps: 30, bitrate: 2_000_000))
    let frame = try VideoFrame(width: 1920, height: 1080)
    let encoded = try #require(try encoder.encode(frame))
    #expect(units(encoded.data)[0][3] == 40)
  }

  @Test("after a loss the next key frame shows a whole picture")
  func loss() throws {
    let encoder = try H264Encoder(VideoCodecTests.settings, speed: .ultrafast)
    let decoder = try H264Decoder()
    let pattern = try TestPattern(width: 320, height: 180)
    for number in 0..<12 {
      let frame = try pattern.frame(number: number, milliseconds: 0, timestamp: MediaTime(microseconds: Int64(number) * 66_667))
      let encoded = try #require(try encoder.encode(frame, forceKeyFrame: number == 9))
      if (4...6).contains(number) { continue }
      let shown = try? decoder.decode(encoded.data, timestamp: 0)
      if number < 4 || number >= 9 {
        let shown = try #require(shown)
        #expect(try #require(shown.psnr(to: frame)) > 26)
        #expect(ClockBlocks.read(shown)?.frame == UInt16(number))
      }
    }
  }
}
