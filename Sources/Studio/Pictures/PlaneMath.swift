import RoomCodecs

/// Sixteen samples of a plane, wide enough to be multiplied.
typealias Samples = SIMD16<UInt16>

extension MutableI420Planes {
  /// Replaces each luma sample by a function of it, at most 255.
  @inline(__always) func changeLuma(_ change: (Samples) -> Samples) {
    changeRows(y, yStride, width, height, change)
  }

  /// Replaces each chroma sample by a function of it, at most 255.
  @inline(__always) func changeChroma(_ u: (Samples) -> Samples, v: (Samples) -> Samples) {
    changeRows(self.u, chromaStride, chromaWidth, chromaHeight, u)
    changeRows(self.v, chromaStride, chromaWidth, chromaHeight, v)
  }
}

/// Replaces each sample of a plane by a function of it, at most 255.
///
/// Rows are multiples of 64 bytes apart, so the last vector of a row ends within the row's unused bytes.
@inline(__always) func changeRows(
  _ plane: UnsafeMutablePointer<UInt8>, _ stride: Int, _ width: Int, _ height: Int, _ change: (Samples) -> Samples
) {
  for row in 0..<height {
    let line = UnsafeMutableRawPointer(plane + row * stride)
    var column = 0
    while column < width {
      let old = line.loadUnaligned(fromByteOffset: column, as: SIMD16<UInt8>.self)
      let new = change(Samples(truncatingIfNeeded: old))
      line.storeBytes(of: SIMD16<UInt8>(truncatingIfNeeded: new), toByteOffset: column, as: SIMD16<UInt8>.self)
      column += 16
    }
  }
}

/// Replaces the samples of a row by a function of them and another row's, at most 255. Rows end as in `changeRows`.
@inline(__always) func combineRow(
  _ target: UnsafeMutablePointer<UInt8>, _ other: UnsafeMutablePointer<UInt8>, _ count: Int,
  _ body: (Samples, Samples) -> Samples
) {
  let (first, second) = (UnsafeMutableRawPointer(target), UnsafeRawPointer(other))
  var column = 0
  while column < count {
    let a = first.loadUnaligned(fromByteOffset: column, as: SIMD16<UInt8>.self)
    let b = second.loadUnaligned(fromByteOffset: column, as: SIMD16<UInt8>.self)
    let result = body(Samples(truncatingIfNeeded: a), Samples(truncatingIfNeeded: b))
    first.storeBytes(of: SIMD16<UInt8>(truncatingIfNeeded: result), toByteOffset: column, as: SIMD16<UInt8>.self)
    column += 16
  }
}
