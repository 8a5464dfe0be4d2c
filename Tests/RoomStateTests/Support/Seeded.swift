/// A random number generator that repeats with its seed (SplitMix64).
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Returns a number in 0 ..< count; faster than `Int.random` in unoptimized builds.
  mutating func below(_ count: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % count }
  mutating func chance(_ one: Int, in count: Int) -> Bool { below(count) < one }
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
