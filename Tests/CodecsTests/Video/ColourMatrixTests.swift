import Testing

@testable import RoomCodecs

@Suite("Colours of decoded pictures")
struct ColourMatrixTests {
  @Test(
    "BT.709 becomes BT.601",
    arguments: [(0, 136, 0), (200, 30, 40), (20, 60, 220), (128, 128, 128), (255, 255, 255), (0, 0, 0)])
  func conversion(red: Int, green: Int, blue: Int) throws {
    // An odd size: the last chroma samples cover one column and one row.
    var frame = try VideoFrame(width: 5, height: 3)
    frame.fill(Self.bt709(Double(red), Double(green), Double(blue)))
    frame.withMutablePlanes { $0.convertFromBT709() }
    let wanted = YUVColour(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
    frame.withPlanes { planes in
      for row in 0..<3 {
        for column in 0..<5 { #expect(abs(Int(planes.y[row * planes.yStride + column]) - Int(wanted.y)) <= 2) }
      }
      #expect(abs(Int(planes.u[planes.chromaStride + 2]) - Int(wanted.u)) <= 2)
      #expect(abs(Int(planes.v[planes.chromaStride + 2]) - Int(wanted.v)) <= 2)
    }
  }

  private static func bt709(_ red: Double, _ green: Double, _ blue: Double) -> YUVColour {
    let luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    func sample(_ value: Double) -> UInt8 { UInt8(value.rounded()) }
    return YUVColour(
      y: sample(16 + luma * 219 / 255), u: sample(128 + (blue - luma) / 1.8556 * 224 / 255),
      v: sample(128 + (red - luma) / 1.5748 * 224 / 255))
  }
}
