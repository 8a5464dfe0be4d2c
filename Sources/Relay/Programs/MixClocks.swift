import RoomCodecs
import RoomMixing

/// The clocks of a scene, redrawn every second. One owner at a time.
final class MixClocks {
  private let clocks: [ClockText]
  private var shown: [Overlay?]

  /// A clock whose font is missing is skipped.
  init(_ wanted: [MixScene.Clock]) {
    clocks = wanted.compactMap { clock in
      guard let renderer = try? TextRenderer(font: clock.font, size: clock.size) else { return nil }
      return ClockText(renderer, style: TextStyle(colour: clock.colour), until: clock.until, x: clock.x, y: clock.y)
    }
    shown = Array(repeating: nil, count: clocks.count)
  }

  /// Returns all overlays if a clock has changed, otherwise nil.
  func overlays(at milliseconds: Int64) -> [Overlay]? {
    var hasChanged = false
    for (index, clock) in clocks.enumerated() {
      guard let overlay = clock.overlay(at: milliseconds) else { continue }
      shown[index] = overlay
      hasChanged = true
    }
    return hasChanged ? shown.compactMap { $0 } : nil
  }
}
