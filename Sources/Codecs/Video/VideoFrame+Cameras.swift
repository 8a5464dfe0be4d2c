import RoomCYUV
public import RoomRTP

// Pictures from the formats of cameras and screens. `stride` is the distance between the starts of two rows in bytes; nil means
// that the rows are tightly packed. Bytes after the last row are ignored.

extension VideoFrame {
  /// Creates a picture from NV12 bytes: all rows of Y, then the rows of U and V interleaved, with the same stride.
  /// - Parameter range: the range of the bytes; full-range values are converted.
  /// - Throws: ``CodecError/unsupportedSize(width:height:)``, ``CodecError/shortBuffer(needed:got:)``,
  ///   ``CodecError/invalidSetting(_:)`` for a stride below the length of a row.
  public init(
    nv12 bytes: some Collection<UInt8>, width: Int, height: Int, stride: Int? = nil, range: VideoRange = .limited,
    timestamp: MediaTime = .zero, pool: FramePool = .shared
  ) throws(CodecError) {
    try self.init(width: width, height: height, timestamp: timestamp, pool: pool)
    let chromaRow = (width + 1) / 2 * 2
    let (yStride, chromaStride) = (stride ?? width, stride ?? chromaRow)
    try Self.check(chromaStride, row: chromaRow)
    let count = yStride * height + chromaStride * ((height + 1) / 2 - 1) + chromaRow
    try withMutablePlanes { (planes) throws(CodecError) in
      try contiguous(bytes, count: count) { source in
        _ = NV12ToI420(
          source, Int32(yStride), source + yStride * height, Int32(chromaStride), planes.y, Int32(planes.yStride), planes.u,
          Int32(planes.chromaStride), planes.v, Int32(planes.chromaStride), Int32(width), Int32(height))
      }
      if range == .full { planes.limitRange() }
    }
  }

  /// Creates a picture from YUYV bytes, also named YUY2: Y, U, Y and V for two pixels.
  /// - Throws: as ``init(nv12:width:height:stride:range:timestamp:pool:)``.
  public init(
    yuyv bytes: some Collection<UInt8>, width: Int, height: Int, stride: Int? = nil, timestamp: MediaTime = .zero,
    pool: FramePool = .shared
  ) throws(CodecError) {
    try self.init(width: width, height: height, timestamp: timestamp, pool: pool)
    try fill(bytes, row: (width + 1) / 2 * 4, stride: stride, YUY2ToI420)
  }

  /// Creates a picture from pixels of three bytes: red, green, blue.
  /// - Throws: as ``init(nv12:width:height:stride:range:timestamp:pool:)``.
  public init(
    rgb bytes: some Collection<UInt8>, width: Int, height: Int, stride: Int? = nil, timestamp: MediaTime = .zero,
    pool: FramePool = .shared
  ) throws(CodecError) {
    try self.init(width: width, height: height, timestamp: timestamp, pool: pool)
    // libyuv names formats by the little-endian word: RAW is R, G, B in memory.
    try fill(bytes, row: width * 3, stride: stride, RAWToI420)
  }

  /// Creates a picture from pixels of four bytes: red, green, blue, alpha. Alpha is ignored.
  /// - Throws: as ``init(nv12:width:height:stride:range:timestamp:pool:)``.
  public init(
    rgba bytes: some Collection<UInt8>, width: Int, height: Int, stride: Int? = nil, timestamp: MediaTime = .zero,
    pool: FramePool = .shared
  ) throws(CodecError) {
    try self.init(width: width, height: height, timestamp: timestamp, pool: pool)
    // ABGR as a word is R, G, B, A in memory.
    try fill(bytes, row: width * 4, stride: stride, ABGRToI420)
  }

  /// Creates a picture from pixels of four bytes: blue, green, red, alpha, as screens deliver them. Alpha is ignored.
  /// - Throws: as ``init(nv12:width:height:stride:range:timestamp:pool:)``.
  public init(
    bgra bytes: some Collection<UInt8>, width: Int, height: Int, stride: Int? = nil, timestamp: MediaTime = .zero,
    pool: FramePool = .shared
  ) throws(CodecError) {
    try self.init(width: width, height: height, timestamp: timestamp, pool: pool)
    // ARGB as a word is B, G, R, A in memory.
    try fill(bytes, row: width * 4, stride: stride, ARGBToI420)
  }

  /// A conversion of libyuv from one plane.
  private typealias Conversion = (
    UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32,
    UnsafeMutablePointer<UInt8>?, Int32, Int32, Int32
  ) -> Int32

  private mutating func fill(
    _ bytes: some Collection<UInt8>, row: Int, stride: Int?, _ convert: Conversion
  ) throws(CodecError) {
    let stride = stride ?? row
    try Self.check(stride, row: row)
    try withMutablePlanes { (planes) throws(CodecError) in
      try contiguous(bytes, count: stride * (planes.height - 1) + row) { source in
        _ = convert(
          source, Int32(stride), planes.y, Int32(planes.yStride), planes.u, Int32(planes.chromaStride), planes.v,
          Int32(planes.chromaStride), Int32(planes.width), Int32(planes.height))
      }
    }
  }

  static func check(_ stride: Int, row: Int) throws(CodecError) {
    guard (row...maximumStride).contains(stride) else {
      throw .invalidSetting("stride must be \(row)…\(maximumStride) bytes, not \(stride)")
    }
  }

  /// A row of the largest picture with four bytes for each pixel, twice.
  private static let maximumStride = maximumSide * 8
}

/// Calls `body` with contiguous bytes.
/// - Throws: ``CodecError/shortBuffer(needed:got:)`` for less than `count` bytes.
func contiguous(
  _ bytes: some Collection<UInt8>, count: Int, _ body: (UnsafePointer<UInt8>) -> Void
) throws(CodecError) {
  func use(_ buffer: UnsafeBufferPointer<UInt8>) -> Int? {
    guard buffer.count >= count, let base = buffer.baseAddress else { return buffer.count }
    body(base)
    return nil
  }
  let short = bytes.withContiguousStorageIfAvailable(use) ?? Array(bytes).withUnsafeBufferPointer(use)
  if let short { throw .shortBuffer(needed: count, got: short) }
}
