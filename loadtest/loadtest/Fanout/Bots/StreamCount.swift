import RTP

/// Counts one stream's packets by the sequence numbers of their headers, which SRTP leaves in the clear.
///
/// What came twice counts once; what came out of order counts as come. A number further back than the window can't be told from a
/// duplicate any more and counts for nothing.
struct StreamCount: Sendable {
  /// How many numbers back are remembered.
  static let window = 1024

  /// Different packets that came.
  private(set) var received = 0
  /// Packets that had come before.
  private(set) var duplicates = 0
  /// Packets from before the window.
  private(set) var late = 0

  private var unwrapper = SequenceUnwrapper()
  private var first: Int64 = 0
  /// A bit for each number of the window, at its place modulo the window.
  private var seen = [UInt64](repeating: 0, count: Self.window / 64)

  /// Packets from the first to the highest number; 0 before the first.
  var expected: Int { unwrapper.highest.map { Int($0 - first + 1) } ?? 0 }
  /// Of those, the ones that did not come.
  var lost: Int { expected - received }

  /// Counts a packet; false for one that had come before, or can't be told from such.
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

  /// Empties the places that new numbers take over from old ones.
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
