import RoomMixing
import RoomProtocol

extension Layout {
  /// Returns the placements of sources by seat index on the layout's own canvas; nil is an empty seat.
  func placements<ID: Hashable & Sendable>(of sources: [ID?]) -> [Placement<ID>] {
    zip(zip(frames, pixelFrames(width: canvas.width, height: canvas.height)), sources).compactMap { seat, source in
      guard let source else { return nil }
      let (frame, pixels) = seat
      return Placement(
        source: source, frame: pixels, zIndex: frame.zIndex, mode: .fill,
        cornerRadius: Int((frame.cornerRadius * Double(min(pixels.width, pixels.height))).rounded()))
    }
  }
}
