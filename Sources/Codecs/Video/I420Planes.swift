import Glibc

/// Read access to the planes of a picture.
public struct I420Planes {
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int
  /// Luma: `height` rows of `width` samples.
  public let y: UnsafePointer<UInt8>
  /// Blue-difference chroma: half as many rows and samples, rounded up.
  public let u: UnsafePointer<UInt8>
  /// Red-difference chroma: half as many rows and samples, rounded up.
  public let v: UnsafePointer<UInt8>
  /// The distance between rows of `y` in bytes.
  public let yStride: Int
  /// The distance between rows of `u` or `v` in bytes.
  public let chromaStride: Int

  /// The number of samples in a row of `u` or `v`.
  public var chromaWidth: Int { (width + 1) / 2 }
  /// The number of rows of `u` or `v`.
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

/// Write access to the planes of a picture.
public struct MutableI420Planes {
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int
  /// Luma: `height` rows of `width` samples.
  public let y: UnsafeMutablePointer<UInt8>
  /// Blue-difference chroma: half as many rows and samples, rounded up.
  public let u: UnsafeMutablePointer<UInt8>
  /// Red-difference chroma: half as many rows and samples, rounded up.
  public let v: UnsafeMutablePointer<UInt8>
  /// The distance between rows of `y` in bytes.
  public let yStride: Int
  /// The distance between rows of `u` or `v` in bytes.
  public let chromaStride: Int

  /// The number of samples in a row of `u` or `v`.
  public var chromaWidth: Int { (width + 1) / 2 }
  /// The number of rows of `u` or `v`.
  public var chromaHeight: Int { (height + 1) / 2 }

  /// Fills a rectangle, clipped to the picture, with one colour. Chroma covers every sample that the rectangle touches.
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
