/// What is added to the packets of one stretch of a subscription's stream.
struct StreamOffsets: BitwiseCopyable, Equatable {
  var timestamp: UInt32 = 0
  /// For VP8's picture id, modulo 2¹⁵.
  var picture: UInt16 = 0
  /// For VP8's TL0PICIDX.
  var level0: UInt8 = 0
  /// The layer that the packets come from (`TrackSlot.layer`).
  var layer: UInt8 = 0
}

/// Maps the publisher's sequence numbers to one subscriber's. The receiver sees contiguous numbers over everything omitted on
/// purpose (mute, waiting for a key frame, lag, a switch to another layer), and gaps where packets were lost.
///
/// Keeps the last few ranges instead of a table, because late packets and NACKs reach back only a second or two. Each range has
/// its own offsets, so a packet sent again after a switch is the same, byte for byte.
struct SequenceMap: BitwiseCopyable {
  private struct Stretch: BitwiseCopyable {
    var first: Int64 = 0
    /// Exclusive; `Int64.max` while the range is open.
    var end: Int64 = 0
    /// Outgoing − incoming.
    var delta: Int64 = 0
    var offsets = StreamOffsets()
  }

  private static let stretches = 8
  private var kept: (Stretch, Stretch, Stretch, Stretch, Stretch, Stretch, Stretch, Stretch)
  private var count = 0
  /// The next outgoing number after the last closed range.
  private var resumeAt: Int64
  /// The offsets of the newest range.
  private(set) var offsets = StreamOffsets()

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

  /// Lets packets pass from `sequence` on, with these offsets; nil keeps the last ones.
  mutating func open(at sequence: Int64, with offsets: StreamOffsets? = nil) {
    guard !isOpen else { return }
    let offsets = offsets ?? self.offsets
    // Numbers of ranges that `close` ended are never assigned again.
    var first = sequence
    if count > 0, offsets.layer == kept.0.offsets.layer { first = max(first, kept.0.end) }
    let next = Stretch(first: first, end: .max, delta: resumeAt &- first, offsets: offsets)
    kept = (next, kept.0, kept.1, kept.2, kept.3, kept.4, kept.5, kept.6)
    count = min(count + 1, Self.stretches)
    self.offsets = offsets
  }

  /// Stops before `sequence`.
  mutating func close(before sequence: Int64) {
    guard isOpen else { return }
    kept.0.end = max(sequence, kept.0.first)
    resumeAt = kept.0.end &+ kept.0.delta
  }

  /// Closes, and forgets which numbers packets had, so that sent packets are not retransmitted.
  mutating func forget(after highest: Int64) {
    resumeAt = next(after: highest)
    count = 0
  }

  /// Returns the outgoing number after all that were assigned while packets passed up to `highest`.
  func next(after highest: Int64) -> Int64 {
    isOpen ? max(highest &+ 1, kept.0.first) &+ kept.0.delta : resumeAt
  }

  /// Returns the outgoing number and the offsets of an incoming packet of the newest range's layer; nil if the packet was
  /// omitted.
  @inline(__always) func outgoing(_ sequence: Int64) -> (number: Int64, offsets: StreamOffsets)? {
    if count > 0, sequence >= kept.0.first {
      return sequence < kept.0.end ? (sequence &+ kept.0.delta, kept.0.offsets) : nil
    }
    let layer = kept.0.offsets.layer
    return older { sequence >= $0.first && sequence < $0.end && $0.offsets.layer == layer }.map {
      (sequence &+ $0.delta, $0.offsets)
    }
  }

  /// Returns the incoming number of an outgoing one, with the offsets and the layer of its range; nil if it was never
  /// assigned.
  func incoming(_ outgoing: Int64) -> (sequence: Int64, offsets: StreamOffsets)? {
    if count > 0, outgoing >= kept.0.first &+ kept.0.delta {
      let sequence = outgoing &- kept.0.delta
      return sequence < kept.0.end ? (sequence, kept.0.offsets) : nil
    }
    return older { outgoing >= $0.first &+ $0.delta && outgoing < $0.end &+ $0.delta }.map {
      (outgoing &- $0.delta, $0.offsets)
    }
  }

  private func older(_ matches: (Stretch) -> Bool) -> Stretch? {
    withUnsafeBytes(of: kept) { bytes in
      let stretches = bytes.assumingMemoryBound(to: Stretch.self)
      for index in 1..<max(count, 1) where matches(stretches[index]) { return stretches[index] }
      return nil
    }
  }
}
