import RoomCSound

/// A queue between two clocks: one source writes, another clock reads, and the sound is stretched by at most 0.5 % so that the
/// queue stays at its target. Stereo at 48 kHz, in the scale of 16-bit samples.
///
/// - Reading starts as soon as the target is reached, with exactly the target.
/// - An empty queue fades to silence within 5 ms, and reading starts again at the target.
/// - A queue above the limit skips to the target within a crossfade of 5 ms.
/// - Nothing is allocated after the initializer. One owner at a time.
public struct ClockMatchedPlayout: Sendable {
  /// The bounds of a queue.
  public struct Settings: Sendable, Hashable {
    /// The duration before each read, in ms, 5…1 000; at least the read block and 1 ms. The duration covers the jitter of both
    /// sides.
    public var target: Int
    /// The duration at which the queue skips to its target, in ms, at most 2 000.
    public var limit: Int

    /// Values out of range are clamped; the limit is at least twice the target.
    public init(target: Int = 40, limit: Int = 400) {
      self.target = min(max(target, 5), 1000)
      self.limit = min(max(limit, self.target * 2), 2000)
    }
  }

  /// What happened since the start.
  public struct Counters: Sendable, Hashable {
    /// The number of times that the queue ran empty.
    public var underruns: UInt64 = 0
    /// The number of times that the queue skipped to its target.
    public var skips: UInt64 = 0
    /// The number of samples per channel that skips left out.
    public var skipped: UInt64 = 0
    /// The number of samples per channel that were refused because nobody reads.
    public var refused: UInt64 = 0
  }

  /// The largest change of the speed: 0.5 %, which is inaudible.
  public static let mostStretch = 0.005
  /// The length of fades in samples: 5 ms.
  private static let fade = 240
  /// A smaller deviation is ignored: 1 ms, in samples.
  private static let tolerance = 48.0
  /// The deviation beyond the tolerance at which the speed changes most: 20 ms, in samples.
  private static let span = 960.0

  /// The bounds of the queue.
  public let settings: Settings
  /// What happened since the start.
  public private(set) var counters = Counters()
  /// The current speed, 0.995…1.005; more than 1 empties the queue.
  public private(set) var speed = 1.0

  private var ring: [Float]
  private let capacity: Int
  /// The total number of samples per channel written, and the position of the reader: whole samples and a fraction.
  private var written = 0
  private var position = 0
  private var fraction = 0.0
  private var isPlaying = false
  /// The smoothed fill in samples.
  private var average = 0.0
  private var last: (left: Float, right: Float) = (0, 0)
  private var isFadingIn = false
  /// What a skip leaves, for its crossfade.
  private var left = [Float](repeating: 0, count: fade * 2)

  /// Creates an empty queue.
  public init(_ settings: Settings = .init()) {
    self.settings = settings
    capacity = settings.limit * 48 * 2 + SincKernel.taps * 2
    ring = [Float](repeating: 0, count: capacity * 4)
    restart()
  }

  /// The duration in the queue, in µs.
  public var queued: Int64 { Int64(max(0, fill)) * 1_000_000 / 48_000 }

  /// The number of samples per channel that can be read at speed 1. The filter needs some samples after the last.
  private var fill: Int { written - position - SincKernel.taps / 2 }

  /// Writes interleaved stereo samples.
  public mutating func write(_ samples: [Int16]) {
    let count = samples.count / 2
    // The samples before the reader are part of its filter.
    let room = capacity - (written - position) - SincKernel.taps / 2
    let accepted = min(count, max(0, room))
    counters.refused += UInt64(count - accepted)
    stretching_write(&ring, Int64(capacity), Int64(written), samples, Int64(accepted))
    written += accepted
  }

  /// Fills `block` with the next interleaved stereo samples, or with silence. 5…100 ms at once.
  /// - Returns: whether any of it is from the queue.
  @discardableResult
  public mutating func read(_ block: inout [Float]) -> Bool {
    let count = block.count / 2
    // A block and 1 ms at least.
    let target = max(settings.target * 48, count + 48)
    if !isPlaying {
      guard fill >= target else {
        decay(&block, from: 0)
        return false
      }
      // What is more than the target would only be stretched away.
      position = written - SincKernel.taps / 2 - target
      isPlaying = true
      isFadingIn = true
      average = Double(target)
    }
    let isSkipping = skip(to: target)
    adjustSpeed(count, target)
    let available = min(count, max(0, Int(Double(fill - 1) / speed)))
    interpolate(&block, available)
    if isSkipping { crossfade(&block, from: left, available) }
    if isFadingIn { crossfade(&block, from: nil, available) }
    isFadingIn = false
    if available > 0 { last = (block[available * 2 - 2], block[available * 2 - 1]) }
    if available < count {
      counters.underruns += 1
      decay(&block, from: available)
      restart()
    }
    return available > 0
  }

  private mutating func skip(to target: Int) -> Bool {
    guard fill > max(settings.limit * 48, target) else { return false }
    let distance = fill - target
    let (start, startFraction) = (position, fraction)
    // Out of `self` meanwhile: both are changed.
    var block: [Float] = []
    swap(&block, &left)
    interpolate(&block, Self.fade)
    swap(&block, &left)
    (position, fraction) = (start + distance, startFraction)
    average = Double(target)
    counters.skips += 1
    counters.skipped += UInt64(distance)
    return true
  }

  /// Sets the speed in proportion to the deviation of the smoothed fill from the target.
  private mutating func adjustSpeed(_ count: Int, _ target: Int) {
    // A time constant of 1 s: blocks of the source and of the reader average out.
    average += (Double(fill) - average) * min(1, Double(count) / 48_000)
    let deviation = average - Double(target)
    let excess = abs(deviation) - Self.tolerance
    let change = min(max(0, excess) / Self.span, 1) * Self.mostStretch
    speed = deviation > 0 ? 1 + change : 1 - change
  }

  private mutating func interpolate(_ block: inout [Float], _ count: Int) {
    var (place, rest) = (Int64(position), fraction)
    stretching_read(SincKernel.shared.rows, ring, Int64(capacity), &place, &rest, speed, &block, Int64(count))
    (position, fraction) = (Int(place), rest)
  }

  /// Crossfades the start of the block from other sound, or from silence.
  private func crossfade(_ block: inout [Float], from other: [Float]?, _ count: Int) {
    let count = min(count, Self.fade)
    for frame in 0..<count {
      let share = Float(frame + 1) / Float(count)
      for sample in frame * 2...frame * 2 + 1 {
        let old = other?[sample] ?? 0
        block[sample] = old + share * (block[sample] - old)
      }
    }
  }

  /// Fades the last sample to silence in place of the missing ones.
  private mutating func decay(_ block: inout [Float], from start: Int) {
    for frame in start..<max(start, block.count / 2) {
      // 40 dB in 5 ms.
      last = (last.left * 0.981, last.right * 0.981)
      if abs(last.left) + abs(last.right) < 0.01 { last = (0, 0) }
      block[frame * 2] = last.left
      block[frame * 2 + 1] = last.right
    }
  }

  /// Waits for the target again. The filter's history is silence.
  private mutating func restart() {
    isPlaying = false
    speed = 1
    fraction = 0
    stretching_clear(&ring, Int64(capacity), Int64(written), Int64(SincKernel.taps))
    written += SincKernel.taps
    position = written
  }
}
