/// The room's source of random numbers: the system's, or a seeded one for tests.
struct Entropy: RandomNumberGenerator, Sendable {
  /// Nil for the system's generator.
  private var state: UInt64?

  /// The system's generator, which is cryptographically secure.
  static let system = Entropy(state: nil)

  /// Returns a generator that always yields the same numbers; only for tests.
  static func seeded(_ seed: UInt64) -> Entropy { Entropy(state: seed) }

  private init(state: UInt64?) { self.state = state }

  mutating func next() -> UInt64 {
    guard var state else {
      var system = SystemRandomNumberGenerator()
      return system.next()
    }
    // SplitMix64.
    state &+= 0x9E37_79B9_7F4A_7C15
    self.state = state
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns a random identifier with 122 random bits, in the form of a UUID (RFC 9562 §5.4).
  mutating func uuid() -> String {
    let (high, low) = (next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000, next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    func hex(_ value: UInt64, _ digits: Int) -> String {
      let text = String(value, radix: 16, uppercase: true)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    return [
      hex(high >> 32, 8), hex(high >> 16 & 0xFFFF, 4), hex(high & 0xFFFF, 4), hex(low >> 48, 4),
      hex(low & 0xFFFF_FFFF_FFFF, 12),
    ].joined(separator: "-")
  }
}
