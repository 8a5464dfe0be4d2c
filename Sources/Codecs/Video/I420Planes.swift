import Glibc

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

  /// Samples in a row of `u` or `v`.
  public var chromaWidth: Int { (width + 1) / 2 }
  /// Rows of `u` or `v`.
  public var chromaHeight: Int { (height + 1) / 2 }

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
