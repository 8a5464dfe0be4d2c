import RoomProtocol

/// The last changes of a room with their numbers, bounded in count and in bytes.
struct Journal: Codable, Hashable, Sendable {
  struct Entry: Codable, Hashable, Sendable {
    var change: NumberedChange
    var audience: Audience
  }

  let limit: Int
  let byteLimit: Int
  /// The number of the last change.
  private(set) var sequence = 0
  /// The last element is the last change. The first `forgotten` exceed the limits and are removed in batches.
  private var entries: [Entry] = []
  private var forgotten = 0
  private var bytes = 0

  init(entries limit: Int, bytes: Int) {
    self.limit = max(0, limit)
    byteLimit = bytes
  }

  /// Number of changes in the journal.
  var count: Int { entries.count - forgotten }

  /// Appends a change under the next number.
  mutating func append(_ change: RoomChange, to audience: Audience) -> NumberedChange {
    sequence += 1
    let numbered = NumberedChange(seq: sequence, change: change)
    entries.append(Entry(change: numbered, audience: audience))
    bytes += change.weight
    while count > limit || (bytes > byteLimit && count > 0) {
      bytes -= entries[forgotten].change.change.weight
      forgotten += 1
    }
    // Removing entries one by one would move all the others each time.
    if forgotten > 32 && forgotten * 2 > entries.count {
      entries.removeFirst(forgotten)
      forgotten = 0
    }
    return numbered
  }

  /// Returns the entries after a number; nil if the first of them was removed, or the number was never assigned.
  func entries(after seq: Int) -> ArraySlice<Entry>? {
    guard seq <= sequence, seq >= sequence - count else { return nil }
    return entries[(entries.count - (sequence - seq))...]
  }

  /// A copy without entries that keeps the last number.
  var emptied: Journal {
    var copy = self
    copy.entries = []
    copy.forgotten = 0
    copy.bytes = 0
    return copy
  }

  /// Removes all entries and skips 2^20 numbers, so that no number is assigned twice even if a crash lost the latest changes.
  mutating func skipNumbersAfterRestore() {
    self = emptied
    sequence += 1 << 20
  }

  private enum CodingKeys: String, CodingKey { case limit, byteLimit, sequence, entries, bytes }

  static func == (a: Journal, b: Journal) -> Bool {
    a.sequence == b.sequence && a.limit == b.limit && a.byteLimit == b.byteLimit && a.bytes == b.bytes && a.live == b.live
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(sequence)
    hasher.combine(live)
  }

  private var live: ArraySlice<Entry> { entries[forgotten...] }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    limit = try values.decode(Int.self, forKey: .limit)
    byteLimit = try values.decode(Int.self, forKey: .byteLimit)
    sequence = try values.decode(Int.self, forKey: .sequence)
    entries = try values.decode([Entry].self, forKey: .entries)
    bytes = try values.decode(Int.self, forKey: .bytes)
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(limit, forKey: .limit)
    try values.encode(byteLimit, forKey: .byteLimit)
    try values.encode(sequence, forKey: .sequence)
    try values.encode(Array(live), forKey: .entries)
    try values.encode(bytes, forKey: .bytes)
  }
}

extension RoomChange {
  /// The approximate size of the change in memory, in bytes.
  fileprivate var weight: Int {
    switch self {
    case .message(let message): 256 + message.size
    case .attributesChanged(let data):
      data.set.reduce(256) { $0 + $1.key.utf8.count + $1.value.utf8.count } + data.removed.reduce(0) { $0 + $1.utf8.count }
    case .layoutChanged(let data): 256 + 200 * data.seats.count
    default: 256
    }
  }
}
