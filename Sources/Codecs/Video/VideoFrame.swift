import Glibc

/// An uncompressed I420 picture (8 bit, BT.601 limited range) with its time.
///
/// A value: copies share one buffer until one of them is written. The three planes lie in one aligned allocation from a
/// ``FramePool``, to which it returns when the last copy is gone. Odd sizes are allowed; chroma is rounded up.
public struct VideoFrame: Sendable {
  /// Longest side of a picture, in pixels.
  public static let maximumSide = 8192
  /// Most pixels of a picture: 4096x2304.
  public static let maximumPixels = 4096 * 2304

  /// When the picture was taken, in microseconds on its source's clock.
  public var timestamp: Int64
  private var storage: PlaneStorage

  /// Pixels.
  public var width: Int { storage.width }
  /// Pixels.
  public var height: Int { storage.height }

  /// A picture whose content is not defined until it is drawn.
  /// - Throws: ``CodecError/unsupportedSize(width:height:)``
  public init(width: Int, height: Int, timestamp: Int64 = 0, pool: FramePool = .shared) throws(CodecError) {
    guard Self.isSupported(width: width, height: height) else { throw .unsupportedSize(width: width, height: height) }
    self.timestamp = timestamp
    storage = PlaneStorage(width: width, height: height, pool: pool)
  }

  static func isSupported(width: Int, height: Int) -> Bool {
    (1...maximumSide).contains(width) && (1...maximumSide).contains(height) && width * height <= maximumPixels
  }

  /// Lends the planes for reading. The pointers are dead after `body`.
  public func withPlanes<Result, Failure: Error>(
    _ body: (I420Planes) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(storage) {} }
    return try body(I420Planes(storage.planes))
  }

  /// Lends the planes for writing, after a copy if another frame shares them. The pointers are dead after `body`.
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

/// A colour in BT.601 limited range.
public struct YUVColour: Sendable, Hashable {
  /// Brightness, 16 (black) … 235 (white).
  public var y: UInt8
  /// Blue difference, 16…240; 128 is grey.
  public var u: UInt8
  /// Red difference, 16…240; 128 is grey.
  public var v: UInt8

  /// Values outside the ranges are drawn as they are.
  public init(y: UInt8, u: UInt8, v: UInt8) {
    self.y = y
    self.u = u
    self.v = v
  }

  /// Brightness 16.
  public static let black = YUVColour(y: 16, u: 128, v: 128)
  /// Brightness 235.
  public static let white = YUVColour(y: 235, u: 128, v: 128)
}

/// Where the planes of a picture lie, for reading.
public struct I420Planes {
  /// Pixels.
  public let width: Int
  /// Pixels.
  public let height: Int
  /// Brightness: `height` rows of `width` samples.
  public let y: UnsafePointer<UInt8>
  /// Blue difference: half as many rows and samples, rounded up.
  public let u: UnsafePointer<UInt8>
  /// Red difference: half as many rows and samples, rounded up.
  public let v: UnsafePointer<UInt8>
  /// Bytes from one row of `y` to the next.
  public let yStride: Int
  /// Bytes from one row of `u` or `v` to the next.
  public let chromaStride: Int

  /// Samples in a row of `u` or `v`.
  public var chromaWidth: Int { (width + 1) / 2 }
  /// Rows of `u` or `v`.
  public var chromaHeight: Int { (height + 1) / 2 }

  init(_ planes: MutableI420Planes) {
    width = planes.width
    height = planes.height
    y = UnsafePointer(planes.y)
    u = UnsafePointer(planes.u)
    v = UnsafePointer(planes.v)
    yStride = planes.yStride
    chromaStride = planes.chromaStride
  }
}

/// Where the planes of a picture lie, for writing.
public struct MutableI420Planes {
  /// Pixels.
  public let width: Int
  /// Pixels.
  public let height: Int
  /// Brightness: `height` rows of `width` samples.
  public let y: UnsafeMutablePointer<UInt8>
  /// Blue difference: half as many rows and samples, rounded up.
  public let u: UnsafeMutablePointer<UInt8>
  /// Red difference: half as many rows and samples, rounded up.
  public let v: UnsafeMutablePointer<UInt8>
  /// Bytes from one row of `y` to the next.
  public let yStride: Int
  /// Bytes from one row of `u` or `v` to the next.
  public let chromaStride: Int

  /// Fills a rectangle, cut to the picture, with one colour. Chroma covers every sample that the rectangle touches.
  public func fill(x: Int, y top: Int, width: Int, height: Int, _ colour: YUVColour) {
    let left = max(0, min(x, self.width))
    let right = max(left, min(x + width, self.width))
    let first = max(0, min(top, self.height))
    let last = max(first, min(top + height, self.height))
    guard right > left, last > first else { return }
    for row in first..<last { memset(y + row * yStride + left, Int32(colour.y), right - left) }
    for row in first / 2..<(last + 1) / 2 {
      let offset = row * chromaStride + left / 2
      let count = (right + 1) / 2 - left / 2
      memset(u + offset, Int32(colour.u), count)
      memset(v + offset, Int32(colour.v), count)
    }
  }
}

/// The one allocation behind a picture.
///
/// Unchecked because of the raw pointers: the bytes are written only through `VideoFrame.withMutablePlanes`, which holds the
/// only reference; while shared they are only read.
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

  deinit { pool.giveBack(base, byteCount: byteCount) }
}
