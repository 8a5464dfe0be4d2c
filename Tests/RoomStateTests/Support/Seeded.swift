import RoomTestSupport

extension SeededGenerator {
  /// Returns a number in 0 ..< count; faster than `Int.random` in unoptimized builds.
  mutating func below(_ count: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % count }
  mutating func chance(_ one: Int, in count: Int) -> Bool { below(count) < one }
  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
