public import RoomCodecs

/// Makes skin smoother, lighter and redder.
///
/// Only skin-coloured areas are smoothed and reddened; edges stay sharp. The whole picture becomes lighter.
public struct Beauty: PictureEffect, Hashable {
  /// How much of the fine structure of skin is removed, 0…1.
  public var smooth: Double { didSet { smooth = Self.limited(smooth) } }
  /// How much lighter the picture becomes, 0…1. Black and white stay.
  public var whiten: Double { didSet { whiten = Self.limited(whiten) } }
  /// How much redder skin becomes, 0…1.
  public var redden: Double { didSet { redden = Self.limited(redden) } }

  /// Values out of 0…1 are limited to it.
  public init(smooth: Double = 0.5, whiten: Double = 0.3, redden: Double = 0.2) {
    self.smooth = Self.limited(smooth)
    self.whiten = Self.limited(whiten)
    self.redden = Self.limited(redden)
  }

  private static func limited(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }

  /// Changes a picture. Pictures below 16x16 pixels only become lighter.
  public func apply(to frame: inout VideoFrame) {
    if smooth > 0 || redden > 0 { retouch(&frame) }
    if whiten > 0 {
      // At most 47 levels, in the middle of the range.
      let strength = Int16(whiten * 64)
      frame.withMutablePlanes { planes in
        planes.changeLuma { samples in
          // Signed, because SSE2 compares only signed words.
          let luma = SIMD16<Int16>(truncatingIfNeeded: samples)
          let (black, white) = (SIMD16<Int16>(repeating: 16), SIMD16<Int16>(repeating: 235))
          let limited = pointwiseMin(pointwiseMax(luma, black), white)
          let curve = ((limited &- black) &* (white &- limited)) &>> 6
          return Samples(truncatingIfNeeded: luma &+ (curve &* strength) &>> 8)
        }
      }
    }
  }

  private func retouch(_ frame: inout VideoFrame) {
    guard frame.width >= 16, frame.height >= 16,
      var first = try? VideoFrame(width: frame.width, height: frame.height),
      var second = try? VideoFrame(width: frame.width, height: frame.height)
    else { return }
    frame.withMutablePlanes { picture in
      first.withMutablePlanes { first in
        second.withMutablePlanes { second in
          let retouch = SkinRetouch(picture, first, second)
          retouch.findSkin()
          if smooth > 0 { retouch.smooth(smooth) }
          if redden > 0 { retouch.redden(redden) }
        }
      }
    }
  }
}
