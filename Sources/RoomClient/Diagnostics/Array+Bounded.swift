extension Array {
  /// Appends an element. Beyond `most` elements, the oldest is dropped.
  mutating func append(_ element: Element, most: Int) {
    if count >= most { removeFirst() }
    append(element)
  }
}
