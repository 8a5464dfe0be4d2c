import RoomCYUV
public import RoomRTP

/// The filter for scaling a picture.
public enum ScaleFilter: Sendable {
  /// Bilinear: for small changes and enlargement.
  case linear
  /// Area average: for reduction.
  case box

  fileprivate var mode: FilterMode {
    switch self {
    case .linear: kFilterBilinear
    case .box: kFilterBox
    }
  }
}

extension VideoFrame {
  /// Creates a picture from I420 bytes: all of Y, then U, then V.
  /// - Parameter stride: the bytes between the starts of two rows of Y; those of U and V have half of it, rounded up. nil means
  ///   that the rows are tightly packed.
  /// - Throws: ``CodecError/unsupportedSize(width:height:)``, ``CodecError/shortBuffer(needed:got:)``,
  ///   ``CodecError/invalidSetting(_:)`` for a stride below the length of a row.
  public init(
    i420 bytes: some Collection<UInt8>, width: Int, height: Int, stride: Int? = nil, timestamp: MediaTime = .zero,
    pool: FramePool = .shared
  ) throws(CodecError) {
    try self.init(width: width, height: height, timestamp: timestamp, pool: pool)
    let stride = stride ?? width
    try Self.check(stride, row: width)
    let chromaStride = (stride + 1) / 2
    let (luma, chroma) = (stride * height, chromaStride * ((height + 1) / 2))
    // The last row may lack its padding.
    let count = luma + 2 * chroma - (chromaStride - (width + 1) / 2)
    try withMutablePlanes { (planes) throws(CodecError) in
      try contiguous(bytes, count: count) { source in
        _ = I420Copy(
          source, Int32(stride), source + luma, Int32(chromaStride), source + luma + chroma, Int32(chromaStride), planes.y,
          Int32(planes.yStride), planes.u, Int32(planes.chromaStride), planes.v, Int32(planes.chromaStride), Int32(width),
          Int32(height))
      }
    }
  }

  /// Returns tightly packed I420 bytes.
  public func i420Bytes() -> [UInt8] {
    withPlanes { planes in
      let chromaSize = planes.chromaWidth * planes.chromaHeight
      return bytes(count: width * height + 2 * chromaSize) { target in
        let u = target + width * height
        _ = I420Copy(
          planes.y, Int32(planes.yStride), planes.u, Int32(planes.chromaStride), planes.v, Int32(planes.chromaStride), target,
          Int32(width), u, Int32(planes.chromaWidth), u + chromaSize, Int32(planes.chromaWidth), Int32(width), Int32(height))
      }
    }
  }

  /// Returns tightly packed NV12 bytes.
  public func nv12Bytes() -> [UInt8] {
    withPlanes { planes in
      let chromaStride = planes.chromaWidth * 2
      return bytes(count: width * height + chromaStride * planes.chromaHeight) { target in
        _ = I420ToNV12(
          planes.y, Int32(planes.yStride), planes.u, Int32(planes.chromaStride), planes.v, Int32(planes.chromaStride), target,
          Int32(width), target + width * height, Int32(chromaStride), Int32(width), Int32(height))
      }
    }
  }

  /// Returns tightly packed pixels of four bytes: red, green, blue, alpha (255).
  public func rgbaBytes() -> [UInt8] {
    withPlanes { planes in
      bytes(count: width * height * 4) { target in
        _ = I420ToABGR(
          planes.y, Int32(planes.yStride), planes.u, Int32(planes.chromaStride), planes.v, Int32(planes.chromaStride), target,
          Int32(width * 4), Int32(width), Int32(height))
      }
    }
  }

  /// Returns the picture in another size; the caller chooses the aspect ratio. The same size costs nothing.
  /// - Throws: ``CodecError/unsupportedSize(width:height:)``
  public func scaled(
    width: Int, height: Int, filter: ScaleFilter = .box, pool: FramePool = .shared
  ) throws(CodecError) -> VideoFrame {
    if width == self.width, height == self.height { return self }
    var result = try VideoFrame(width: width, height: height, timestamp: timestamp, pool: pool)
    withPlanes { source in
      result.withMutablePlanes { target in
        _ = I420Scale(
          source.y, Int32(source.yStride), source.u, Int32(source.chromaStride), source.v, Int32(source.chromaStride),
          Int32(source.width), Int32(source.height), target.y, Int32(target.yStride), target.u, Int32(target.chromaStride),
          target.v, Int32(target.chromaStride), Int32(target.width), Int32(target.height), filter.mode)
      }
    }
    return result
  }

  /// Returns the peak signal-to-noise ratio in dB against another picture over all planes. 128 means equal; nil means that the
  /// sizes differ.
  public func psnr(to other: VideoFrame) -> Double? {
    guard width == other.width, height == other.height else { return nil }
    return withPlanes { a in
      other.withPlanes { b in
        I420Psnr(
          a.y, Int32(a.yStride), a.u, Int32(a.chromaStride), a.v, Int32(a.chromaStride), b.y, Int32(b.yStride), b.u,
          Int32(b.chromaStride), b.v, Int32(b.chromaStride), Int32(width), Int32(height))
      }
    }
  }

  /// The mean of each plane.
  public var meanColour: YUVColour {
    withPlanes { planes in
      YUVColour(
        y: mean(planes.y, stride: planes.yStride, width: width, height: height),
        u: mean(planes.u, stride: planes.chromaStride, width: planes.chromaWidth, height: planes.chromaHeight),
        v: mean(planes.v, stride: planes.chromaStride, width: planes.chromaWidth, height: planes.chromaHeight))
    }
  }

  private func mean(_ plane: UnsafePointer<UInt8>, stride: Int, width: Int, height: Int) -> UInt8 {
    var sum = 0
    for row in 0..<height {
      let line = plane + row * stride
      for column in 0..<width { sum += Int(line[column]) }
    }
    return UInt8(sum / (width * height))
  }

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

private func bytes(count: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Void) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
    guard let base = buffer.baseAddress else { return }
    body(base)
    initialized = count
  }
}
