import RoomRTP

/// Which layers of a simulcast the publisher should send: a layer is wanted at once, and given up after some seconds without a
/// subscriber.
struct LayerDemand: BitwiseCopyable {
  /// In microseconds.
  static let patience: Int64 = 5_000_000

  /// Bits by `TrackSlot.layer`. A publisher begins with all layers.
  private(set) var wanted: UInt8 = 0xFF
  /// The time since which each layer has been unused; `Int64.min` if it is used.
  private var unusedSince = SIMD4<Int64>(repeating: .min)

  /// Records which of the first `count` layers are used now. Returns whether `wanted` changed.
  mutating func update(used: UInt8, count: Int, now: Instant) -> Bool {
    let before = wanted
    for layer in 0..<min(count, 4) {
      let bit = UInt8(1) << UInt8(layer)
      if used & bit != 0 {
        unusedSince[layer] = .min
        wanted |= bit
      } else if unusedSince[layer] == .min {
        unusedSince[layer] = now.microseconds
      } else if now.microseconds &- unusedSince[layer] >= Self.patience {
        wanted &= ~bit
      }
    }
    return wanted != before
  }
}
