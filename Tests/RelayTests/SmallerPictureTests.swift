import RoomCodecs
import RoomRTP
import Testing

@testable import RoomRelay

@Suite("A mix's smaller picture")
struct SmallerPictureTests {
  @Test("it is made only while it is wanted, in step with the whole picture, and begins with a key frame")
  func onDemand() throws {
    var now: Int64 = 5_000_000
    let program = try MergeProgram(
      picture: MixPicture(width: 384, height: 192, fps: 25, bitrate: 400_000),
      scene: MixScene(background: .colour(YUVColour(y: 100, u: 128, v: 128))), now: Instant(microseconds: now))
    var (whole, smaller): ([EncodedPicture], [EncodedPicture]) = ([], [])
    func run(milliseconds: Int64) {
      for _ in 0..<milliseconds / 5 {
        now += 5000
        program.advance(to: Instant(microseconds: now)) { if case .picture(let picture) = $0 { whole.append(picture) } }
      }
    }
    run(milliseconds: 1000)
    let before = whole.count
    program.setSmaller { _, picture in smaller.append(picture) }
    run(milliseconds: 2000)
    #expect(smaller.count > 40 && smaller.map(\.timestamp) == whole[before...].map(\.timestamp))
    #expect(smaller.map(\.isKeyFrame) == smaller.indices.map { $0 == 0 })
    let decoder = try H264Decoder()
    for picture in smaller {
      let frame = try #require(try decoder.decode(picture.data, timestamp: picture.timestamp))
      #expect(frame.width == 192 && frame.height == 96)
      #expect(abs(Int(frame.meanColour.y) - 100) < 6)
    }
    program.wantSmallerKeyFrame()
    run(milliseconds: 200)
    #expect(smaller.suffix(5).contains { $0.isKeyFrame })
    program.setSmaller(nil)
    let count = smaller.count
    run(milliseconds: 200)
    #expect(smaller.count == count && program.counters.failures == 0)
  }

  @Test("it has half the size and a quarter of the bitrate, and a small picture has none")
  func settings() {
    let whole = MixPicture(width: 720, height: 1280, fps: 24, bitrate: 1_500_000)
    #expect(whole.smaller == MixPicture(width: 360, height: 640, fps: 24, bitrate: 375_000, leastBitrate: 125_000))
    #expect(MixPicture(width: 322, height: 182, fps: 24, bitrate: 300_000).smaller.map { [$0.width, $0.height] } == [160, 90])
    #expect(MixPicture(width: 320, height: 176, fps: 24, bitrate: 300_000).smaller == nil)
  }
}
