/// A still picture with transparency: a watermark, a background, an avatar.
public struct Picture: Sendable {
  /// Most bytes of a file.
  public static let maximumFileBytes = 4 << 20

  /// Where the picture is transparent, the colours are those of what can be seen next to it.
  public let frame: VideoFrame
  /// Opacity of each pixel, row by row, 255 being opaque; nil where all of it is.
  public let alpha: [UInt8]?

  /// Pixels.
  public var width: Int { frame.width }
  /// Pixels.
  public var height: Int { frame.height }

  /// A picture without transparency.
  public init(_ frame: VideoFrame) {
    self.frame = frame
    alpha = nil
  }

  init(frame: VideoFrame, alpha: [UInt8]?) {
    self.frame = frame
    self.alpha = alpha
  }

  /// Reads a PNG or JPEG file: PNG of any kind, the first picture of an animated one; JPEG of one or three components, baseline or
  /// progressive, turned as its camera was held.
  ///
  /// The header is read before anything is decoded. A file has at most ``maximumFileBytes``, a picture ``VideoFrame/maximumPixels``.
  /// - Throws: ``CodecError/corrupt(codec:reason:)`` for a broken file or none of the kind,
  ///   ``CodecError/unsupportedSize(width:height:)``, ``CodecError/unsupportedPixelFormat(_:)``.
  public init(decoding file: some Collection<UInt8>) throws(CodecError) {
    guard file.count <= Self.maximumFileBytes else {
      throw .corrupt(codec: "picture", reason: "\(file.count) bytes, where \(Self.maximumFileBytes) are possible")
    }
    let bytes = [UInt8](file)
    if bytes.starts(with: PNGFile.signature) {
      let png = try PNGFile(bytes)
      self = try LibavDecoder(still: .png).decodePicture(png.essence)
    } else if bytes.starts(with: JPEGFile.signature) {
      let jpeg = try JPEGFile(bytes)
      self = try LibavDecoder(still: .jpeg).decodePicture(jpeg.essence).turned(jpeg.orientation)
    } else {
      throw .corrupt(codec: "picture", reason: "it is neither a PNG nor a JPEG file")
    }
  }

  /// A picture from tightly packed pixels of four bytes: red, green, blue, alpha, the colours not multiplied by it.
  /// - Throws: ``CodecError/unsupportedSize(width:height:)``, ``CodecError/shortBuffer(needed:got:)``
  public init(rgba bytes: [UInt8], width: Int, height: Int) throws(CodecError) {
    var frame = try VideoFrame(rgba: bytes, width: width, height: height)
    var alpha = [UInt8](repeating: 255, count: width * height)
    var isOpaque = true
    for index in alpha.indices {
      alpha[index] = bytes[index * 4 + 3]
      if alpha[index] < 255 { isOpaque = false }
    }
    guard !isOpaque else {
      self.init(frame)
      return
    }
    frame.withMutablePlanes { planes in
      bytes.withUnsafeBufferPointer { pixels in
        for row in 0..<(height + 1) / 2 {
          for column in 0..<(width + 1) / 2 {
            if let (u, v) = visibleChroma(of: pixels, row * 2, column * 2, width, height) {
              planes.u[row * planes.chromaStride + column] = u
              planes.v[row * planes.chromaStride + column] = v
            }
          }
        }
      }
    }
    self.init(frame: frame, alpha: alpha)
  }
}

/// The colour of two by two pixels, each counted as far as it can be seen; nil where none is to be seen.
private func visibleChroma(
  of pixels: UnsafeBufferPointer<UInt8>, _ y: Int, _ x: Int, _ width: Int, _ height: Int
) -> (UInt8, UInt8)? {
  var (red, green, blue, weight) = (0, 0, 0, 0)
  for row in y..<min(y + 2, height) {
    for column in x..<min(x + 2, width) {
      let place = (row * width + column) * 4
      let alpha = Int(pixels[place + 3])
      red += Int(pixels[place]) * alpha
      green += Int(pixels[place + 1]) * alpha
      blue += Int(pixels[place + 2]) * alpha
      weight += alpha
    }
  }
  guard weight > 0 else { return nil }
  let colour = YUVColour(
    red: UInt8(truncatingIfNeeded: (red + weight / 2) / weight),
    green: UInt8(truncatingIfNeeded: (green + weight / 2) / weight),
    blue: UInt8(truncatingIfNeeded: (blue + weight / 2) / weight))
  return (colour.u, colour.v)
}
