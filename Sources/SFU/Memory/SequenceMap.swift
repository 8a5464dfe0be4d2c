/// What is added to the packets of one stretch of a subscription's stream.
struct StreamOffsets: BitwiseCopyable, Equatable {
  var timestamp: UInt32 = 0
  /// For VP8's picture id, modulo 2¹⁵, or the frame number of a dependency descriptor.
  var picture: UInt16 = 0
  /// For VP8's TL0PICIDX.
  var level0: UInt8 = 0
  /// The layer that the packets come from (`TrackSlot.layer`).
  var layer: UInt8 = 0
  /// The temporal layers that are sent.
  var limit = TemporalLimit.all
}

/// Maps the publisher's sequence numbers to one subscriber's. The receiver sees contiguous numbers over everything omitted on
/// purpose (mute, waiting for a key frame, lag, a switch to another layer, temporal layers above a limit), and gaps where packets
/// were lost.
///
/// Keeps the last few ranges instead of a table, because late packets and NACKs reach back only a second or two. Each range has
/// its own offsets, so a packet sent again after a switch is the same, byte for byte.
///
/// The ring counts the packets that a limit leaves out (`TemporalPlace`), so the map does not have a range for each. Where a
/// parameter or a result is `leftOut`, it is that count for the range's limit, modulo 2³²; 0 without a limit.
struct SequenceMap: BitwiseCopyable {
  private struct Stretch: BitwiseCopyable {
    var first: Int64 = 0
    /// Exclusive; `Int64.max` while the range is open.
    var end: Int64 = 0
    /// The outgoing number of `first`.
    var number: Int64 = 0
    var offsets = StreamOffsets()
    /// The packets left out before `first`.
    var leftOut: UInt32 = 0
  }

  private static let stretches = 8
  private var kept: (Stretch, Stretch, Stretch, Stretch, Stretch, Stretch, Stretch, Stretch)
  private var count = 0
  /// The next outgoing number after the last closed range.
  private var resumeAt: Int64

  /// `start` is the first outgoing number.
  init(start: Int64) {
    let empty = Stretch()
    kept = (empty, empty, empty, empty, empty, empty, empty, empty)
    resumeAt = start
  }

  /// Whether packets currently pass.
  var isOpen: Bool { count > 0 && kept.0.end == .max }

  /// Whether no packet has passed yet.
  var isNew: Bool { count == 0 }

  /// The first incoming number of the newest range.
  var first: Int64 { kept.0.first }

  /// The offsets of the newest range, also after `forget`.
  @inline(__always) var offsets: StreamOffsets { kept.0.offsets }

  /// Returns the first number that a range from `sequence` on can have: numbers of ranges that `close` ended are never assigned
  /// again.
  func start(at sequence: Int64, layer: UInt8) -> Int64 {
    count > 0 && layer == kept.0.offsets.layer ? max(sequence, kept.0.end) : sequence
  }

  /// Lets packets pass from `sequence` on, with these offsets; nil keeps the last ones. `leftOut` is for `start(at:layer:)`.
  mutating func open(at sequence: Int64, with offsets: StreamOffsets? = nil, leftOut: UInt32 = 0) {
    guard !isOpen else { return }
    let offsets = offsets ?? self.offsets
    let next = Stretch(
      first: start(at: sequence, layer: offsets.layer), end: .max, number: resumeAt, offsets: offsets, leftOut: leftOut)
    kept = (next, kept.0, kept.1, kept.2, kept.3, kept.4, kept.5, kept.6)
    count = min(count + 1, Self.stretches)
  }

  /// Stops before `sequence`, before which so many packets were left out.
  mutating func close(before sequence: Int64, leftOut: UInt32 = 0) {
    guard isOpen else { return }
    resumeAt = next(before: sequence, leftOut: leftOut)
    kept.0.end = max(sequence, kept.0.first)
  }

  /// Closes, and forgets which numbers packets had, so that sent packets are not retransmitted.
  mutating func forget(after highest: Int64, leftOut: UInt32 = 0) {
    resumeAt = next(after: highest, leftOut: leftOut)
    count = 0
  }

  /// Returns the outgoing number after all that were assigned while packets passed up to `highest`. `leftOut` is for the number
  /// after it.
  func next(after highest: Int64, leftOut: UInt32 = 0) -> Int64 {
    isOpen ? next(before: highest &+ 1, leftOut: leftOut) : resumeAt
  }

  private func next(before end: Int64, leftOut: UInt32) -> Int64 {
    guard end > kept.0.first else { return kept.0.number }
    return kept.0.number &+ (end &- kept.0.first) &- Int64(leftOut &- kept.0.leftOut)
  }

  /// Returns the outgoing number and the offsets of an incoming packet of the newest range's layer; nil if the packet was
  /// omitted. Under a limit, the packets that were left out since `leftOut` must be subtracted from the number.
  @inline(__always) func outgoing(_ sequence: Int64) -> (number: Int64, offsets: StreamOffsets, leftOut: UInt32)? {
    if count > 0, sequence >= kept.0.first {
      guard sequence < kept.0.end else { return nil }
      return (kept.0.number &+ (sequence &- kept.0.first), kept.0.offsets, kept.0.leftOut)
    }
    let layer = kept.0.offsets.layer
    return older { sequence >= $0.first && sequence < $0.end && $0.offsets.layer == layer }.map {
      ($0.number &+ (sequence &- $0.first), $0.offsets, $0.leftOut)
    }
  }

  /// Returns the incoming number of an outgoing one, with the offsets and the layer of its range; nil if it was never
  /// assigned. Under a limit, the packets that were left out since `leftOut` must be added to the number.
  func incoming(_ outgoing: Int64) -> (sequence: Int64, offsets: StreamOffsets, leftOut: UInt32)? {
    guard count > 0 else { return nil }
    if outgoing >= kept.0.number {
      guard isOpen || outgoing < resumeAt else { return nil }
      return (kept.0.first &+ (outgoing &- kept.0.number), kept.0.offsets, kept.0.leftOut)
    }
    // The start of the next range ends a range.
    return older { outgoing >= $0.number }.map { ($0.first &+ (outgoing &- $0.number), $0.offsets, $0.leftOut) }
  }

  private func older(_ matches: (Stretch) -> Bool) -> Stretch? {
    withUnsafeBytes(of: kept) { bytes in
      let stretches = bytes.assumingMemoryBound(to: Stretch.self)
      for index in 1..<max(count, 1) where matches(stretches[index]) { return stretches[index] }
      return nil
    }
  }
}
