import RoomMediaTimeLiterals
import RoomRTP
import Testing

@testable import RoomCodecs

@Suite("A video frame")
struct VideoFrameTests {
  @Test("sizes outside the limits are rejected", arguments: [(0, 10), (10, 0), (-1, 10), (8193, 1), (8192, 8192)])
  func limits(width: Int, height: Int) {
    #expect(throws: CodecError.unsupportedSize(width: width, height: height)) {
      try VideoFrame(width: width, height: height)
    }
  }

  @Test("writing to a copy leaves the other unchanged")
  func copies() throws {
    var frame = try VideoFrame(width: 32, height: 32)
    frame.fill(.black)
    let copy = frame
    frame.fill(.white)
    #expect(copy.meanColour == .black)
    #expect(frame.meanColour == .white)
  }

  @Test("a freed buffer is reused, and the pool keeps no more than its limit")
  func pool() throws {
    let pool = FramePool(maximumFreeBytes: 200_000)
    func use(_ count: Int) throws {
      let frames = try (0..<count).map { _ in try VideoFrame(width: 320, height: 180, pool: pool) }
      #expect(frames.count == count)
    }
    try use(1)
    let one = pool.freeBytes
    #expect(one >= 320 * 180 * 3 / 2)
    try use(1)
    #expect(pool.freeBytes == one)
    try use(10)
    #expect(pool.freeBytes <= 200_000)
  }

  @Test("I420 and NV12 bytes survive a round trip, also at odd sizes", arguments: [(16, 16), (17, 9), (1, 1), (321, 181)])
  func bytes(width: Int, height: Int) throws {
    var random = SeededRandom(7)
    let chroma = (width + 1) / 2 * ((height + 1) / 2)
    let bytes = (0..<width * height + 2 * chroma).map { _ in UInt8.random(in: 0...255, using: &random) }
    #expect(try VideoFrame(i420: bytes, width: width, height: height).i420Bytes() == bytes)
    #expect(try VideoFrame(nv12: bytes, width: width, height: height).nv12Bytes() == bytes)
  }

  @Test("a short buffer is rejected")
  func short() {
    let bytes = [UInt8](repeating: 0, count: 100)
    #expect(throws: CodecError.shortBuffer(needed: 384, got: 100)) { try VideoFrame(i420: bytes, width: 16, height: 16) }
    #expect(throws: CodecError.shortBuffer(needed: 384, got: 100)) { try VideoFrame(nv12: bytes, width: 16, height: 16) }
    #expect(throws: CodecError.shortBuffer(needed: 1024, got: 100)) { try VideoFrame(rgba: bytes, width: 16, height: 16) }
  }

  @Test("RGBA keeps its colours", arguments: [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [90, 90, 90, 255]])
  func rgba(pixel: [UInt8]) throws {
    let bytes = Array(repeatElement(pixel, count: 64 * 32).joined())
    let back = try VideoFrame(rgba: bytes, width: 64, height: 32).rgbaBytes()
    #expect(back.count == bytes.count)
    for (a, b) in zip(bytes, back) { #expect(abs(Int(a) - Int(b)) <= 6) }
  }

  @Test("scaling keeps the picture")
  func scaling() throws {
    let picture = try TestPattern(width: 320, height: 180).frame(number: 5, milliseconds: 1, timestamp: 42)
    let small = try picture.scaled(width: 160, height: 90)
    #expect(small.width == 160)
    #expect(small.height == 90)
    #expect(small.timestamp == 42)
    let back = try small.scaled(width: 320, height: 180, filter: .linear)
    #expect(try #require(back.psnr(to: picture)) > 20)
    #expect(picture.psnr(to: small) == nil)
    #expect(picture.psnr(to: picture) == 128)
  }
}
