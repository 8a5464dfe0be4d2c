/// The newest messages of a stream, by number. Numbers increase for the lifetime of the stream.
struct MediaRing {
  struct Item {
    let media: LiveMedia
    let headers: StreamHeaders
  }

  private var slots: [Item?] = Array(repeating: nil, count: 64)
  /// The number of the oldest message kept.
  private(set) var start = 0
  /// The number of the next message.
  private(set) var end = 0
  /// The payload size of all kept messages in bytes.
  private(set) var bytes = 0

  var count: Int { end - start }
  var first: Item? { start < end ? self[start] : nil }

  /// The message with a number; nil if it is not kept.
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
