import Foundation
import RoomMediaTimeLiterals
import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomCodecs

@Suite("VP9 and AV1 decoders")
struct LibavVideoDecoderTests {
  /// Returns ffmpeg's encoding of its test picture, frame by frame, from an IVF file.
  private func frames(_ encoder: [String]) throws -> [[UInt8]] {
    let path = try makeClip(
      "ivf", ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=15:duration=1", "-c:v"] + encoder + ["-b:v", "300k"])
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = [UInt8](try Data(contentsOf: URL(filePath: path)))
    var frames: [[UInt8]] = []
    var offset = 32
    while offset + 12 <= file.count {
      let length = (0..<4).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) }
      frames.append(Array(file[(offset + 12)..<min(file.count, offset + 12 + length)]))
      offset += 12 + length
    }
    return frames
  }

  private func check(_ decoder: any VideoDecoder, _ frames: [[UInt8]]) throws {
    var pictures: [VideoFrame] = []
    for (index, frame) in frames.enumerated() {
      if let picture = try decoder.decode(frame, timestamp: MediaTime(microseconds: Int64(index) * 66_667)) {
        pictures.append(picture)
      }
    }
    #expect(pictures.count >= 14)
    #expect(pictures.allSatisfy { $0.width == 320 && $0.height == 180 })
    // The picture moves and is not grey.
    let first = try #require(pictures.first)
    let last = try #require(pictures.last)
    #expect(last.timestamp > first.timestamp)
    #expect(luma(first) != luma(last))
    #expect(Set(luma(first)).count > 50)
    // Corrupt input does not break the decoder.
    var random = SeededGenerator(seed: 11)
    for frame in frames {
      var broken = frame
      for _ in 0..<20 { broken[Int.random(in: 0..<broken.count, using: &random)] = .random(in: .min ... .max, using: &random) }
      _ = try? decoder.decode(broken, timestamp: 0)
    }
    var again: VideoFrame?
    for frame in frames { again = (try? decoder.decode(frame, timestamp: 0)) ?? again }
    #expect(again?.width == 320)
  }

  private func luma(_ frame: VideoFrame) -> [UInt8] {
    frame.withPlanes { planes in
      (0..<planes.height).flatMap { y in (0..<planes.width).map { planes.y[y * planes.yStride + $0] } }
    }
  }

  @Test("VP9 pictures are decoded, also after corrupt ones")
  func vp9() throws {
    try check(VP9Decoder(), frames(["libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8"]))
  }

  @Test("AV1 pictures are decoded, also after corrupt ones")
  func av1() throws {
    try check(AV1Decoder(), frames(["libaom-av1", "-usage", "realtime", "-cpu-used", "8"]))
  }
}
