/// The publisher's sequence numbers → one subscriber's: contiguous for the receiver over everything that was left out on purpose
/// (mute, waiting for a key frame, lag), with holes where packets were lost.
///
/// Keeps the last few stretches instead of a table: late packets and NACKs reach back a second or two.
struct SequenceMap: BitwiseCopyable {
  private struct Stretch: BitwiseCopyable {
    var first: Int64 = 0
    /// Exclusive; `Int64.max` while the stretch goes on.
    var end: Int64 = 0
    /// Outgoing − incoming.
    var delta: Int64 = 0
  }

  private static let stretches = 8
  private var kept: (Stretch, Stretch, Stretch, Stretch, Stretch, Stretch, Stretch, Stretch)
  private var count = 0
  /// The next outgoing number after the last stretch that ended.
  private var resumeAt: Int64

  /// `start` is the first outgoing number.
  init(start: Int64) {
    let empty = Stretch()
    kept = (empty, empty, empty, empty, empty, empty, empty, empty)
    resumeAt = start
  }

  /// Whether packets pass at the moment.
  var isOpen: Bool { count > 0 && kept.0.end == .max }

  /// Lets packets pass from `sequence` on.
  mutating func open(at sequence: Int64) {
    guard !isOpen else { return }
    // What was ended by `close` keeps its numbers: a number that was given away is never given again.
    var first = sequence
    if count > 0 { first = max(first, kept.0.end) }
    kept = (Stretch(first: first, end: .max, delta: resumeAt &- first), kept.0, kept.1, kept.2, kept.3, kept.4, kept.5, kept.6)
    count = min(count + 1, Self.stretches)
  }

  /// Stops before `sequence`.
  mutating func close(before sequence: Int64) {
    guard isOpen else { return }
    kept.0.end = max(sequence, kept.0.first)
    resumeAt = kept.0.end &+ kept.0.delta
  }

  /// Closes, and forgets which packets had which numbers: what was sent is not sent again.
  mutating func forget(after highest: Int64) {
    resumeAt = next(after: highest)
    count = 0
  }

  /// The outgoing number after all that were given away while packets passed up to `highest`.
  func next(after highest: Int64) -> Int64 {
    isOpen ? max(highest &+ 1, kept.0.first) &+ kept.0.delta : resumeAt
  }

  /// The outgoing number of an incoming one; nil where it falls into what was left out.
  @inline(__always) func outgoing(_ sequence: Int64) -> Int64? {
    if count > 0, sequence >= kept.0.first { return sequence < kept.0.end ? sequence &+ kept.0.delta : nil }
    return older { sequence >= $0.first && sequence < $0.end }.map { sequence &+ $0.delta }
  }

  /// The incoming number of an outgoing one; nil where it was never given.
  func incoming(_ outgoing: Int64) -> Int64? {
    if count > 0, outgoing >= kept.0.first &+ kept.0.delta {
      let sequence = outgoing &- kept.0.delta
      return sequence < kept.0.end ? sequence : nil
    }
    return older { outgoing >= $0.first &+ $0.delta && outgoing < $0.end &+ $0.delta }.map { outgoing &- $0.delta }
  }

  private func older(_ matches: (Stretch) -> Bool) -> Stretch? {
    withUnsafeBytes(of: kept) { bytes in
      let stretches = bytes.assumingMemoryBound(to: Stretch.self)
      for index in 1..<max(count, 1) where matches(stretches[index]) { return stretches[index] }
      return nil
    }
  }
}
