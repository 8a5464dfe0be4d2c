import RoomRTP

/// When consecutive datagrams of records arrived, on the clock of the node that received them.
struct ArrivalReport: Equatable {
  static let headBytes = 17
  static let entryBytes = 2
  /// A resolution of 32 µs lets 16 bits cover two seconds.
  private static let unit: UInt32 = 32

  /// The number of the first datagram.
  var first: UInt64
  /// The time from which the entries count, in microseconds modulo 2^32.
  var base: UInt32
  /// The bytes of earlier datagrams that arrived after a request since the last report, with all headers.
  var repaired: UInt32 = 0
  /// For each datagram the time since `base` in units of 32 µs, plus 1; 0 if it did not arrive, or only after a request.
  var entries: [UInt16]

  var bytes: Int { Self.headBytes + Self.entryBytes * entries.count }

  /// The arrival of the datagram with this index; nil if it did not arrive by itself.
  func stamp(_ index: Int) -> UInt32? { entries[index] == 0 ? nil : base &+ UInt32(entries[index] - 1) * Self.unit }

  /// Adds a datagram.
  mutating func append(_ arrival: Instant?) {
    guard let arrival else { return entries.append(0) }
    let since = UInt32(clamping: Int64(Int32(bitPattern: arrival.stamp &- base))) / Self.unit
    entries.append(UInt16(clamping: since &+ 1))
  }

  func write(to target: UnsafeMutableRawPointer, tag: UInt8) {
    target.store8(tag, 0)
    target.store48(first, 1)
    target.store32(base, 7)
    target.store32(repaired, 11)
    target.store16(UInt16(truncatingIfNeeded: entries.count), 15)
    for (index, entry) in entries.enumerated() { target.store16(entry, Self.headBytes + Self.entryBytes * index) }
  }

  /// Reads the block at the start of some bytes; returns nil if it is not complete.
  static func read(_ bytes: UnsafeRawBufferPointer) -> ArrivalReport? {
    guard bytes.count >= headBytes, let base = bytes.baseAddress else { return nil }
    let count = Int(base.load16(15))
    guard bytes.count >= headBytes + entryBytes * count else { return nil }
    return ArrivalReport(
      first: base.load48(1), base: base.load32(7), repaired: base.load32(11),
      entries: (0..<count).map { base.load16(headBytes + entryBytes * $0) })
  }
}
