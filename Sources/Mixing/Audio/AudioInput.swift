public import RoomRTP

/// One source's audio on the media clock. PCM is written with its timestamp as it arrives and read at the clock's rate.
///
/// Samples lie on a grid of 48 kHz, with sample 0 at media time 0. A source whose clock drifts is stretched (``SoundAligner``).
/// Jumps and pauses are faded. Memory is bounded by the capacity: samples too far ahead or already read are dropped and
/// counted. One owner at a time.
public final class AudioInput {
  /// The sample rate of the grid in Hz.
  public static let sampleRate: Int64 = 48_000
  /// The number of interleaved channels.
  public static let channels = 2

  /// Counters in samples per channel.
  public struct Counters: Sendable, Hashable {
    /// Samples that arrived after their time to be read.
    public var late: UInt64 = 0
    /// Samples too far in the future to be kept.
    public var early: UInt64 = 0
    /// Samples that were read but missing.
    public var missing: UInt64 = 0
  }

  /// Counters since the start.
  public private(set) var counters = Counters()
  /// The position of the next sample if the source continues; nil before the first one.
  public private(set) var end: Int64?
  /// Samples added or removed to follow the source's clock.
  public var stretched: UInt64 { aligner.stretched }

  private var aligner = SoundAligner()

  /// 5 ms.
  private static let fade = 240

  private let capacity: Int64
  /// The ring's size is a power of two and at least the capacity.
  private let mask: Int64
  private var ring: [Int16]
  private var isPresent: [Bool]
  /// The position of the ring's first sample: the one after the last read, or the first one written.
  private var base: Int64?
  private var last: (left: Int16, right: Int16) = (0, 0)
  private var fadeOut = 0

  /// - Parameter capacity: The maximum amount of audio kept in ms, 100…10 000.
  public init(capacity: Int = 2000) {
    self.capacity = Int64(min(max(capacity, 100), 10_000)) * Self.sampleRate / 1000
    var places: Int64 = 1
    while places < self.capacity { places *= 2 }
    mask = places - 1
    ring = Array(repeating: 0, count: Int(places) * Self.channels)
    isPresent = Array(repeating: false, count: Int(places))
  }

  /// Returns the grid position at a media time.
  public static func position(of time: MediaTime) -> Int64 { time.ticks(rate: sampleRate) }

  /// Returns the media time of a grid position.
  public static func time(of position: Int64) -> MediaTime { MediaTime(ticks: position, rate: sampleRate) }

  /// Writes stereo samples. The first one is at `time`. A source that drifts is stretched.
  public func write(_ samples: [Int16], at time: MediaTime) {
    guard Int64(samples.count / Self.channels) <= capacity else { return }
    let placed = aligner.place(samples, at: time)
    write(placed.samples, from: placed.position)
  }

  /// Writes stereo samples at a grid position. The samples fade in unless they continue the previous ones.
  public func write(_ samples: [Int16], from position: Int64) {
    let count = samples.count / Self.channels
    guard count > 0, Int64(count) <= capacity else { return }
    store(samples, count: count, at: position, fadesIn: position != end)
    end = position + Int64(count)
  }

  /// Returns whether there is audio since this media time or earlier, after the fade-in of its first samples.
  public func reachesBack(to time: MediaTime) -> Bool { base.map { $0 + Int64(Self.fade) <= Self.position(of: time) } == true }

  /// Adds `count` samples from `position` on by calling `body` for each: index, left, right. Silent samples are skipped.
  ///
  /// Positions must increase; samples that were skipped are lost.
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
        // Fade out the last value instead of cutting it off.
        guard fadeOut > 0 else { continue }
        fadeOut -= 1
        body(index, Self.scaled(last.left, fadeOut), Self.scaled(last.right, fadeOut))
      }
    }
    if let base { self.base = max(base, position &+ Int64(count)) }
  }

  /// Returns interleaved samples from `position` on, with silence for missing ones.
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
    // Clear samples of a time that the source has jumped back from.
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
