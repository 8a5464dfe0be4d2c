import RoomCYUV

extension VideoFrame {
  /// Returns the whole picture in another size with its aspect ratio kept, with black bars if the ratios differ. The same size
  /// costs nothing.
  /// - Throws: ``CodecError/unsupportedSize(width:height:)``
  public func fitted(width: Int, height: Int, pool: FramePool = .shared) throws(CodecError) -> VideoFrame {
    if width == self.width, height == self.height { return self }
    var result = try VideoFrame(width: width, height: height, timestamp: timestamp, pool: pool)
    // Even positions and sizes keep chroma aligned.
    let isWider = self.width * height > self.height * width
    let fitWidth = isWider ? width : max(2, min(width, (height * self.width / self.height + 1) & ~1))
    let fitHeight = isWider ? max(2, min(height, (width * self.height / self.width + 1) & ~1)) : height
    let (x, y) = ((width - fitWidth) / 2 & ~1, (height - fitHeight) / 2 & ~1)
    if fitWidth < width || fitHeight < height { result.fill(.black) }
    // Average areas for reduction; enlargement has nothing to average.
    let filter = fitWidth < self.width ? kFilterBox : kFilterBilinear
    withPlanes { source in
      result.withMutablePlanes { target in
        let chroma = y / 2 * target.chromaStride + x / 2
        _ = I420Scale(
          source.y, Int32(source.yStride), source.u, Int32(source.chromaStride), source.v, Int32(source.chromaStride),
          Int32(source.width), Int32(source.height), target.y + y * target.yStride + x, Int32(target.yStride),
          target.u + chroma, Int32(target.chromaStride), target.v + chroma, Int32(target.chromaStride), Int32(fitWidth),
          Int32(fitHeight), filter)
      }
    }
    return result
  }
}
