public import RTP

/// One source's sound on the media clock: PCM is written with its time as it comes and read at the clock's pace.
///
/// Samples lie on a grid of 48 kHz, sample 0 at media time 0. A source whose clock drifts is stretched (``SoundAligner``); what
/// leaps, or pauses, is faded. Memory is bounded by the capacity: what is further ahead or already read is
/// dropped and counted. One owner at a time.
public final class AudioInput {
  /// Samples a second of the grid.
  public static let sampleRate: Int64 = 48_000
  /// Interleaved.
  public static let channels = 2

  /// Samples per channel.
  public struct Counters: Sendable, Hashable {
    /// Came after they should have been read.
    public var late: UInt64 = 0
    /// Were too far in the future to be kept.
    public var early: UInt64 = 0
    /// Read where there were none.
    public var missing: UInt64 = 0
  }

  /// Since the start.
  public private(set) var counters = Counters()
  /// Where the next written sample would belong if the source goes on; nil before the first.
  public private(set) var end: Int64?
  /// Samples added or taken away to follow the source's clock.
  public var stretched: UInt64 { aligner.stretched }

  private var aligner = SoundAligner()

  /// 5 ms.
  private static let fade = 240

  private let capacity: Int64
  /// The ring has a power of two of places, at least as many as the capacity.
  private let mask: Int64
  private var ring: [Int16]
  private var isPresent: [Bool]
  /// The ring holds the samples from here on: the one after the last that was read, or the first that was written.
  private var base: Int64?
  private var last: (left: Int16, right: Int16) = (0, 0)
  private var fadeOut = 0

  /// - Parameter capacity: milliseconds that are kept at most, 100…10 000.
  public init(capacity: Int = 2000) {
    self.capacity = Int64(min(max(capacity, 100), 10_000)) * Self.sampleRate / 1000
    var places: Int64 = 1
    while places < self.capacity { places *= 2 }
    mask = places - 1
    ring = Array(repeating: 0, count: Int(places) * Self.channels)
    isPresent = Array(repeating: false, count: Int(places))
  }

  /// The grid's sample at a media time.
  public static func position(of time: MediaTime) -> Int64 { time.ticks(rate: sampleRate) }

  /// The media time of a grid's sample.
  public static func time(of position: Int64) -> MediaTime { MediaTime(ticks: position, rate: sampleRate) }

  /// Takes stereo samples whose first belongs to `time`; a drifting source is stretched.
  public func write(_ samples: [Int16], at time: MediaTime) {
    guard Int64(samples.count / Self.channels) <= capacity else { return }
    let placed = aligner.place(samples, at: time)
    write(placed.samples, from: placed.position)
  }

  /// Takes stereo samples that have their place on the grid already; what does not go on from the last ones fades in.
  public func write(_ samples: [Int16], from position: Int64) {
    let count = samples.count / Self.channels
    guard count > 0, Int64(count) <= capacity else { return }
    store(samples, count: count, at: position, fadesIn: position != end)
    end = position + Int64(count)
  }

  /// Whether it has sound since this media time, or longer, and the fade-in of its first samples is over.
  public func reachesBack(to time: MediaTime) -> Bool { base.map { $0 + Int64(Self.fade) <= Self.position(of: time) } == true }

  /// Adds `count` samples from `position` on to what `body` is given, sample by sample: index, left, right. Silence is not told.
  ///
  /// Positions are read in rising order; what was skipped is gone.
  public func read(at position: Int64, count: Int, _ body: (_ index: Int, _ left: Int16, _ right: Int16) -> Void) {
    forget(before: position)
    for index in 0..<count {
      let place = slot(position &+ Int64(index))
      if isPresent[place], let base, position &+ Int64(index) >= base {
        last = (ring[place * 2], ring[place * 2 + 1])
        fadeOut = Self.fade
        isPresent[place] = false
        body(index, last.left, last.right)
      } else {
        counters.missing += 1
        // The last value dies away instead of breaking off.
        guard fadeOut > 0 else { continue }
        fadeOut -= 1
        body(index, Self.scaled(last.left, fadeOut), Self.scaled(last.right, fadeOut))
      }
    }
    if let base { self.base = max(base, position &+ Int64(count)) }
  }

  /// Interleaved samples from `position` on, silence where there are none.
  public func read(at position: Int64, count: Int) -> [Int16] {
    var samples = [Int16](repeating: 0, count: count * Self.channels)
    read(at: position, count: count) { index, left, right in
      samples[index * 2] = left
      samples[index * 2 + 1] = right
    }
    return samples
  }

  private func forget(before position: Int64) {
    guard let base, position > base else { return }
    clear(base..<position)
    self.base = position
  }

  private func clear(_ range: Range<Int64>) {
    for position in range.lowerBound..<min(range.upperBound, range.lowerBound + capacity) { isPresent[slot(position)] = false }
  }

  private func slot(_ position: Int64) -> Int { Int(position & mask) }

  private static func scaled(_ value: Int16, _ step: Int) -> Int16 { Int16(truncatingIfNeeded: Int(value) * step / fade) }

  private func store(_ samples: [Int16], count: Int, at start: Int64, fadesIn: Bool) {
    let base = self.base ?? start
    self.base = base
    // What was written for a time that the source has taken back.
    if let end, start < end, fadesIn { clear(max(start, base)..<max(start, base, min(end, base + capacity))) }
    for index in 0..<count {
      let position = start + Int64(index)
      guard position >= base else {
        counters.late += 1
        continue
      }
      guard position < base + capacity else {
        counters.early += 1
        continue
      }
      let place = slot(position)
      var (left, right) = (samples[index * 2], samples[index * 2 + 1])
      if fadesIn, index < Self.fade { (left, right) = (Self.scaled(left, index), Self.scaled(right, index)) }
      ring[place * 2] = left
      ring[place * 2 + 1] = right
      isPresent[place] = true
    }
  }
}
