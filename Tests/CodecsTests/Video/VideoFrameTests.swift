import RoomMediaTimeLiterals
import RoomRTP
import RoomTestSupport
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
    var random = SeededGenerator(seed: 7)
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

  @Test("NV12 of the full range is converted to the limited one")
  func fullRange() throws {
    let bytes: [UInt8] = [0, 255, 128, 1, 0, 255]
    let limited = try VideoFrame(nv12: bytes, width: 2, height: 2, range: .full)
    #expect(limited.nv12Bytes() == [16, 235, 126, 17, 16, 240])
    #expect(try VideoFrame(nv12: bytes, width: 2, height: 2).nv12Bytes() == bytes)
    let grey = try VideoFrame(nv12: [UInt8](repeating: 128, count: 6), width: 2, height: 2, range: .full)
    #expect(grey.nv12Bytes() == [126, 126, 126, 126, 128, 128])
  }

  @Test(
    "each camera format keeps the colours, with and without padding of the rows",
    arguments: ["nv12", "yuyv", "rgb", "rgba", "bgra"],
    [0, 12])
  func cameraFormats(format: String, padding: Int) throws {
    let (width, height) = (33, 17)
    // Red, as BT.601 limited range has it.
    let (y, u, v): (UInt8, UInt8, UInt8) = (82, 90, 240)
    let rows: [[UInt8]] =
      switch format {
      case "nv12":
        Array(repeating: Array(repeating: y, count: 33) + [0], count: height)
          + Array(repeating: Array(repeatElement([u, v], count: 17).joined()), count: 9)
      case "yuyv": Array(repeating: Array(repeatElement([y, u, y, v], count: 17).joined()), count: height)
      case "rgb": Array(repeating: Array(repeatElement([255, 0, 0], count: width).joined()), count: height)
      case "rgba": Array(repeating: Array(repeatElement([255, 0, 0, 255], count: width).joined()), count: height)
      default: Array(repeating: Array(repeatElement([0, 0, 255, 255], count: width).joined()), count: height)
      }
    let stride = rows[0].count + padding
    let bytes = Array(rows.map { $0 + [UInt8](repeating: 77, count: padding) }.joined())
    func frame(_ bytes: [UInt8], stride: Int) throws -> VideoFrame {
      switch format {
      case "nv12": try VideoFrame(nv12: bytes, width: width, height: height, stride: stride, timestamp: 7)
      case "yuyv": try VideoFrame(yuyv: bytes, width: width, height: height, stride: stride, timestamp: 7)
      case "rgb": try VideoFrame(rgb: bytes, width: width, height: height, stride: stride, timestamp: 7)
      case "rgba": try VideoFrame(rgba: bytes, width: width, height: height, stride: stride, timestamp: 7)
      default: try VideoFrame(bgra: bytes, width: width, height: height, stride: stride, timestamp: 7)
      }
    }
    let picture = try frame(bytes, stride: stride)
    #expect(picture.timestamp == 7)
    let pixels = picture.rgbaBytes()
    for pixel in 0..<width * height {
      let at = pixel * 4
      #expect(pixels[at] > 245 && pixels[at + 1] < 10 && pixels[at + 2] < 10)
    }
    // The last row needs no padding, but all of its pixels.
    let needed = bytes.count - padding
    _ = try frame(Array(bytes.prefix(needed)), stride: stride)
    #expect(throws: CodecError.shortBuffer(needed: needed, got: needed - 1)) {
      try frame(Array(bytes.prefix(needed - 1)), stride: stride)
    }
    for wrong in [stride - padding - 1 - (format == "nv12" ? 1 : 0), -1, 0, .max] {
      let error = #expect(throws: CodecError.self) { try frame(bytes, stride: wrong) }
      guard case .invalidSetting = error else { throw WrongError(error: error) }
    }
  }

  private struct WrongError: Error { let error: CodecError? }

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
