import RoomCYUV
public import RoomCodecs

/// Swaps left and right.
public struct Mirror: PictureEffect {
  private let pool: FramePool

  /// - Parameter pool: the memory of the mirrored pictures.
  public init(pool: FramePool = .shared) { self.pool = pool }

  /// Swaps left and right.
  public func apply(to frame: inout VideoFrame) {
    guard var mirrored = try? VideoFrame(width: frame.width, height: frame.height, timestamp: frame.timestamp, pool: pool)
    else { return }
    frame.withPlanes { from in
      mirrored.withMutablePlanes { into in
        _ = I420Mirror(
          from.y, Int32(from.yStride), from.u, Int32(from.chromaStride), from.v, Int32(from.chromaStride), into.y,
          Int32(into.yStride), into.u, Int32(into.chromaStride), into.v, Int32(into.chromaStride), Int32(from.width),
          Int32(from.height))
      }
    }
    frame = mirrored
  }
}
