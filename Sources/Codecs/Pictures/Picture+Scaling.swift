import RoomCYUV

extension Picture {
  /// Returns the picture in another size; the caller chooses the aspect ratio. Colours of transparent pixels do not bleed into
  /// visible ones.
  /// - Throws: ``CodecError/unsupportedSize(width:height:)``
  public func scaled(width: Int, height: Int) throws(CodecError) -> Picture {
    if width == self.width, height == self.height { return self }
    guard let alpha else { return Picture(try frame.scaled(width: width, height: height)) }
    var result = try VideoFrame(width: width, height: height)
    let (columns, rows) = (Resampling(from: self.width, to: width), Resampling(from: self.height, to: height))
    let half = halved(alpha)
    var scaledAlpha: [UInt8] = []
    frame.withPlanes { from in
      result.withMutablePlanes { into in
        scaledAlpha = resample(from.y, from.yStride, seen: alpha, to: into.y, into.yStride, columns, rows)
        let (columns, rows) = (
          Resampling(from: from.chromaWidth, to: into.chromaWidth), Resampling(from: from.chromaHeight, to: into.chromaHeight)
        )
        for (source, target) in [(from.u, into.u), (from.v, into.v)] {
          _ = resample(source, from.chromaStride, seen: half, to: target, into.chromaStride, columns, rows)
        }
      }
    }
    return Picture(frame: result, alpha: scaledAlpha)
  }

  /// Returns the mean opacity of each 2x2 pixels.
  private func halved(_ alpha: [UInt8]) -> [UInt8] {
    let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
    return (0..<columns * rows).map { place in
      let (x, y) = (place % columns * 2, place / columns * 2)
      let (right, below) = (min(x + 1, width - 1), min(y + 1, height - 1))
      let sum = [(x, y), (right, y), (x, below), (right, below)].reduce(0) { $0 + Int(alpha[$1.1 * width + $1.0]) }
      // Rounded up, so that a barely visible pixel still counts.
      return UInt8(truncatingIfNeeded: (sum + 3) / 4)
    }
  }

  /// Returns the picture transformed according to an Exif orientation of 1…8.
  func turned(_ orientation: Int) throws(CodecError) -> Picture {
    guard alpha == nil, let (isMirrored, turn) = exifTurns[orientation] else { return self }
    var source = frame
    if isMirrored { source = try source.rebuilt(width: width, height: height) { mirror($0, $1) } }
    guard turn != kRotate0 else { return Picture(source) }
    let isSideways = turn != kRotate180
    return Picture(
      try source.rebuilt(width: isSideways ? height : width, height: isSideways ? width : height) { from, into in
        I420Rotate(
          from.y, Int32(from.yStride), from.u, Int32(from.chromaStride), from.v, Int32(from.chromaStride), into.y,
          Int32(into.yStride), into.u, Int32(into.chromaStride), into.v, Int32(into.chromaStride), Int32(from.width),
          Int32(from.height), turn)
      })
  }
}

/// The transformations of orientations other than 1: a horizontal flip, then a clockwise rotation.
private let exifTurns: [Int: (isMirrored: Bool, turn: RotationMode)] = [
  2: (true, kRotate0), 3: (false, kRotate180), 4: (true, kRotate180), 5: (true, kRotate270), 6: (false, kRotate90),
  7: (true, kRotate90), 8: (false, kRotate270),
]

private func mirror(_ from: I420Planes, _ into: MutableI420Planes) -> Int32 {
  I420Mirror(
    from.y, Int32(from.yStride), from.u, Int32(from.chromaStride), from.v, Int32(from.chromaStride), into.y,
    Int32(into.yStride), into.u, Int32(into.chromaStride), into.v, Int32(into.chromaStride), Int32(from.width),
    Int32(from.height))
}

extension VideoFrame {
  fileprivate func rebuilt(
    width: Int, height: Int, _ body: (I420Planes, MutableI420Planes) -> Int32
  ) throws(CodecError) -> VideoFrame {
    var result = try VideoFrame(width: width, height: height, timestamp: timestamp)
    withPlanes { from in result.withMutablePlanes { into in _ = body(from, into) } }
    return result
  }
}

/// Scales one dimension of a picture: each new sample is a weighted mean of nearby old ones.
private struct Resampling {
  let old: Int
  let count: Int
  /// The index of the first old sample for each new one.
  let first: [Int]
  /// The weights of the old samples, `taps` for each new one.
  let weights: [Float]
  let taps: Int

  init(from old: Int, to new: Int) {
    self.old = old
    count = new
    let scale = Double(old) / Double(new)
    let reach = max(1, scale)
    taps = min(old, Int((2 * reach).rounded(.up)) + 1)
    var (first, weights) = ([Int](), [Float]())
    for index in 0..<new {
      let centre = (Double(index) + 0.5) * scale
      let start = min(max(0, Int((centre - reach).rounded(.down))), old - taps)
      let shares = (start..<start + taps).map { max(0, 1 - abs(Double($0) + 0.5 - centre) / reach) }
      let sum = shares.reduce(0, +)
      first.append(start)
      weights += shares.map { Float($0 / sum) }
    }
    self.first = first
    self.weights = weights
  }
}

/// Scales a plane with samples weighted by their opacity. Returns the opacity of the new samples.
private func resample(
  _ source: UnsafePointer<UInt8>, _ stride: Int, seen: [UInt8], to target: UnsafeMutablePointer<UInt8>, _ targetStride: Int,
  _ columns: Resampling, _ rows: Resampling
) -> [UInt8] {
  // Each old row, scaled: the weighted sample values and their opacity.
  var values = [Float](repeating: 0, count: rows.old * columns.count)
  var shares = values
  for y in 0..<rows.old {
    for x in 0..<columns.count {
      var (value, share) = (Float(0), Float(0))
      for tap in 0..<columns.taps {
        let place = columns.first[x] + tap
        let weight = columns.weights[x * columns.taps + tap] * Float(seen[y * columns.old + place])
        value += weight * Float(source[y * stride + place])
        share += weight
      }
      values[y * columns.count + x] = value
      shares[y * columns.count + x] = share
    }
  }
  var result = [UInt8](repeating: 0, count: rows.count * columns.count)
  for y in 0..<rows.count {
    for x in 0..<columns.count {
      var (value, share) = (Float(0), Float(0))
      for tap in 0..<rows.taps {
        let place = (rows.first[y] + tap) * columns.count + x
        value += rows.weights[y * rows.taps + tap] * values[place]
        share += rows.weights[y * rows.taps + tap] * shares[place]
      }
      result[y * columns.count + x] = UInt8(min(max(share.rounded(), 0), 255))
      target[y * targetStride + x] = share > 0.001 ? UInt8(min(max((value / share).rounded(), 0), 255)) : 128
    }
  }
  return result
}
