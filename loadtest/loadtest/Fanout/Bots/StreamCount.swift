import RoomRTP

/// Counts one stream's packets by the sequence numbers of their headers, which SRTP does not encrypt.
///
/// Duplicates count once; packets out of order count as received. A number outside the window can't be distinguished from a
/// duplicate and is not counted.
struct StreamCount: Sendable {
  /// Number of past sequence numbers that are remembered.
  static let window = 1024

  /// Distinct packets received.
  private(set) var received = 0
  /// Packets that had already been received.
  private(set) var duplicates = 0
  /// Packets older than the window.
  private(set) var late = 0

  private var unwrapper = SequenceUnwrapper()
  private var first: Int64 = 0
  /// A bit for each sequence number of the window, at the number modulo the window.
  private var seen = [UInt64](repeating: 0, count: Self.window / 64)

  /// Number of packets from the first to the highest sequence number; 0 before the first packet.
  var expected: Int { unwrapper.highest.map { Int($0 - first + 1) } ?? 0 }
  /// Expected packets that were not received.
  var lost: Int { expected - received }

  /// Counts a packet. Returns false if it is a duplicate or older than the window.
  @discardableResult
  mutating func count(_ sequenceNumber: UInt16) -> Bool {
    let previous = unwrapper.highest
    let number = unwrapper.unwrap(sequenceNumber)
    guard let previous else {
      first = number
      return mark(number)
    }
    if number > previous {
      forget(after: previous, upTo: number)
    } else if previous - number >= Int64(Self.window) {
      late += 1
      return false
    } else if number < first {
      first = number
    }
    return mark(number)
  }

  private mutating func mark(_ number: Int64) -> Bool {
    let (word, bit) = Self.place(number)
    guard seen[word] & bit == 0 else {
      duplicates += 1
      return false
    }
    seen[word] |= bit
    received += 1
    return true
  }

  /// Clears the bits that new numbers reuse.
  private mutating func forget(after previous: Int64, upTo number: Int64) {
    guard number - previous < Int64(Self.window) else {
      for word in seen.indices { seen[word] = 0 }
      return
    }
    for number in (previous + 1)...number {
      let (word, bit) = Self.place(number)
      seen[word] &= ~bit
    }
  }

  private static func place(_ number: Int64) -> (word: Int, bit: UInt64) {
    let place = Int(number & Int64(window - 1))
    return (place / 64, 1 << UInt64(place % 64))
  }
}
