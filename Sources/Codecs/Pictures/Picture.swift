/// A still picture with transparency: a watermark, a background or an avatar.
public struct Picture: Sendable {
  /// The maximum file size in bytes.
  public static let maximumFileBytes = 4 << 20

  /// The colours. Transparent areas have the colours of adjacent visible pixels.
  public let frame: VideoFrame
  /// The opacity of each pixel, row by row; 255 is opaque. Nil if the picture is opaque.
  public let alpha: [UInt8]?

  /// The width in pixels.
  public var width: Int { frame.width }
  /// The height in pixels.
  public var height: Int { frame.height }

  /// Creates a picture without transparency.
  public init(_ frame: VideoFrame) {
    self.frame = frame
    alpha = nil
  }

  init(frame: VideoFrame, alpha: [UInt8]?) {
    self.frame = frame
    self.alpha = alpha
  }

  /// Decodes a PNG or JPEG file: any kind of PNG, of which only an animation's first frame is read; JPEG with one or three
  /// components, baseline or progressive, rotated according to its Exif orientation.
  ///
  /// The header is validated before decoding. A file has at most ``maximumFileBytes``, a picture at most
  /// ``VideoFrame/maximumPixels``.
  /// - Throws: ``CodecError/corrupt(codec:reason:)`` for a corrupt file or another format,
  ///   ``CodecError/unsupportedSize(width:height:)``, ``CodecError/unsupportedPixelFormat(_:)``.
  public init(decoding file: some Collection<UInt8>) throws(CodecError) {
    guard file.count <= Self.maximumFileBytes else {
      throw .corrupt(codec: "picture", reason: "\(file.count) bytes exceed the limit of \(Self.maximumFileBytes)")
    }
    let bytes = [UInt8](file)
    if bytes.starts(with: PNGFile.signature) {
      let png = try PNGFile(bytes)
      self = try LibavDecoder(still: .png).decodePicture(png.strippedFile)
    } else if bytes.starts(with: JPEGFile.signature) {
      let jpeg = try JPEGFile(bytes)
      self = try LibavDecoder(still: .jpeg).decodePicture(jpeg.strippedFile).turned(jpeg.orientation)
    } else {
      throw .corrupt(codec: "picture", reason: "the file is neither a PNG nor a JPEG file")
    }
  }

  /// Creates a picture from tightly packed pixels of four bytes: red, green, blue, alpha, not premultiplied.
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

/// Returns the chroma of 2x2 pixels weighted by their opacity; nil if all are transparent.
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
