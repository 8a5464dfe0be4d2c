extension MutableI420Planes {
  /// Converts limited-range BT.709 to BT.601, in which all pictures are processed.
  ///
  /// Luma changes by the same amount for the four pixels of a chroma sample, so the conversion costs about as much as a copy.
  func convertFromBT709() {
    for row in 0..<chromaHeight {
      let (u, v) = (self.u + row * chromaStride, self.v + row * chromaStride)
      for column in 0..<chromaWidth {
        let (blue, red) = (Int32(u[column]) - 128, Int32(v[column]) - 128)
        // 16-bit fractions of the product of both matrices.
        let luma = (6_657 * blue + 12_850 * red + 32_768) >> 16
        u[column] = UInt8(clamping: 128 + (64_871 * blue - 7_252 * red + 32_768) >> 16)
        v[column] = UInt8(clamping: 128 + (-4_748 * blue + 64_448 * red + 32_768) >> 16)
        for line in (2 * row)..<min(2 * row + 2, height) {
          let pixels = y + line * yStride
          for pixel in (2 * column)..<min(2 * column + 2, width) {
            pixels[pixel] = UInt8(clamping: Int32(pixels[pixel]) + luma)
          }
        }
      }
    }
  }
}
