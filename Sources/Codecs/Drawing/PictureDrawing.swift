import RoomCYUV

/// A part of a source's picture, in its pixels.
package struct PictureCrop {
  package var x: Int
  package var y: Int
  package var width: Int
  package var height: Int

  package init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }
}

/// The mapping of a source's picture to the canvas: the visible part of the picture and the pixels that show it.
package struct PictureFitting {
  package let crop: PictureCrop
  package let target: PixelFrame

  /// Returns nil if no part lies within `bounds`.
  package init?(_ source: VideoFrame, in frame: PixelFrame, mode: FillMode, bounds: PixelFrame) {
    guard frame.width > 0, frame.height > 0 else { return nil }
    // The rectangle that the whole picture would cover.
    var (x, y) = (Double(frame.x), Double(frame.y))
    var (width, height) = (Double(frame.width), Double(frame.height))
    let (sourceWidth, sourceHeight) = (Double(source.width), Double(source.height))
    if mode != .stretch {
      let scale =
        mode == .fill
        ? max(width / sourceWidth, height / sourceHeight) : min(width / sourceWidth, height / sourceHeight)
      x += (width - sourceWidth * scale) / 2
      y += (height - sourceHeight * scale) / 2
      width = sourceWidth * scale
      height = sourceHeight * scale
    }
    let whole = PixelFrame(
      x: Int(x.rounded()), y: Int(y.rounded()), width: max(1, Int(width.rounded())), height: max(1, Int(height.rounded())))
    guard let inside = whole.intersection(frame), let target = inside.intersection(bounds) else { return nil }
    self.target = target
    // Maps from the canvas back to the source.
    func back(_ from: Int, _ length: Int, _ origin: Double, _ extent: Double, _ count: Int) -> (Int, Int) {
      let scale = Double(count) / extent
      let first = min(max(0, Int(((Double(from) - origin) * scale).rounded())), count - 1)
      let last = min(max(first + 1, Int(((Double(from + length) - origin) * scale).rounded())), count)
      return (first, last - first)
    }
    let (cropX, cropWidth) = back(target.x, target.width, x, width, source.width)
    let (cropY, cropHeight) = back(target.y, target.height, y, height, source.height)
    crop = PictureCrop(x: cropX, y: cropY, width: cropWidth, height: cropHeight)
  }
}

extension VideoFrame {
  /// Draws part of a picture onto part of this one. The target must lie within it.
  package mutating func draw(_ source: VideoFrame, _ crop: PictureCrop, to target: PixelFrame) {
    withMutablePlanes { into in
      source.withPlanes { from in
        let filter = target.width < crop.width ? kFilterBox : kFilterBilinear
        Self.scale(
          from.y + crop.y * from.yStride + crop.x, from.yStride, crop.width, crop.height,
          into.y + target.y * into.yStride + target.x, into.yStride, target.width, target.height, filter)
        // Chroma covers every sample that the rectangle touches.
        let (left, right) = (target.x / 2, (target.x + target.width + 1) / 2)
        let (top, bottom) = (target.y / 2, (target.y + target.height + 1) / 2)
        let (cropLeft, cropTop) = (crop.x / 2, crop.y / 2)
        let cropWidth = max(1, (crop.x + crop.width + 1) / 2 - cropLeft)
        let cropHeight = max(1, (crop.y + crop.height + 1) / 2 - cropTop)
        for (plane, other) in [(from.u, into.u), (from.v, into.v)] {
          Self.scale(
            plane + cropTop * from.chromaStride + cropLeft, from.chromaStride, cropWidth, cropHeight,
            other + top * into.chromaStride + left, into.chromaStride, right - left, bottom - top, filter)
        }
      }
    }
  }

  private static func scale(
    _ source: UnsafePointer<UInt8>, _ sourceStride: Int, _ width: Int, _ height: Int, _ target: UnsafeMutablePointer<UInt8>,
    _ targetStride: Int, _ targetWidth: Int, _ targetHeight: Int, _ filter: FilterMode
  ) {
    if width == targetWidth, height == targetHeight {
      CopyPlane(source, Int32(sourceStride), target, Int32(targetStride), Int32(width), Int32(height))
    } else {
      ScalePlane(
        source, Int32(sourceStride), Int32(width), Int32(height), target, Int32(targetStride), Int32(targetWidth),
        Int32(targetHeight), filter)
    }
  }

  /// Blends an overlay onto this picture within `clip`.
  package mutating func blend(_ overlay: Overlay, clip: PixelFrame) {
    let bounds = PixelFrame(x: 0, y: 0, width: width, height: height)
    guard let inside = overlay.frame.intersection(clip), let area = inside.intersection(bounds) else { return }
    let (column, row) = (area.x - overlay.x, area.y - overlay.y)
    let (alpha, chromaAlpha) = (overlay.alpha, overlay.chromaAlpha)
    // Chroma covers every sample that the rectangle touches.
    let (left, right) = (area.x / 2, (area.x + area.width + 1) / 2)
    let (top, bottom) = (area.y / 2, (area.y + area.height + 1) / 2)
    withMutablePlanes { into in
      overlay.picture.withPlanes { from in
        alpha.withUnsafeBufferPointer { alpha in
          guard let alpha = alpha.baseAddress else { return }
          let target = into.y + area.y * into.yStride + area.x
          BlendPlane(
            from.y + row * from.yStride + column, Int32(from.yStride), target, Int32(into.yStride),
            alpha + row * from.width + column, Int32(from.width), target, Int32(into.yStride), Int32(area.width),
            Int32(area.height))
        }
      }
      overlay.chroma.withPlanes { from in
        chromaAlpha.withUnsafeBufferPointer { alpha in
          guard let alpha = alpha.baseAddress else { return }
          // The position of the overlay's first chroma sample on the canvas's grid.
          let (column, row) = (left - (overlay.x >> 1), top - (overlay.y >> 1))
          for (source, plane) in [(from.u, into.u), (from.v, into.v)] {
            let target = plane + top * into.chromaStride + left
            BlendPlane(
              source + row * from.chromaStride + column, Int32(from.chromaStride), target, Int32(into.chromaStride),
              alpha + row * from.chromaWidth + column, Int32(from.chromaWidth), target, Int32(into.chromaStride),
              Int32(right - left), Int32(bottom - top))
          }
        }
      }
    }
  }
}
