public import RoomRTP

/// An uncompressed I420 picture (8 bit, BT.601 limited range) with a timestamp.
///
/// A value type: copies share one buffer until one of them is written. The three planes are in one aligned allocation from a
/// ``FramePool``, to which it returns when the last copy is released. Odd sizes are allowed; chroma is rounded up.
public struct VideoFrame: Sendable {
  /// The maximum width and height of a picture in pixels.
  public static let maximumSide = 8192
  /// The maximum number of pixels of a picture: 4096x2304.
  public static let maximumPixels = 4096 * 2304

  /// The capture time on the source's timeline.
  ///
  /// Microseconds from any start. Pictures and audio may share a clock but need not: receivers align the tracks by the time of
  /// sending, so push both as they are captured.
  public var timestamp: MediaTime
  private var storage: PlaneStorage

  /// The width in pixels.
  public var width: Int { storage.width }
  /// The height in pixels.
  public var height: Int { storage.height }

  /// Creates a picture with undefined content.
  /// - Throws: ``CodecError/unsupportedSize(width:height:)``
  public init(width: Int, height: Int, timestamp: MediaTime = .zero, pool: FramePool = .shared) throws(CodecError) {
    guard Self.isSupported(width: width, height: height) else { throw .unsupportedSize(width: width, height: height) }
    self.timestamp = timestamp
    storage = PlaneStorage(width: width, height: height, pool: pool)
  }

  static func isSupported(width: Int, height: Int) -> Bool {
    (1...maximumSide).contains(width) && (1...maximumSide).contains(height) && width * height <= maximumPixels
  }

  /// Calls `body` with read access to the planes. The pointers are invalid after `body`.
  public func withPlanes<Result, Failure: Error>(
    _ body: (I420Planes) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(storage) {} }
    return try body(I420Planes(storage.planes))
  }

  /// Calls `body` with write access to the planes, after a copy if another frame shares them. The pointers are invalid after
  /// `body`.
  public mutating func withMutablePlanes<Result, Failure: Error>(
    _ body: (MutableI420Planes) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if !isKnownUniquelyReferenced(&storage) { storage = PlaneStorage(copying: storage) }
    defer { withExtendedLifetime(storage) {} }
    return try body(storage.planes)
  }

  /// Fills the whole picture with one colour.
  public mutating func fill(_ colour: YUVColour) {
    withMutablePlanes { planes in
      planes.fill(x: 0, y: 0, width: planes.width, height: planes.height, colour)
    }
  }
}

/// The allocation behind a picture.
///
/// Unchecked because of the raw pointers: the bytes are written only through `VideoFrame.withMutablePlanes`, which has the only
/// reference. While shared, they are only read.
private final class PlaneStorage: @unchecked Sendable {
  let width: Int
  let height: Int
  let planes: MutableI420Planes
  private let base: UnsafeMutableRawPointer
  private let byteCount: Int
  private let pool: FramePool

  init(width: Int, height: Int, pool: FramePool) {
    let yStride = (width + 63) & ~63
    let chromaStride = ((width + 1) / 2 + 63) & ~63
    let chromaHeight = (height + 1) / 2
    byteCount = yStride * height + 2 * chromaStride * chromaHeight
    base = pool.take(byteCount: byteCount)
    let y = base.bindMemory(to: UInt8.self, capacity: byteCount)
    let u = y + yStride * height
    planes = MutableI420Planes(
      width: width, height: height, y: y, u: u, v: u + chromaStride * chromaHeight, yStride: yStride,
      chromaStride: chromaStride)
    self.width = width
    self.height = height
    self.pool = pool
  }

  convenience init(copying other: PlaneStorage) {
    self.init(width: other.width, height: other.height, pool: other.pool)
    base.copyMemory(from: other.base, byteCount: byteCount)
  }

  deinit { pool.recycle(base, byteCount: byteCount) }
}
