public import RoomCodecs

/// Converts pictures with full-range values (0…255), as some cameras deliver NV12, to the limited range of all other steps:
/// luma 16…235, chroma 16…240.
public struct RangeLimit: PictureEffect {
  /// The conversion has no settings.
  public init() {}

  /// Converts a picture. Do not apply it twice: the range of a picture can't be seen in it.
  public func apply(to frame: inout VideoFrame) {
    frame.withMutablePlanes { planes in
      // 220/256 and 225/256 round to the same values as 219/255 and 224/255, but for a few of them that differ by one.
      planes.changeLuma { ($0 &* 220 &+ 128) &>> 8 &+ 16 }
      planes.changeChroma {
        ($0 &* 225 &+ 256) &>> 8 &+ 15
      } v: {
        ($0 &* 225 &+ 256) &>> 8 &+ 15
      }
    }
  }
}
