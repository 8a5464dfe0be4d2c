/// The newest messages of a stream by their numbers, which go on for as long as the stream does.
struct MediaRing {
  struct Item {
    let media: LiveMedia
    let headers: StreamHeaders
  }

  private var slots: [Item?] = Array(repeating: nil, count: 64)
  /// The number of the oldest message that is there.
  private(set) var start = 0
  /// The number that the next message will have.
  private(set) var end = 0
  /// Bytes of payload of all that are there.
  private(set) var bytes = 0

  var count: Int { end - start }
  var first: Item? { start < end ? self[start] : nil }

  /// Nil for a number that is not there.
  subscript(number: Int) -> Item? {
    number >= start && number < end ? slots[number & (slots.count - 1)] : nil
  }

  mutating func append(_ item: Item) {
    if count == slots.count { grow() }
    slots[end & (slots.count - 1)] = item
    bytes += item.media.media.payload.count
    end += 1
  }

  mutating func removeFirst() {
    guard let item = first else { return }
    bytes -= item.media.media.payload.count
    slots[start & (slots.count - 1)] = nil
    start += 1
  }

  private mutating func grow() {
    var larger = [Item?](repeating: nil, count: slots.count * 2)
    for number in start..<end { larger[number & (larger.count - 1)] = self[number] }
    slots = larger
  }
}
