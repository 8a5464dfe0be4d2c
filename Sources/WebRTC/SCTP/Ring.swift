/// A queue in a circular buffer. An index counts all elements ever appended, so it stays valid while others are removed.
struct Ring<Element> {
  /// A larger buffer is freed when the queue is empty.
  private static var keptSlots: Int { 64 }

  private var slots: [Element?] = []
  private var start = 0
  private(set) var indices = 0..<0

  var count: Int { indices.count }
  var isEmpty: Bool { indices.isEmpty }
  var first: Element? { isEmpty ? nil : slots[start] }

  /// Returns the element at an index; nil if it was removed or not yet appended.
  subscript(index: Int) -> Element? {
    get { indices.contains(index) ? slots[slot(index)] : nil }
    _modify {
      if indices.contains(index) {
        yield &slots[slot(index)]
      } else {
        var none: Element?
        yield &none
      }
    }
  }

  @discardableResult mutating func append(_ element: Element) -> Int {
    if count == slots.count { grow() }
    slots[slot(indices.upperBound)] = element
    indices = indices.lowerBound..<(indices.upperBound + 1)
    return indices.upperBound - 1
  }

  mutating func removeFirst() -> Element? {
    guard !isEmpty else { return nil }
    defer {
      slots[start] = nil
      start = start + 1 == slots.count ? 0 : start + 1
      indices = (indices.lowerBound + 1)..<indices.upperBound
      if isEmpty, slots.count > Self.keptSlots { slots = [] }
    }
    return slots[start]
  }

  /// The size of the buffer is a power of two.
  private func slot(_ index: Int) -> Int { (start + index - indices.lowerBound) & (slots.count - 1) }

  private mutating func grow() {
    var larger = [Element?](repeating: nil, count: max(8, slots.count * 2))
    for (place, index) in indices.enumerated() { larger[place] = slots[slot(index)] }
    slots = larger
    start = 0
  }
}
