import RoomRTP

/// Which layers of a simulcast the publisher should send: a layer is wanted at once, and given up after some seconds without a
/// subscriber.
struct LayerDemand: BitwiseCopyable {
  /// In microseconds.
  private static let patience: Int64 = 5_000_000

  /// Bits by `TrackSlot.layer`.
  private(set) var wanted: UInt8
  /// The time since which each layer has been unused; `Int64.min` if it is used.
  private var unusedSince = SIMD4<Int64>(repeating: .min)
  private let patience: Int64

  /// Of a publisher, which begins with all layers.
  init() { (wanted, patience) = (0xFF, Self.patience) }

  private init(wanted: UInt8, patience: Int64) { (self.wanted, self.patience) = (wanted, patience) }

  /// Of another worker, which is patient itself.
  static var ofLink: Self { Self(wanted: 0, patience: 0) }

  /// Records which of the first `count` layers are used now. Returns whether `wanted` changed.
  mutating func update(used: UInt8, count: Int, now: Instant) -> Bool {
    let before = wanted
    for layer in 0..<min(count, 4) {
      let bit = UInt8(1) << UInt8(layer)
      if used & bit != 0 {
        unusedSince[layer] = .min
        wanted |= bit
        continue
      }
      if unusedSince[layer] == .min { unusedSince[layer] = now.microseconds }
      if now.microseconds &- unusedSince[layer] >= patience {
        wanted &= ~bit
      }
    }
    return wanted != before
  }
}
