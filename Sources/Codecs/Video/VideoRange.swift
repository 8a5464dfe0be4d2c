/// The range of a picture's values.
public enum VideoRange: Sendable, Hashable {
  /// Luma 16…235 and chroma 16…240, as ``VideoFrame`` has it.
  case limited
  /// 0…255, as some cameras deliver NV12.
  case full
}

extension MutableI420Planes {
  /// Luma and chroma of the limited range for each value of the full range.
  private static let luma = table(219)
  private static let chroma = table(224)

  /// Converts full-range values to the limited range. libyuv has no such conversion between I420 pictures.
  func limitRange() {
    Self.replace(y, yStride, width, height, Self.luma)
    Self.replace(u, chromaStride, chromaWidth, chromaHeight, Self.chroma)
    Self.replace(v, chromaStride, chromaWidth, chromaHeight, Self.chroma)
  }

  /// - Parameter width: The width of the limited range.
  private static func table(_ width: Int) -> [UInt8] {
    (0...255).map { (value: Int) -> UInt8 in UInt8((value * width + 127) / 255 + 16) }
  }

  private static func replace(
    _ plane: UnsafeMutablePointer<UInt8>, _ stride: Int, _ width: Int, _ height: Int, _ table: [UInt8]
  ) {
    table.withUnsafeBufferPointer { table in
      for row in 0..<height {
        let line = plane + row * stride
        for column in 0..<width { line[column] = table[Int(line[column])] }
      }
    }
  }
}
