/// A picture with transparency that is drawn above others: a watermark or a text.
public struct Overlay: Sendable {
  /// The colours. The colours of transparent pixels are not seen.
  public let picture: VideoFrame
  /// The opacity of each pixel, row by row; 255 is opaque. The array has as many values as the picture has pixels.
  public let alpha: [UInt8]
  /// The left edge in pixels. The overlay may extend beyond the canvas.
  public var x: Int { didSet { if (x ^ oldValue) & 1 != 0 { align() } } }
  /// The top edge in pixels.
  public var y: Int { didSet { if (y ^ oldValue) & 1 != 0 { align() } } }

  /// The colours on the canvas's grid of 2x2 pixels. At even positions they are those of the picture.
  private(set) var chroma: VideoFrame
  /// The opacity of each sample of `chroma`.
  private(set) var chromaAlpha: [UInt8]

  /// Returns nil if the number of alpha values differs from the number of pixels.
  public init?(picture: VideoFrame, alpha: [UInt8], x: Int, y: Int) {
    guard alpha.count == picture.width * picture.height else { return nil }
    self.init(picture: picture, alpha: alpha, chromaAlpha: [], x: x, y: y)
    align()
  }

  /// Creates a watermark from a picture, scaled to a given size.
  /// - Parameters:
  ///   - width: The width in pixels; nil keeps the aspect ratio or the picture's own size.
  ///   - height: The height in pixels; nil keeps the aspect ratio or the picture's own size.
  ///   - opacity: 0 (invisible) to 1.
  /// - Throws: ``CodecError/unsupportedSize(width:height:)``, or ``CodecError/invalidSetting(_:)`` for the opacity.
  public init(
    _ picture: Picture, x: Int, y: Int, width: Int? = nil, height: Int? = nil, opacity: Double = 1
  ) throws(CodecError) {
    guard (0...1).contains(opacity) else { throw .invalidSetting("opacity must be 0…1, not \(opacity)") }
    func proportional(_ side: Int, _ own: Int, _ other: Int) throws(CodecError) -> Int {
      guard (1...VideoFrame.maximumSide).contains(side) else { throw .unsupportedSize(width: side, height: side) }
      return max(1, (side * other + own / 2) / own)
    }
    let (w, h) =
      switch (width, height) {
      case (let width?, let height?): (width, height)
      case (let width?, nil): (width, try proportional(width, picture.width, picture.height))
      case (nil, let height?): (try proportional(height, picture.height, picture.width), height)
      case (nil, nil): (picture.width, picture.height)
      }
    let scaled = try picture.scaled(width: w, height: h)
    var alpha = scaled.alpha ?? [UInt8](repeating: 255, count: w * h)
    if opacity < 1 { alpha = alpha.map { UInt8((Double($0) * opacity).rounded()) } }
    self.init(picture: scaled.frame, alpha: alpha, chromaAlpha: [], x: x, y: y)
    align()
  }

  /// Creates an overlay with a precomputed `chromaAlpha` for an even position.
  package init(picture: VideoFrame, alpha: [UInt8], chromaAlpha: [UInt8], x: Int, y: Int) {
    self.picture = picture
    self.alpha = alpha
    self.x = x
    self.y = y
    chroma = picture
    self.chromaAlpha = chromaAlpha
  }

  package var frame: PixelFrame { PixelFrame(x: x, y: y, width: picture.width, height: picture.height) }

  /// Returns the mean opacity of each 2x2 pixels, on the grid of a canvas with the first pixel at the given position.
  package static func chromaAlpha(of alpha: [UInt8], width: Int, height: Int, x: Int, y: Int) -> [UInt8] {
    let (left, top) = (x & 1, y & 1)
    let (columns, rows) = ((left + width + 1) / 2, (top + height + 1) / 2)
    var sums = [UInt16](repeating: 0, count: columns * rows)
    sums.withUnsafeMutableBufferPointer { sums in
      alpha.withUnsafeBufferPointer { alpha in
        for row in 0..<height {
          let line = (row + top) / 2 * columns
          for column in 0..<width { sums[line + (column + left) / 2] &+= UInt16(alpha[row * width + column]) }
        }
      }
    }
    return sums.map { UInt8(truncatingIfNeeded: ($0 + 2) / 4) }
  }

  private mutating func align() {
    chromaAlpha = Self.chromaAlpha(of: alpha, width: picture.width, height: picture.height, x: x, y: y)
    let (left, top) = (x & 1, y & 1)
    chroma = picture
    guard left + top > 0, var moved = try? VideoFrame(width: picture.width + left, height: picture.height + top) else { return }
    let (width, height) = (picture.width, picture.height)
    picture.withPlanes { from in
      moved.withMutablePlanes { into in
        for row in 0..<into.chromaHeight {
          for column in 0..<into.chromaWidth {
            // The mean of the pixels covered, weighted by their opacity.
            var (u, v, weight) = (0, 0, 0)
            for y in max(0, row * 2 - top)..<min(height, row * 2 - top + 2) {
              for x in max(0, column * 2 - left)..<min(width, column * 2 - left + 2) {
                let share = Int(alpha[y * width + x])
                let place = y / 2 * from.chromaStride + x / 2
                u += Int(from.u[place]) * share
                v += Int(from.v[place]) * share
                weight += share
              }
            }
            let place = row * into.chromaStride + column
            into.u[place] = weight > 0 ? UInt8(truncatingIfNeeded: (u + weight / 2) / weight) : 128
            into.v[place] = weight > 0 ? UInt8(truncatingIfNeeded: (v + weight / 2) / weight) : 128
          }
        }
      }
    }
    chroma = moved
  }
}
